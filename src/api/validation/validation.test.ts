import { describe, expect, test } from "vitest";
import { schema } from "../schema/schema.ts";
import { describeDifference } from "./difference.ts";
import {
  objectOf,
  refusals,
  refusalTests,
  resourceOf,
  updateRefusals,
  updateRefusalTests,
} from "./refusal.testbed.ts";
import { dns1035Label, dns1123Subdomain } from "./names.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { validateUpdate } from "./validation.ts";

describe("every kind", () => {
  const stored = schema.resources.filter((resource) => resource.verbs.includes("get"));
  const saysNothing = [{}, { spec: {} }, { spec: {}, status: {} }];
  test.each(stored.map((resource) => resource.type))(
    "%s needs a name and survives emptiness",
    (typeId) => {
      for (const fields of saysNothing) {
        // Fields that the decoder always fills may be missed here; what must not happen is a type error elsewhere.
        expect(() => objectOf(typeId, fields)).not.toThrow();
      }
      const { namespaced } = resourceOf(typeId);
      const metadata = namespaced ? { name: "", namespace: "ns" } : { name: "" };
      const object = { ...minimal(typeId), metadata };
      expect(refusals(typeId, object)).toContain(
        "metadata.name: Required value: name or generateName is required",
      );
    },
  );
  test.each(stored.map((resource) => resource.type))("%s keeps its uid", (typeId) => {
    const complaints = updateRefusals(typeId, [
      { ...minimal(typeId), metadata: { uid: "a" } },
      { ...minimal(typeId), metadata: { uid: "b" } },
    ]);
    expect(complaints[0]).toBe('metadata.uid: Invalid value: "b": field is immutable');
  });
  test("reviews need no name", () => {
    expect(
      refusals("authorization.v1.SelfSubjectAccessReview", { metadata: { name: "" } }),
    ).toEqual([]);
  });
});

/** Fields that are never absent once an object was decoded. */
function minimal(typeId: string): object {
  const fields: Record<string, object> = {
    "certificates.v1.CertificateSigningRequest": { spec: { request: "", signerName: "" } },
    "rbac.v1.RoleBinding": { roleRef: { apiGroup: "", kind: "", name: "" } },
    "rbac.v1.ClusterRoleBinding": { roleRef: { apiGroup: "", kind: "", name: "" } },
    "node.v1.RuntimeClass": { handler: "" },
    "storage.v1.CSIStorageCapacity": { storageClassName: "" },
  };
  return fields[typeId] ?? {};
}

describe("scale", () => {
  test.each([
    [3, []],
    [-1, ["spec.replicas"]],
  ])("to %d", (replicas, fields) => {
    const scale = { kind: "Scale", metadata: { name: "x" }, spec: { replicas } };
    const old = objectOf("apps.v1.Deployment", {});
    const errors = validateUpdate(resourceOf("apps.v1.Deployment"), scale, old, "scale");
    expect(errors.map((error) => error.field)).toEqual(fields);
  });
});

