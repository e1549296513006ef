import { describe, expect, it } from "vitest";
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { KubeObject } from "../../api/object.ts";
import type { UserInfo } from "../../api/user-info.ts";
import { admissionCall, refusalOf } from "../admission-call.testbed.ts";
import type { Authorizer } from "../authorization.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { nodeRestriction } from "./node-restriction.ts";

const node: UserInfo = { name: "system:node:n", uid: "", groups: ["system:nodes"], extra: {} };

const object = (kind: string, metadata: KubeObject["metadata"], rest: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata,
  ...rest,
});

const podOn = (nodeName: string, rest: object = {}): KubeObject =>
  object("Pod", { name: "p", namespace: "ns", uid: "u1" }, { spec: { nodeName, ...rest } });

const held = new HeldObjects()
  .put("nodes", object("Node", { name: "n", uid: "node-uid" }))
  .put(
    "pods",
    object(
      "Pod",
      { name: "mine", namespace: "ns", uid: "u1" },
      {
        spec: {
          nodeName: "n",
          volumes: [
            { name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
            { name: "c", csi: { driver: "d" } },
          ],
        },
      },
    ),
    object("Pod", { name: "foreign", namespace: "ns", uid: "u2" }, { spec: { nodeName: "o" } }),
  )
  .put(
    "csidrivers.storage.k8s.io",
    object("CSIDriver", { name: "d" }, { spec: { tokenRequests: [{ audience: "vault" }] } }),
  );

/** Grants the audience `granted`. */
const authorizer: Authorizer = {
  authorize: ({ verb, request }) =>
    Promise.resolve({
      allowed:
        verb === "request-serviceaccounts-token-audience" &&
        request.kind === "Resource" &&
        request.resource === "granted",
      reason: "",
    }),
};
const step = nodeRestriction(held, authorizer);

const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "node-uid", controller: true };
const mirrorOf = (spec: object, metadata: object = {}): KubeObject =>
  object(
    "Pod",
    {
      name: "m",
      namespace: "ns",
      annotations: { "kubernetes.io/config.mirror": "x" },
      ownerReferences: [owner],
      ...metadata,
    },
    { spec: { nodeName: "n", ...spec } },
  );

const nodeWith = (spec: object, metadata: object = {}): KubeObject =>
  object("Node", { name: "n", ...metadata }, { spec });

const tokenFor = (name: string, uid: string, audiences?: string[]): KubeObject =>
  object(
    "TokenRequest",
    {},
    {
      spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid }, audiences },
    },
  );

type Case = [
  what: string,
  operation: AdmissionAttributes["operation"],
  resource: string,
  object: KubeObject | undefined,
  rest: Partial<AdmissionAttributes>,
  /** "" for admitted. */
  why: string,
];

