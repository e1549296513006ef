import { describe, expect, test } from "vitest";
import { refusals, refusalTests, updateRefusalTests } from "./refusal.testbed.ts";

const configKey =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const fixed = "field is immutable when `immutable` is set";
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe("config maps and secrets", () => {
  refusalTests("core.v1.ConfigMap", [
    ["good", { data: { "a.B_c-1": "x" }, binaryData: { b: "eA==" } }],
    ["key", { data: { "a b": "x" } }, `data[a b]: Invalid value: "a b": ${configKey}`],
    ["dots", { data: { "..": "x" } }, `data[..]: Invalid value: "..": must not be '..'`],
    [
      "one key twice",
      { data: { a: "x" }, binaryData: { a: "eA==" } },
      'data[a]: Invalid value: "a": duplicate of key present in binaryData',
    ],
    [
      "too much",
      { data: { a: "é".repeat(524_289) } },
      ": Too long: may not be more than 1048576 bytes",
    ],
    ["just enough", { data: { a: "é".repeat(524_288) } }],
  ]);
  updateRefusalTests("core.v1.ConfigMap", [
    ["mutable", { data: { a: "x" } }, { data: { a: "y" } }],
    ["to immutable", { data: { a: "x" } }, { data: { a: "x" }, immutable: true }],
    [
      "immutable",
      { immutable: true, data: { a: "x" } },
      { data: { a: "y" }, binaryData: { b: "eA==" } },
      `immutable: Forbidden: ${fixed}`,
      `data: Forbidden: ${fixed}`,
      `binaryData: Forbidden: ${fixed}`,
    ],
    [
      "immutable, labels",
      { immutable: true, data: { a: "x" } },
      { immutable: true, data: { a: "x" }, metadata: { labels: { a: "b" } } },
    ],
  ]);
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  refusalTests("core.v1.Secret", [
    ["good", { data: { a: "eA==" } }],
    ["folded", { stringData: { a: "x" } }],
    [
      "TLS",
      { type: "kubernetes.io/tls" },
      "data[tls.crt]: Required value",
      "data[tls.key]: Required value",
    ],
    [
      "docker config",
      { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "nope" } },
      `data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": invalid character 'n' looking for beginning of value`,
    ],
    [
      "docker config, good",
      { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": base64("{}") } },
    ],
    ["no docker config", { type: "kubernetes.io/dockercfg" }, "data[.dockercfg]: Required value"],
    [
      "token",
      { type: "kubernetes.io/service-account-token" },
      "metadata.annotations[kubernetes.io/service-account.name]: Required value",
    ],
    [
      "basic auth",
      { type: "kubernetes.io/basic-auth" },
      "data[username]: Required value",
      "data[password]: Required value",
    ],
    ["ssh", { type: "kubernetes.io/ssh-auth" }, "data[ssh-privatekey]: Required value"],
    [
      "too much",
      { data: { a: base64("x".repeat(1_048_577)) } },
      "data: Too long: may not be more than 1048576 bytes",
    ],
  ]);
  updateRefusalTests("core.v1.Secret", [
    ["another type", { type: "a" }, { type: "b" }, 'type: Invalid value: "b": field is immutable'],
    [
      "immutable",
      { immutable: true, data: { a: "eA==" } },
      { immutable: true },
      `data: Forbidden: ${fixed}`,
    ],
  ]);
});

