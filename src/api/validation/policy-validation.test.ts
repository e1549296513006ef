import { describe } from "vitest";
import { dns1035Label, dns1123Label, dns1123Subdomain } from "./names.ts";
import { refusalTests, updateRefusalTests } from "./refusal.testbed.ts";

const group = "rbac.authorization.k8s.io";
const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const role = { kind: "Role", name: "r" };

describe("RBAC", () => {
  refusalTests("rbac.v1.Role", [
    ["good", { rules: [rule], metadata: { name: "system:x" } }],
    [
      "slash",
      { metadata: { name: "a/b" } },
      `metadata.name: Invalid value: "a/b": may not contain '/'`,
    ],
    [
      "rules",
      { rules: [{}, { verbs: ["get"], nonResourceURLs: ["/x"] }] },
      "rules[0].verbs: Required value: verbs must contain at least one value",
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].resources: Required value: resource rules must supply at least one resource",
      'rules[1].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    ],
  ]);
  refusalTests("rbac.v1.ClusterRole", [
    ["good", { rules: [rule, { verbs: ["get"], nonResourceURLs: ["/x"] }] }],
    [
      "mixed",
      { rules: [{ ...rule, nonResourceURLs: ["/x"] }], aggregationRule: {} },
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
    ],
  ]);
  refusalTests("rbac.v1.RoleBinding", [
    [
      "good",
      {
        roleRef: role,
        subjects: [
          { kind: "User", name: "u" },
          { kind: "ServiceAccount", name: "s" },
        ],
      },
    ],
    [
      "bad",
      {
        roleRef: { apiGroup: "x", kind: "Pod", name: "" },
        subjects: [
          { kind: "x", name: "u" },
          { kind: "User", name: "", apiGroup: "y" },
          { kind: "ServiceAccount", name: "s", apiGroup: "z" },
        ],
      },
      `roleRef.apiGroup: Unsupported value: "x": supported values: "${group}"`,
      'roleRef.kind: Unsupported value: "Pod": supported values: "Role", "ClusterRole"',
      "roleRef.name: Required value",
      'subjects[0].kind: Unsupported value: "x": supported values: "ServiceAccount", "User", "Group"',
      "subjects[1].name: Required value",
      `subjects[1].apiGroup: Unsupported value: "y": supported values: "${group}"`,
      'subjects[2].apiGroup: Unsupported value: "z": supported values: ""',
    ],
  ]);
  refusalTests("rbac.v1.ClusterRoleBinding", [
    [
      "a role, and an account of nowhere",
      { roleRef: role, subjects: [{ kind: "ServiceAccount", name: "s" }] },
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      "subjects[0].namespace: Required value",
    ],
  ]);
  updateRefusalTests("rbac.v1.RoleBinding", [
    ["subjects", { roleRef: role }, { roleRef: role, subjects: [{ kind: "User", name: "u" }] }],
    [
      "another role",
      { roleRef: role },
      { roleRef: { apiGroup: group, kind: "Role", name: "other" } },
      `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"Role","Name":"other"}: cannot change roleRef`,
    ],
  ]);
});