const cases: Case[] = [
  ["its own Node", "CREATE", "nodes", nodeWith({}), {}, ""],
  [
    "another Node",
    "CREATE",
    "nodes",
    object("Node", { name: "o" }),
    {},
    'node "n" is not allowed to modify node "o"',
  ],
  [
    "a label of Kubernetes",
    "CREATE",
    "nodes",
    nodeWith({}, { labels: { "kubernetes.io/os": "linux", "node-role.kubernetes.io/x": "" } }),
    {},
    'node "n" is not allowed to set the following labels: node-role.kubernetes.io/x',
  ],
  [
    "labels that it may set",
    "CREATE",
    "nodes",
    nodeWith(
      {},
      { labels: { "kubernetes.io/os": "linux", "kubelet.kubernetes.io/x": "", a: "b" } },
    ),
    {},
    "",
  ],
  [
    "a restricted label",
    "UPDATE",
    "nodes",
    nodeWith({}, { labels: { "node-restriction.kubernetes.io/x": "1" } }),
    { oldObject: nodeWith({}) },
    "is not allowed to modify labels: node-restriction.kubernetes.io/x",
  ],
  [
    "taints",
    "UPDATE",
    "nodes",
    nodeWith({ taints: [{ key: "k", effect: "NoSchedule" }] }),
    { oldObject: nodeWith({}) },
    'node "n" is not allowed to modify taints',
  ],
  [
    "owners",
    "UPDATE",
    "nodes",
    nodeWith({}, { ownerReferences: [owner] }),
    { oldObject: nodeWith({}) },
    'node "n" is not allowed to modify ownerReferences',
  ],
  [
    "the status of its pod",
    "UPDATE",
    "pods",
    podOn("n"),
    { subresource: "status", oldObject: podOn("n") },
    "",
  ],
  [
    "the status of another's pod",
    "UPDATE",
    "pods",
    podOn("o"),
    { subresource: "status", oldObject: podOn("o") },
    'node "n" can only update pod status for pods with spec.nodeName set to itself',
  ],
  [
    "labels beside the status",
    "UPDATE",
    "pods",
    object("Pod", { name: "p", namespace: "ns", labels: { a: "b" } }, { spec: { nodeName: "n" } }),
    { subresource: "status", oldObject: podOn("n") },
    'node "n" cannot update labels through pod status',
  ],
  ["its pod away", "DELETE", "pods", undefined, { name: "p", oldObject: podOn("n") }, ""],
  [
    "another's pod away",
    "DELETE",
    "pods",
    undefined,
    { name: "p", oldObject: podOn("o") },
    'node "n" can only delete pods with spec.nodeName set to itself',
  ],
  [
    "a pod's spec",
    "UPDATE",
    "pods",
    podOn("n"),
    { oldObject: podOn("n") },
    'unexpected operation "UPDATE", node "n" can only create and delete mirror pods',
  ],
  [
    "a pod's other subresource",
    "UPDATE",
    "pods",
    podOn("n"),
    { subresource: "resize" },
    "unexpected pod subresource \"resize\", only 'status' and 'eviction' are allowed",
  ],
  [
    "an eviction elsewhere",
    "CREATE",
    "pods",
    object("Eviction", { name: "foreign", namespace: "ns" }),
    { subresource: "eviction" },
    "node n can only evict pods with spec.nodeName set to itself",
  ],
  ["a mirror pod", "CREATE", "pods", mirrorOf({}), {}, ""],
  [
    "a plain pod",
    "CREATE",
    "pods",
    podOn("n"),
    {},
    'pod does not have "kubernetes.io/config.mirror" annotation, node "n" can only create mirror pods',
  ],
  [
    "a mirror pod elsewhere",
    "CREATE",
    "pods",
    mirrorOf({ nodeName: "o" }),
    {},
    'node "n" can only create pods with spec.nodeName set to itself',
  ],
  [
    "a mirror pod without owner",
    "CREATE",
    "pods",
    mirrorOf({}, { ownerReferences: [] }),
    {},
    'node "n" can only create pods with an owner reference set to itself',
  ],
  [
    "a mirror pod of an older Node",
    "CREATE",
    "pods",
    mirrorOf({}, { ownerReferences: [{ ...owner, uid: "old" }] }),
    {},
    "node n UID mismatch: expected old got node-uid",
  ],
  [
    "a mirror pod with a Secret",
    "CREATE",
    "pods",
    mirrorOf({ volumes: [{ name: "v", secret: { secretName: "s" } }] }),
    {},
    'node "n" can not create pods that reference secrets',
  ],
  [
    "another's Lease",
    "UPDATE",
    "leases.coordination.k8s.io",
    object("Lease", { name: "o", namespace: "kube-node-lease" }),
    {},
    "can only access node lease with the same name as the requesting node",
  ],
  [
    "its own Lease",
    "CREATE",
    "leases.coordination.k8s.io",
    object("Lease", { name: "n", namespace: "kube-node-lease" }),
    {},
    "",
  ],
  [
    "a claim",
    "UPDATE",
    "persistentvolumeclaims",
    object("PersistentVolumeClaim", { name: "c", namespace: "ns" }),
    {},
    "may only update PVC status",
  ],
  [
    "more than a claim's size",
    "UPDATE",
    "persistentvolumeclaims",
    object("PersistentVolumeClaim", { name: "c", namespace: "ns", labels: { a: "b" } }),
    {
      subresource: "status",
      oldObject: object("PersistentVolumeClaim", { name: "c", namespace: "ns" }),
    },
    'node "n" is not allowed to update fields other than status.capacity and status.conditions',
  ],
  [
    "a claim's size",
    "UPDATE",
    "persistentvolumeclaims",
    object(
      "PersistentVolumeClaim",
      { name: "c", namespace: "ns" },
      { status: { phase: "Bound", capacity: { storage: "2Gi" } } },
    ),
    {
      subresource: "status",
      oldObject: object(
        "PersistentVolumeClaim",
        { name: "c", namespace: "ns", resourceVersion: "1" },
        { status: { phase: "Bound" } },
      ),
    },
    "",
  ],
];

const token = (what: string, request: KubeObject, why: string): Case => [
  what,
  "CREATE",
  "serviceaccounts",
  request,
  { subresource: "token", name: "robot" },
  why,
];

const tokenCases: Case[] = [
  token("its pod", tokenFor("mine", "u1"), ""),
  token("its pod's driver", tokenFor("mine", "u1", ["vault"]), ""),
  token("an audience that it was granted", tokenFor("mine", "u1", ["granted"]), ""),
  token(
    "another audience",
    tokenFor("mine", "u1", ["other"]),
    'audience "other" not found in pod spec volume, system:node:n is not authorized to request tokens for this audience',
  ),
  token(
    "two audiences",
    tokenFor("mine", "u1", ["a", "b"]),
    "node may only request 0 or 1 audiences",
  ),
  token(
    "no pod",
    object("TokenRequest", {}, { spec: {} }),
    "node requested token not bound to a pod",
  ),
  token(
    "a pod without a uid",
    tokenFor("mine", ""),
    "node requested token with a pod binding without a uid",
  ),
  token(
    "an older pod",
    tokenFor("mine", "old"),
    "the UID in the bound object reference (old) does not match the UID in record. The object might have been deleted and then recreated",
  ),
  token(
    "another's pod",
    tokenFor("foreign", "u2"),
    "node requested token bound to a pod scheduled on a different node",
  ),
];

async function whyRefused([, operation, resource, sent, rest]: Case): Promise<string> {
  const call = admissionCall(operation, resource, sent, { user: node, ...rest });
  const refused = await refusalOf(step, call);
  if (refused === undefined) return "";
  expect(refused.code).toBe(403);
  return refused.message.replace(/^.*? is forbidden: /, "");
}

describe("NodeRestriction", () => {
  it.each(cases)("a node writing %s", async (...one) => {
    expect(await whyRefused(one)).toBe(one[5]);
  });

  it.each(tokenCases)("a node asking for a token for %s", async (...one) => {
    expect(await whyRefused(one)).toBe(one[5]);
  });

  it("does not concern others", async () => {
    const call = admissionCall("CREATE", "nodes", object("Node", { name: "o" }));
    expect(await refusalOf(step, call)).toBeUndefined();
  });

  it("refuses a node without a name", async () => {
    const user = { ...node, name: "system:node:" };
    const call = admissionCall("CREATE", "nodes", object("Node", { name: "o" }), { user });
    expect((await refusalOf(step, call))?.message).toBe(
      'nodes "o" is forbidden: could not determine node from user "system:node:"',
    );
  });
});