describe("namespaces and nodes", () => {
  refusalTests("core.v1.Namespace", [
    ["good", { spec: { finalizers: ["kubernetes", "a.b/c"] } }],
    [
      "dots",
      { metadata: { name: "a.b" } },
      `metadata.name: Invalid value: "a.b": must not contain dots`,
    ],
    [
      "finalizer",
      { spec: { finalizers: ["mine"] } },
      'spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ],
  ]);
  updateRefusalTests(
    "core.v1.Namespace",
    [
      [
        "terminating without an end",
        {},
        { status: { phase: "Terminating" } },
        "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
      ],
    ],
    "status",
  );
  updateRefusalTests(
    "core.v1.Namespace",
    [
      ["emptied", { spec: { finalizers: ["kubernetes"] } }, { spec: {} }],
      [
        "bad",
        {},
        { spec: { finalizers: ["x"] } },
        'spec.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    "finalize",
  );
  refusalTests("core.v1.Node", [
    [
      "good",
      {
        spec: { taints: [{ key: "a", effect: "NoSchedule" }] },
        status: { capacity: { cpu: "2", pods: "110" } },
      },
    ],
    [
      "taints",
      {
        spec: {
          taints: [
            { key: "a", effect: "" },
            { key: "a", effect: "x" },
            { key: "b", effect: "NoExecute" },
            { key: "b", effect: "NoExecute" },
          ],
        },
      },
      "metadata.taints[0].effect: Required value",
      'metadata.taints[1].effect: Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'metadata.taints[3]: Duplicate value: {"key":"b","effect":"NoExecute"}: taints must be unique by key and effect pair',
    ],
  ]);
  updateRefusalTests("core.v1.Node", [
    ["a CIDR at last", {}, { spec: { podCIDR: "10.0.0.0/24", podCIDRs: ["10.0.0.0/24"] } }],
    [
      "another CIDR",
      { spec: { podCIDRs: ["10.0.0.0/24"], providerID: "a" } },
      { spec: { podCIDRs: ["10.0.1.0/24"], providerID: "b" } },
      'spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid',
      'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid',
    ],
  ]);
});

describe("endpoints, templates, controllers, bindings", () => {
  refusalTests("core.v1.Endpoints", [
    ["good", { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] }],
    [
      "bad",
      {
        subsets: [
          {},
          {
            addresses: [{ ip: "127.0.0.1" }, { ip: "x" }],
            ports: [{ port: 0, name: "A" }, { port: 1 }],
          },
        ],
      },
      "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
      'subsets[1].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
      'subsets[1].addresses[1].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[1].addresses[1].ip: Invalid value: "x": must be a valid IP address',
      `subsets[1].ports[0].name: Invalid value: "A": ${label}`,
      "subsets[1].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      "subsets[1].ports[1].name: Required value",
    ],
  ]);
  refusalTests("core.v1.PodTemplate", [
    ["empty", { template: { metadata: {}, spec: {} } }, "template.spec.containers: Required value"],
  ]);
  const template = (more: object) => ({
    metadata: { labels: { a: "b" } },
    spec: { containers: [{ name: "c", image: "i" }], ...more },
  });
  refusalTests("core.v1.ReplicationController", [
    ["good", { spec: { template: template({}) } }],
    ["nothing", {}, "spec.selector: Required value", "spec.template: Required value"],
    [
      "another selector",
      {
        spec: {
          replicas: -1,
          selector: { x: "y" },
          template: template({ restartPolicy: "Never" }),
        },
      },
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
  ]);
  refusalTests("core.v1.Binding", [
    ["good", { target: { kind: "Node", name: "n" } }],
    [
      "bad",
      { target: { kind: "Pod" } },
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
      "target.name: Required value",
    ],
  ]);
  test("a service account needs but a name", () => {
    expect(refusals("core.v1.ServiceAccount", {})).toEqual([]);
  });
});

describe("quotas and limits", () => {
  refusalTests("core.v1.ResourceQuota", [
    ["good", { spec: { hard: { pods: "5", "requests.cpu": "1", "count/jobs.batch": "2" } } }],
    [
      "bad",
      {
        spec: { hard: { gold: "1", pods: "1500m" }, scopes: ["BestEffort", "NotBestEffort", "x"] },
      },
      'spec.hard[gold]: Invalid value: "gold": must be a standard resource type or fully qualified',
      'spec.hard[gold]: Invalid value: "gold": must be a standard resource for quota',
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","x"]: unsupported scope',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","x"]: conflicting scopes',
    ],
    [
      "scope selector",
      {
        spec: {
          scopeSelector: {
            matchExpressions: [
              { scopeName: "PriorityClass", operator: "In" },
              { scopeName: "x", operator: "y" },
            ],
          },
        },
      },
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "x": unsupported scope',
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "y": not a valid selector operator',
    ],
  ]);
  updateRefusalTests("core.v1.ResourceQuota", [
    [
      "scopes",
      { spec: { scopes: ["BestEffort"] } },
      { spec: {} },
      "spec.scopes: Invalid value: null: field is immutable",
    ],
  ]);
  refusalTests("core.v1.LimitRange", [
    [
      "good",
      { spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { cpu: "100m" } }] } },
    ],
    [
      "order",
      {
        spec: {
          limits: [
            {
              type: "Container",
              max: { cpu: "1" },
              min: { cpu: "2" },
              default: { cpu: "1" },
              defaultRequest: { cpu: "2" },
            },
            { type: "Pod", default: { cpu: "1" } },
            { type: "PersistentVolumeClaim", max: { cpu: "1" } },
            { type: "x" },
            { type: "Pod", maxLimitRequestRatio: { cpu: "500m" } },
          ],
        },
      },
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1',
      'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
      "spec.limits[1].default: Forbidden: may not be specified when `type` is 'Pod'",
      "spec.limits[2].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
      'spec.limits[3].type: Invalid value: "x": must be a standard limit type or fully qualified',
      'spec.limits[4].type: Duplicate value: "Pod"',
      'spec.limits[4].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ],
  ]);
});