describe("storage and classes", () => {
  refusalTests("storage.v1.StorageClass", [
    ["good", { provisioner: "a.b/c" }],
    ["none", { provisioner: "" }, "provisioner: Required value"],
    [
      "bad",
      { provisioner: "a", reclaimPolicy: "Recycle", volumeBindingMode: "x" },
      'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
      'volumeBindingMode: Unsupported value: "x": supported values: "Immediate", "WaitForFirstConsumer"',
    ],
  ]);
  updateRefusalTests("storage.v1.StorageClass", [
    ["expansion", { provisioner: "a" }, { provisioner: "a", allowVolumeExpansion: true }],
    [
      "the rest",
      { provisioner: "a" },
      {
        provisioner: "b",
        parameters: { a: "b" },
        reclaimPolicy: "Retain",
        volumeBindingMode: "WaitForFirstConsumer",
      },
      'parameters: Invalid value: {"a":"b"}: field is immutable',
      'provisioner: Invalid value: "b": field is immutable',
      'reclaimPolicy: Invalid value: "Retain": field is immutable',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  ]);
  refusalTests("scheduling.v1.PriorityClass", [
    ["good", { value: 1_000_000_000 }],
    [
      "too high",
      { value: 1_000_000_001 },
      "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
    ],
    ["system's own", { metadata: { name: "system-node-critical" }, value: 2_000_001_000 }],
    [
      "not the system's",
      { metadata: { name: "system-x" }, value: 1 },
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class",
    ],
  ]);
  updateRefusalTests("scheduling.v1.PriorityClass", [
    ["value", { value: 1 }, { value: 2 }, "value: Forbidden: may not be changed in an update."],
    [
      "preemption",
      { value: 1 },
      { value: 1, preemptionPolicy: "Never" },
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ],
  ]);
  updateRefusalTests("node.v1.RuntimeClass", [
    [
      "handler",
      { handler: "a" },
      { handler: "b" },
      'handler: Invalid value: "b": field is immutable',
    ],
  ]);
  refusalTests("storage.v1.VolumeAttachment", [
    ["good", { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } }],
    [
      "bad",
      { spec: { attacher: "", nodeName: "", source: {} } },
      "spec.attacher: Required value",
      "spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName",
      `spec.nodeName: Invalid value: "": ${dns1123Subdomain("")[0]}`,
    ],
  ]);
  refusalTests("storage.v1.CSINode", [
    [
      "twice",
      {
        spec: {
          drivers: [
            { name: "a", nodeID: "n" },
            { name: "a", nodeID: "" },
          ],
        },
      },
      "spec.drivers[1].nodeID: Required value",
      'spec.drivers[1].name: Duplicate value: "a"',
    ],
  ]);
});