describe("budgets and autoscalers", () => {
  refusalTests("policy.v1.PodDisruptionBudget", [
    ["good", { spec: { minAvailable: "50%", selector: {} } }],
    [
      "both",
      { spec: { minAvailable: 1, maxUnavailable: 1 } },
      'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
    ],
    [
      "values",
      { spec: { minAvailable: -1, unhealthyPodEvictionPolicy: "x" } },
      "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0",
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "x": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ]);
  const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
  refusalTests("autoscaling.v2.HorizontalPodAutoscaler", [
    ["good", { spec: { scaleTargetRef, maxReplicas: 3, behavior: {} } }],
    [
      "replicas",
      { spec: { scaleTargetRef, maxReplicas: 0 } },
      "spec.maxReplicas: Required value: must be set and greater than 0",
      "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
    ],
    [
      "bad",
      {
        spec: {
          scaleTargetRef: { kind: "", name: "a/b" },
          minReplicas: 0,
          maxReplicas: 1,
          metrics: [
            { type: "" },
            { type: "Pods" },
            { type: "Resource", resource: { name: "", target: { type: "x" } } },
          ],
          behavior: { scaleUp: { selectPolicy: "x", policies: [] } },
        },
      },
      "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
      "spec.scaleTargetRef.kind: Required value",
      `spec.scaleTargetRef.name: Invalid value: "a/b": may not contain '/'`,
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
      "spec.metrics[0].type: Required value: must specify a metric source type",
      'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      "spec.metrics[1].pods: Required value: must populate information for the given metric source",
      "spec.metrics[2].resource.name: Required value: must specify a resource name",
      'spec.metrics[2].resource.target.type: Invalid value: "x": must be either Utilization, Value, or AverageValue',
      "spec.metrics[2].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "x": supported values: "Disabled", "Max", "Min"',
      "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy",
    ],
  ]);
  refusalTests("autoscaling.v1.HorizontalPodAutoscaler", [
    ["good", { spec: { scaleTargetRef, maxReplicas: 3 } }],
    [
      "replicas",
      { spec: { scaleTargetRef, maxReplicas: 1, minReplicas: 2 } },
      "spec.maxReplicas: Invalid value: 1: must be greater than or equal to `minReplicas`",
    ],
  ]);
});

describe("priority and fairness", () => {
  const schema = (more: object): object => ({
    spec: { priorityLevelConfiguration: { name: "l" }, ...more },
  });
  refusalTests("flowcontrol.v1.FlowSchema", [
    [
      "good",
      schema({
        distinguisherMethod: { type: "ByUser" },
        rules: [
          {
            subjects: [{ kind: "Group", group: { name: "g" } }],
            resourceRules: [
              { verbs: ["list"], apiGroups: ["*"], resources: ["pods"], namespaces: ["*"] },
            ],
          },
        ],
      }),
    ],
    [
      "bad",
      {
        spec: {
          matchingPrecedence: 10_001,
          distinguisherMethod: { type: "x" },
          rules: [{ subjects: [{ kind: "User" }, { kind: "x" }], resourceRules: [{}] }, {}],
        },
      },
      "spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000",
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"x"}: supported values: "ByNamespace", "ByUser"',
      "spec.priorityLevelConfiguration.name: Required value: must reference a priority level",
      "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
      'spec.rules[0].subjects[1].kind: Unsupported value: "x": supported values: "Group", "ServiceAccount", "User"',
      "spec.rules[0].resourceRules[0].verbs: Required value: verbs must contain at least one value",
      "spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "spec.rules[0].resourceRules[0].resources: Required value: resource rules must supply at least one resource",
      "spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace",
      "spec.rules[1].subjects: Required value: subjects must contain at least one value",
      "spec.rules[1]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty",
    ],
    [
      "rules in no form",
      schema({
        distinguisherMethod: { type: "" },
        rules: [
          {
            subjects: [
              { kind: "ServiceAccount", serviceAccount: { name: "Bad Value!", namespace: "" } },
              { kind: "ServiceAccount", serviceAccount: { name: "*", namespace: "n" } },
            ],
            resourceRules: [
              { verbs: ["Bad"], apiGroups: ["*", "a"], resources: ["*", "b"], namespaces: [""] },
            ],
            nonResourceRules: [{ verbs: ["*", "get"], nonResourceURLs: ["*", "/a"] }],
          },
        ],
      }),
      'spec.distinguisherMethod.type: Unsupported value: {"Type":""}: supported values: "ByNamespace", "ByUser"',
      `spec.rules[0].subjects[0].serviceAccount.name: Invalid value: "Bad Value!": ${dns1123Subdomain("Bad Value!")[0]}`,
      "spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account",
      'spec.rules[0].resourceRules[0].verbs: Unsupported value: ["Bad"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      `spec.rules[0].resourceRules[0].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other api groups`,
      `spec.rules[0].resourceRules[0].resources: Invalid value: ["*","b"]: if '*' is present, must not specify other resources`,
      `spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: "": each member of this list must be '*' or a DNS-1123 label; ${dns1123Label("")[0]}`,
      `spec.rules[0].nonResourceRules[0].verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`,
      `spec.rules[0].nonResourceRules[0].nonResourceURLs: Invalid value: ["*","/a"]: if '*' is present, must not specify other non-resource URLs`,
    ],
    [
      "precedence of the exempt",
      schema({ matchingPrecedence: 1 }),
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ],
  ]);
  refusalTests("flowcontrol.v1.PriorityLevelConfiguration", [
    [
      "good",
      { spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } } },
    ],
    [
      "rejecting",
      {
        spec: {
          type: "Limited",
          limited: { nominalConcurrencyShares: 0, limitResponse: { type: "Reject" } },
        },
      },
    ],
    [
      "exempt",
      { spec: { type: "Exempt" } },
      "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
    ],
    [
      "nothing limited",
      { spec: { type: "Limited" } },
      "spec.limited: Required value: must not be empty when type is Limited",
    ],
    [
      "bad",
      {
        spec: {
          type: "Limited",
          exempt: {},
          limited: {
            nominalConcurrencyShares: -1,
            lendablePercent: 101,
            limitResponse: {
              type: "Queue",
              queuing: { queues: 2, handSize: 3, queueLengthLimit: -1 },
            },
          },
        },
      },
      "spec.exempt: Forbidden: must be nil if the type is Limited",
      "spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer",
      "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
      "spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive",
      "spec.limited.limitResponse.queuing.handSize: Invalid value: 3: should not be greater than queues (2)",
    ],
  ]);
});

