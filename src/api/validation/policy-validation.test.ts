import { describe } from "vitest";
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
      `roleRef: Invalid value: {"apiGroup":"${group}","kind":"Role","name":"other"}: cannot change roleRef`,
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
      'spec.distinguisherMethod.type: Unsupported value: "x": supported values: "ByNamespace", "ByUser"',
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
      "spec.type: Invalid value: \"Exempt\": type must be 'Exempt' if and only if name is 'exempt'",
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
      "webhooks[2].clientConfig.service.namespace: Required value: service namespace is required",
      'webhooks[2].name: Duplicate value: "a.b.c"',
    ],
  ]);
  const matchConstraints = { resourceRules: [all] };
  refusalTests("admissionregistration.v1.ValidatingAdmissionPolicy", [
    ["good", { spec: { matchConstraints, validations: [{ expression: "true" }] } }],
    [
      "nothing",
      { spec: {} },
      "spec.validations: Required value: validations or auditAnnotations must be non-empty",
      "spec.matchConstraints: Required value",
    ],
  ]);
  refusalTests("admissionregistration.v1.ValidatingAdmissionPolicyBinding", [
    ["good", { spec: { policyName: "p", validationActions: ["Deny"] } }],
    ["nothing", {}, "spec.policyName: Required value", "spec.validationActions: Required value"],
  ]);
});