describe("leases, events, requests", () => {
  refusalTests("coordination.v1.Lease", [
    ["good", { spec: { holderIdentity: "h", leaseDurationSeconds: 15, leaseTransitions: 0 } }],
    [
      "bad",
      { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
      "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
    ],
  ]);
  const involvedObject = { namespace: "ns", kind: "Pod", name: "p" };
  refusalTests("core.v1.Event", [
    ["good", { involvedObject }],
    [
      "elsewhere",
      { involvedObject: { namespace: "other" } },
      'involvedObject.namespace: Invalid value: "other": does not match event.namespace',
    ],
    [
      "of a node, but not in default",
      { involvedObject: { kind: "Node", name: "n" } },
      'involvedObject.namespace: Invalid value: "": does not match event.namespace',
    ],
    ["of a node", { metadata: { namespace: "default" }, involvedObject: { kind: "Node" } }],
    [
      "told the new way",
      { involvedObject, eventTime: "2024-01-01T00:00:00.000000Z", reportingComponent: "" },
      "reportingComponent: Required value",
      "reportingInstance: Required value",
      "action: Required value",
      "reason: Required value",
    ],
  ]);
  refusalTests("events.v1.Event", [
    [
      "bad",
      { regarding: { namespace: "ns" }, type: "x", note: "n".repeat(1025) },
      "eventTime: Required value",
      'type: Invalid value: "": has invalid value: x',
      "reportingController: Required value",
      "reportingInstance: Required value",
      "action: Required value",
      "reason: Required value",
      'note: Invalid value: "": can have at most 1024 characters',
    ],
  ]);
  const pem = Buffer.from(
    "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n",
  ).toString("base64");
  refusalTests("certificates.v1.CertificateSigningRequest", [
    ["good", { spec: { request: pem, signerName: "a.b/c", usages: ["client auth"] } }],
    [
      "bad",
      { spec: { request: "", signerName: "x", usages: ["x"], expirationSeconds: 1 } },
      'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST',
      `spec.usages[0]: Unsupported value: "x": supported values: "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel", "ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime", "server auth", "signing", "timestamping"`,
      "spec.signerName: Invalid value: \"x\": must be a fully qualified domain and path of the form 'example.com/signer-name'",
      "spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 600 seconds (10 minutes)",
    ],
  ]);
});

describe("extensions", () => {
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object" } },
  };
  const crd = (more: object, names: object = {}): object => ({
    metadata: { name: "foos.a.b" },
    status: { storedVersions: ["v1"] },
    spec: {
      group: "a.b",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo", ...names },
      versions: [version],
      ...more,
    },
  });
  refusalTests("apiextensions.v1.CustomResourceDefinition", [
    ["good", crd({})],
    [
      "name",
      { ...crd({}), metadata: { name: "x" } },
      'metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group',
    ],
    [
      "name in no form",
      { ...crd({}), metadata: { name: "Bad Value!" } },
      `metadata.name: Invalid value: "Bad Value!": ${dns1123Subdomain("Bad Value!")[0]}`,
      'metadata.name: Invalid value: "Bad Value!": must be spec.names.plural+"."+spec.group',
    ],
    [
      "no versions",
      { ...crd({ versions: [] }), status: {} },
      "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ],
    [
      "a stored version that is gone",
      { ...crd({}), status: { storedVersions: ["v0", "v1"] } },
      'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ],
    [
      "group",
      { ...crd({ group: "a" }), metadata: { name: "foos.a" } },
      'spec.group: Invalid value: "a": should be a domain with at least one dot',
    ],
    [
      "scope",
      crd({ scope: "x" }),
      'spec.scope: Unsupported value: "x": supported values: "Cluster", "Namespaced"',
    ],
    [
      "schema",
      crd({ versions: [{ name: "v1", served: true, storage: true }] }),
      "spec.versions[0].schema.openAPIV3Schema: Required value",
    ],
    [
      "no storage",
      crd({ versions: [{ ...version, storage: false }] }),
      'spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
    ],
    [
      "kinds",
      crd({}, { listKind: "Foo" }),
      'spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same',
    ],
    [
      "unknown fields",
      crd({ preserveUnknownFields: true }),
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ],
  ]);
  const established = [{ type: "Established", status: "True" }];
  const lived = { storedVersions: ["v1"], conditions: established };
  updateRefusalTests("apiextensions.v1.CustomResourceDefinition", [
    [
      "what an established one keeps",
      { ...crd({}), status: lived },
      { ...crd({ scope: "other" }, { kind: "Other" }), status: lived },
      'spec.scope: Unsupported value: "other": supported values: "Cluster", "Namespaced"',
      'spec.scope: Invalid value: "other": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
    ],
  ]);
  const service = (more: object): object => ({
    metadata: { name: "v1.a.b" },
    spec: { group: "a.b", version: "v1", groupPriorityMinimum: 1, versionPriority: 1, ...more },
  });
  refusalTests("apiregistration.v1.APIService", [
    ["good", service({})],
    [
      "name",
      { ...service({}), metadata: { name: "x" } },
      'metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.a.b"',
    ],
    [
      "no name of its own for the group",
      { metadata: { name: "fuzz" }, spec: { groupPriorityMinimum: 0, versionPriority: 0 } },
      'metadata.name: Invalid value: "fuzz": must be `spec.version+"."+spec.group`: "."',
      "spec.group: Required value: only v1 may have an empty group and it better be legacy kube",
      `spec.version: Invalid value: "": ${dns1035Label("")[0]}`,
      "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
      "spec.versionPriority: Invalid value: 0: must be positive and less than 1000",
    ],
    ["legacy", { ...service({ group: "" }), metadata: { name: "v1." } }],
    [
      "priorities and trust",
      service({ groupPriorityMinimum: 0, versionPriority: 1001, insecureSkipTLSVerify: true }),
      "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
      "spec.versionPriority: Invalid value: 1001: must be positive and less than 1000",
      "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
    ],
  ]);
  updateRefusalTests("apiregistration.v1.APIService", [
    [
      "another group",
      service({}),
      service({ group: "other" }),
      'metadata.name: Invalid value: "v1.a.b": must be `spec.version+"."+spec.group`: "v1.other"',
    ],
  ]);
});

describe("devices", () => {
  const claim = (...requests: object[]): object => ({ spec: { devices: { requests } } });
  refusalTests("resource.v1.ResourceClaim", [
    ["good", claim({ name: "r", exactly: { deviceClassName: "c" } })],
    [
      "bad",
      claim({ name: "r" }, { name: "r", exactly: { deviceClassName: "", allocationMode: "x" } }),
      "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
      'spec.devices.requests[1].name: Duplicate value: "r"',
      "spec.devices.requests[1].exactly.deviceClassName: Required value",
      'spec.devices.requests[1].exactly.allocationMode: Unsupported value: "x": supported values: "All", "ExactCount"',
    ],
  ]);
  refusalTests("resource.v1.ResourceSlice", [
    [
      "good",
      {
        spec: {
          driver: "a.b",
          pool: { name: "p", generation: 1, resourceSliceCount: 1 },
          nodeName: "n",
          devices: [{ name: "d" }],
        },
      },
    ],
    [
      "nowhere",
      { spec: { driver: "", pool: { name: "p", resourceSliceCount: 0 } } },
      "spec.driver: Required value",
      "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
      "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required",
    ],
  ]);
});

describe("equality and difference", () => {
  test.each([
    [undefined, null, true],
    [undefined, {}, true],
    [[], undefined, true],
    [{ a: undefined }, {}, true],
    [{ a: {} }, { b: [] }, true],
    [{ a: 0 }, {}, false],
    [{ a: "" }, {}, false],
    [[1], [1, 2], false],
    [[1], { 0: 1 }, false],
    [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, true],
    [10n, 10n, true],
    [10n, 11n, false],
  ])("%o and %o", (a, b, want) => {
    expect(semanticallyEqual(a, b)).toBe(want);
    expect(semanticallyEqual(b, a)).toBe(want);
  });
  test("a difference is shown line by line, within bounds", () => {
    expect(describeDifference({ a: [{ b: 1 }], c: 2 }, { a: [{ b: 3 }], d: 4 })).toBe(
      "- a[0].b: 1\n+ a[0].b: 3\n- c: 2\n+ d: 4",
    );
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i]));
    expect(describeDifference({}, many).split("\n")).toHaveLength(20);
  });
});