describe("admission", () => {
  const webhook = {
    name: "a.b.c",
    clientConfig: { url: "https://x" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  const all = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] };
  refusalTests("admissionregistration.v1.ValidatingWebhookConfiguration", [
    ["good", { webhooks: [{ ...webhook, rules: [all] }] }],
    [
      "bad",
      {
        webhooks: [
          {
            name: "a.b",
            clientConfig: {},
            timeoutSeconds: 31,
            failurePolicy: "x",
            rules: [{ operations: ["GET"] }],
          },
          {
            ...webhook,
            clientConfig: { url: "http://x" },
            sideEffects: "Some",
            admissionReviewVersions: ["v2"],
          },
          { ...webhook, clientConfig: { service: { name: "s", namespace: "" } } },
        ],
      },
      'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
      'webhooks[0].rules[0].operations[0]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      "webhooks[0].rules[0].apiGroups: Required value",
      "webhooks[0].rules[0].apiVersions: Required value",
      "webhooks[0].rules[0].resources: Required value",
      'webhooks[0].failurePolicy: Unsupported value: "x": supported values: "Fail", "Ignore"',
      "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun",
      "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
      "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
      "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
      'webhooks[1].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      "webhooks[1].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
      'webhooks[1].admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
      "webhooks[2].clientConfig.service.name: Required value",
      'webhooks[2].name: Duplicate value: "a.b.c"',
    ],
    [
      "where it cannot be reached",
      {
        webhooks: [
          {
            ...webhook,
            clientConfig: { service: { name: "s", namespace: "n", path: "Bad Value!" } },
            admissionReviewVersions: [""],
          },
          { ...webhook, name: "b.b.b", clientConfig: { url: "" } },
          { ...webhook, name: "c.c.c", clientConfig: { url: "https://u:p@h/x?q=1#f" } },
        ],
      },
      `webhooks[0].clientConfig.service.path: Invalid value: "Bad Value!": must start with a '/'`,
      `webhooks[0].clientConfig.service.path: Invalid value: "Bad Value!": segment[0]: ${dns1123Subdomain("ad Value!")[0]}`,
      `webhooks[0].admissionReviewVersions[0]: Invalid value: "": ${dns1035Label("")[0]}`,
      'webhooks[0].admissionReviewVersions: Invalid value: [""]: must include at least one of v1, v1beta1',
      "webhooks[1].clientConfig.url: Invalid value: \"\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
      'webhooks[1].clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]',
      'webhooks[2].clientConfig.url: Invalid value: "u:p": user information is not permitted in the URL',
      'webhooks[2].clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
      'webhooks[2].clientConfig.url: Invalid value: "q=1": query parameters are not permitted in the URL',
    ],
    [
      "rules that say too much",
      {
        webhooks: [
          {
            ...webhook,
            rules: [
              {
                operations: ["*", "CREATE"],
                apiGroups: ["*", "apps"],
                apiVersions: ["*", ""],
                resources: ["*", "pods", "pods/*", "pods/log", "", "*/*"],
              },
            ],
          },
        ],
      },
      `webhooks[0].rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
      `webhooks[0].rules[0].apiGroups: Invalid value: ["*","apps"]: if '*' is present, must not specify other API groups`,
      `webhooks[0].rules[0].apiVersions: Invalid value: ["*",""]: if '*' is present, must not specify other API versions`,
      "webhooks[0].rules[0].apiVersions[1]: Required value",
      `webhooks[0].rules[0].resources[3]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
      "webhooks[0].rules[0].resources[4]: Required value",
      `webhooks[0].rules[0].resources: Invalid value: ["*","pods","pods/*","pods/log","","*/*"]: if '*/*' is present, must not specify other resources`,
      `webhooks[0].rules[0].resources: Invalid value: ["*","pods","pods/*","pods/log","","*/*"]: if '*' is present, must not specify other resources without subresources`,
    ],
  ]);
  const matchConstraints = { resourceRules: [all] };
  refusalTests("admissionregistration.v1.ValidatingAdmissionPolicy", [
    ["good", { spec: { matchConstraints, validations: [{ expression: "true" }] } }],
    [
      "nothing",
      { spec: {} },
      "spec.matchConstraints: Required value",
      "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
      "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item",
    ],
  ]);
  const mutation = { patchType: "ApplyConfiguration", applyConfiguration: { expression: "x" } };
  const mutating = { matchConstraints, mutations: [mutation], reinvocationPolicy: "Never" };
  refusalTests("admissionregistration.v1.MutatingAdmissionPolicy", [
    ["good", { spec: mutating }],
    [
      "nothing",
      { spec: {} },
      "spec.matchConstraints: Required value",
      "spec.mutations: Required value: mutations must contain at least one item",
      "spec.reinvocationPolicy: Required value",
    ],
    [
      "mutations in no form",
      {
        spec: {
          ...mutating,
          matchConstraints: { resourceRules: [{ ...all, operations: ["DELETE"] }] },
          mutations: [
            {},
            { patchType: "Bad Value!" },
            { patchType: "ApplyConfiguration" },
            { ...mutation, patchType: "JSONPatch", jsonPatch: { expression: " " } },
          ],
        },
      },
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      "spec.mutations[0].patchType: Required value",
      'spec.mutations[1].patchType: Unsupported value: "Bad Value!": supported values: "ApplyConfiguration", "JSONPatch"',
      "spec.mutations[2].applyConfiguration: Required value: must be specified when patchType is ApplyConfiguration",
      'spec.mutations[3].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
      "spec.mutations[3].jsonPatch.expression: Required value",
    ],
  ]);
  refusalTests("admissionregistration.v1.ValidatingAdmissionPolicyBinding", [
    ["good", { spec: { policyName: "p", validationActions: ["Deny"] } }],
    [
      "nothing",
      {},
      "spec.policyName: Required value",
      "spec.validationActions: Required value: at least one validation action is required",
    ],
  ]);
});
