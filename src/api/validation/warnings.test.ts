import { expect, test } from "vitest";
import type { KubeObject } from "../object.ts";
import { objectOf, resourceOf } from "./refusal.testbed.ts";
import { deprecationWarning, warningsFor } from "./warnings.ts";

const container = { name: "c", image: "i" };
const pod = (spec: object, metadata: object = {}): object => ({
  metadata,
  spec: { containers: [container], ...spec },
});
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";

test.each<[string, string, object, string[]]>([
  ["nothing to say", "core.v1.Pod", pod({}), []],
  [
    "node labels",
    "core.v1.Pod",
    pod({
      nodeSelector: { "beta.kubernetes.io/os": "linux" },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: "failure-domain.beta.kubernetes.io/zone", operator: "Exists" },
                ],
              },
            ],
          },
        },
      },
    }),
    [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ],
  ],
  [
    "containers",
    "core.v1.Pod",
    pod({
      containers: [
        {
          ...container,
          env: [{ name: "A" }, { name: "A" }],
          ports: [{ containerPort: 1 }, { containerPort: 1 }],
          resources: { limits: { memory: "100m" } },
        },
      ],
      imagePullSecrets: [{}],
      volumes: [
        { name: "v", gitRepo: { repository: "r" } },
        { name: "all", projected: { sources: [{}] } },
      ],
    }),
    [
      "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
      'volume "all" (Projected) has no sources provided',
      'spec.imagePullSecrets[0].name: invalid empty name ""',
      'spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
      "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
    ],
  ],
  [
    "selectors that match nothing",
    "core.v1.Pod",
    pod({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "t", whenUnsatisfiable: "DoNotSchedule" },
      ],
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "t" }],
        },
      },
    }),
    [
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod",
      "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
    ],
  ],
  [
    "annotations",
    "core.v1.Pod",
    pod(
      {},
      {
        annotations: {
          "seccomp.security.alpha.kubernetes.io/pod": "x",
          "container.apparmor.security.beta.kubernetes.io/c": "y",
        },
      },
    ),
    [
      'metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ],
  ],
  [
    "a template",
    "apps.v1.Deployment",
    { spec: { template: pod({ nodeSelector: { "beta.kubernetes.io/arch": "x" } }) } },
    [
      'spec.template.spec.nodeSelector[beta.kubernetes.io/arch]: deprecated since v1.14; use "kubernetes.io/arch" instead',
    ],
  ],
  [
    "a cron job's template",
    "batch.v1.CronJob",
    {
      spec: {
        schedule: "@daily",
        jobTemplate: { spec: { template: pod({ terminationGracePeriodSeconds: -1 }) } },
      },
    },
    [
      "spec.jobTemplate.spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
    ],
  ],
  [
    "a name with dots",
    "core.v1.Pod",
    pod({}, { name: "a.b" }),
    [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
  ],
  [
    "finalizers and owners",
    "core.v1.ConfigMap",
    {
      metadata: {
        finalizers: ["mine", "a.b/c"],
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" },
          { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" },
        ],
      },
    },
    [
      ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: [u]",
      'metadata.finalizers: "mine": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
    ],
  ],
  [
    "a claim",
    "core.v1.PersistentVolumeClaim",
    { spec: { resources: { requests: { storage: "100m" } } } },
    [
      'spec.resources.requests[storage]: fractional byte value "100m" is invalid, must be an integer',
    ],
  ],
  [
    "a headless service",
    "core.v1.Service",
    { spec: { clusterIP: "None", sessionAffinity: "ClientIP" } },
    ["spec.SessionAffinity is ignored for headless services"],
  ],
])("%s", (_, typeId, fields, want) => {
  expect(warningsFor(resourceOf(typeId), objectOf(typeId, fields))).toEqual(want);
});

test("what did not change is not repeated", () => {
  const resource = resourceOf("core.v1.Pod");
  const old = objectOf("core.v1.Pod", pod({ imagePullSecrets: [{}] }, { name: "a.b" }));
  expect(warningsFor(resource, structuredClone(old), old)).toEqual([]);
  const changed = objectOf("core.v1.Pod", pod({ imagePullSecrets: [{}], priorityClassName: "p" }));
  expect(warningsFor(resource, changed, old)).toHaveLength(1);
});

test("tokens of a CSI driver that end up in logs", () => {
  const resource = resourceOf("storage.v1.CSIDriver");
  const driver = (spec: object): KubeObject => objectOf("storage.v1.CSIDriver", { spec });
  const unset = driver({ tokenRequests: [{ audience: "a" }] });
  const warning =
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";
  expect(warningsFor(resource, unset)).toEqual([warning]);
  expect(warningsFor(resource, unset, structuredClone(unset))).toEqual([]);
  expect(warningsFor(resource, unset, driver({}))).toEqual([warning]);
  const set = { tokenRequests: [{ audience: "a" }], serviceAccountTokenInSecrets: false };
  expect(warningsFor(resource, driver(set))).toEqual([]);
});

test("a name that is no label is quoted with the rule", () => {
  const job = objectOf("batch.v1.Job", { metadata: { name: "-" } });
  expect(warningsFor(resourceOf("batch.v1.Job"), job)[0]).toContain(
    `Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${label}`,
  );
});

test("reads of deprecated kinds are warned of too", () => {
  expect(deprecationWarning(resourceOf("core.v1.Endpoints"))).toBe(
    "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  );
  expect(deprecationWarning(resourceOf("core.v1.ComponentStatus"))).toBe(
    "v1 ComponentStatus is deprecated in v1.19+",
  );
  expect(deprecationWarning(resourceOf("core.v1.Pod"))).toBeUndefined();
});