describe("keys that objects inherit", () => {
  test("are keys like any other", () => {
    const data = JSON.parse('{"constructor":"a","__proto__":"b"}') as object;
    expect(refusals("core.v1.ConfigMap", { data, binaryData: { x: "eA==" } })).toEqual([]);
    expect(Object.entries(objectOf("core.v1.Secret", { stringData: data })["data"] ?? {})).toEqual([
      ["constructor", "YQ=="],
      ["__proto__", "Yg=="],
    ]);
    expect(semanticallyEqual({}, { toString: "a" })).toBe(false);
    expect(semanticallyEqual({ toString: "a" }, {})).toBe(false);
    const template = { metadata: {}, spec: { containers: [{ name: "c", image: "i" }] } };
    const selector = { matchExpressions: [{ key: "toString", operator: "Exists" }] };
    expect(refusals("apps.v1.ReplicaSet", { spec: { selector, template } })).toEqual([
      "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
    ]);
  });
});

test.each([
  ["core.v1.ConfigMap", true],
  ["events.v1.Event", true],
  ["core.v1.Event", false],
  ["coordination.v1.Lease", false],
  ["policy.v1.PodDisruptionBudget", false],
  ["admissionregistration.v1.ValidatingWebhookConfiguration", false],
])("finalizers of a %s need a domain: %s", (typeId, isNeeded) => {
  const marked = { metadata: { finalizers: ["mine", "a.b/c", "orphan"] } };
  const complaint =
    'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified';
  expect(refusals(typeId, marked).includes(complaint)).toBe(isNeeded);
  expect(updateRefusals(typeId, [{}, marked]).includes(complaint)).toBe(isNeeded);
});
