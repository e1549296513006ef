import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import type { UserInfo } from "../../api/user-info.ts";
import type { AuthorizationAttributes } from "../authorization.ts";
import { nodeRules } from "../bootstrap/component-roles.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { createNodeAuthorizer, nodeOf } from "./node-authorizer.ts";
import { NodeRelations, type PodOnNode, referencesText } from "./node-relations.ts";

const user = (name: string, groups = ["system:nodes", "system:authenticated"]): UserInfo => ({
  name,
  uid: "",
  groups,
  extra: {},
});
const node = user("system:node:n");

const pod = (name: string, spec: object, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "a", annotations },
  spec,
});

const mirror = { "kubernetes.io/config.mirror": "x" };
const pods: readonly KubeObject[] = [
  pod("p", {
    serviceAccountName: "robot",
    imagePullSecrets: [{ name: "pull" }],
    volumes: [
      { name: "v", secret: { secretName: "mounted" } },
      { name: "c", configMap: { name: "settings" } },
      { name: "d", persistentVolumeClaim: { claimName: "claim" } },
    ],
    containers: [],
    resourceClaims: [
      { name: "gpu", resourceClaimName: "gpus" },
      { name: "made", resourceClaimTemplateName: "t" },
    ],
  }),
  pod("m", { volumes: [{ name: "v", secret: { secretName: "wished" } }], containers: [] }, mirror),
];
pods[0]!["status"] = { resourceClaimStatuses: [{ name: "made", resourceClaimName: "made-1" }] };

const onNode: readonly PodOnNode[] = pods.map((one) => ({
  namespace: "a",
  name: one.metadata.name ?? "",
  references: referencesText(one),
}));

const object = (kind: string, name: string, spec: object): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace: kind === "PersistentVolumeClaim" ? "a" : "" },
  spec,
});

const held = new HeldObjects()
  .put("persistentvolumeclaims", object("PersistentVolumeClaim", "claim", { volumeName: "disk" }))
  .put(
    "persistentvolumes",
    object("PersistentVolume", "disk", {
      claimRef: { namespace: "a", name: "claim" },
      csi: {
        driver: "d",
        nodePublishSecretRef: { namespace: "vault", name: "key" },
        controllerPublishSecretRef: { namespace: "vault", name: "controller-key" },
      },
    }),
    object("PersistentVolume", "other", { claimRef: { namespace: "a", name: "foreign" } }),
  )
  .put(
    "volumeattachments.storage.k8s.io",
    object("VolumeAttachment", "here", { nodeName: "n" }),
    object("VolumeAttachment", "there", { nodeName: "o" }),
  )
  .put("resourceslices.resource.k8s.io", object("ResourceSlice", "here", { nodeName: "n" }));

const relations = new NodeRelations(held, { onNode: (name) => (name === "n" ? onNode : []) });
const authorizer = createNodeAuthorizer(relations, nodeRules);

/** `verb resource[/subresource] [namespace/]name ?selector` */
async function ask(text: string, who = node): Promise<string> {
  const [verb = "", what = "", where = "", fieldSelector] = text.split(" ");
  const [qualified = "", subresource = ""] = what.split("/");
  const dot = qualified.indexOf(".");
  const [namespace = "", name = ""] = where.includes("/") ? where.split("/") : ["", where];
  const attributes: AuthorizationAttributes = {
    user: who,
    verb,
    request: {
      kind: "Resource",
      group: dot < 0 ? "" : qualified.slice(dot + 1),
      version: "v1",
      resource: dot < 0 ? qualified : qualified.slice(0, dot),
      subresource,
      namespace,
      name,
      fieldSelector,
    },
  };
  const { allowed, reason } = await authorizer.authorize(attributes);
  return allowed ? "yes" : reason || "no opinion";
}

const unrelated = "no relationship found between node 'n' and this object";

describe("the node authorizer", () => {
  it.each([
    // Secrets and ConfigMaps of its pods, by name only.
    ["get secrets a/mounted", "yes"],
    ["list secrets a/mounted", "yes"],
    ["watch secrets a/pull", "yes"],
    ["get secrets b/mounted", unrelated],
    ["get secrets a/foreign", unrelated],
    ["get secrets a/wished", unrelated],
    ["get secrets vault/key", "yes"],
    ["get secrets vault/controller-key", unrelated],
    ["list secrets a/", "No Object name found"],
    ["list secrets ", "can only read namespaced object of this type"],
    ["update secrets a/mounted", "can only read resources of this type"],
    ["get secrets/x a/mounted", "cannot read subresource"],
    ["get configmaps a/settings", "yes"],
    ["get configmaps a/mounted", unrelated],
    // Claims and volumes.
    ["get persistentvolumeclaims a/claim", "yes"],
    ["get persistentvolumeclaims a/foreign", unrelated],
    ["list persistentvolumeclaims a/claim", "can only get individual resources of this type"],
    ["patch persistentvolumeclaims/status a/claim", "yes"],
    ["get persistentvolumeclaims/status a/claim", "can only get/update/patch this type"],
    ["get persistentvolumes disk", "yes"],
    ["get persistentvolumes other", unrelated],
    ["get persistentvolumes gone", unrelated],
    ["get volumeattachments.storage.k8s.io here", "yes"],
    ["get volumeattachments.storage.k8s.io there", unrelated],
    ["get resourceclaims.resource.k8s.io a/gpus", "yes"],
    ["get resourceclaims.resource.k8s.io a/made-1", "yes"],
    ["get resourceclaims.resource.k8s.io a/other", unrelated],
    // Tokens.
    ["create serviceaccounts/token a/robot", "yes"],
    ["create serviceaccounts/token a/other", unrelated],
    ["create serviceaccounts a/robot", "can only create token subresource of serviceaccount"],
    ["get serviceaccounts a/robot", "can only create tokens for individual service accounts"],
    // Its own Lease, CSINode, slices.
    ["update leases.coordination.k8s.io kube-node-lease/n", "yes"],
    ["create leases.coordination.k8s.io kube-node-lease/", "yes"],
    [
      "get leases.coordination.k8s.io kube-node-lease/o",
      "can only access node lease with the same name as the requesting node",
    ],
    [
      "get leases.coordination.k8s.io kube-system/n",
      'can only access leases in the "kube-node-lease" system namespace',
    ],
    [
      "list leases.coordination.k8s.io kube-node-lease/",
      "can only get, create, update, patch, or delete a node lease",
    ],
    ["patch csinodes.storage.k8s.io n", "yes"],
    [
      "patch csinodes.storage.k8s.io o",
      "can only access CSINode with the same name as the requesting node",
    ],
    ["update resourceslices.resource.k8s.io here", "yes"],
    ["list resourceslices.resource.k8s.io / nodeName=n", "yes"],
    [
      "list resourceslices.resource.k8s.io /",
      "can only list/watch/deletecollection resourceslices with nodeName field selector",
    ],
    // Nodes and pods.
    ["get nodes n", "yes"],
    ["get nodes o", "node 'n' cannot read 'o', only its own Node object"],
    ["list nodes ", "node 'n' cannot read all nodes, only its own Node object"],
    ["patch nodes/status o", "yes"],
    ["delete nodes n", "no opinion"],
    ["get pods a/p", "yes"],
    ["get pods a/q", unrelated],
    ["list pods / spec.nodeName=n", "yes"],
    ["watch pods / spec.nodeName=n,status.phase=Running", "yes"],
    ["list pods / spec.nodeName=o", "can only list/watch pods with spec.nodeName field selector"],
    ["list pods / spec.nodeName!=n", "can only list/watch pods with spec.nodeName field selector"],
    ["list pods / spec.nodeName", "can only list/watch pods with spec.nodeName field selector"],
    ["list pods a/p", "yes"],
    ["patch pods/status a/q", "yes"],
    ["create pods/exec a/p", "no opinion"],
    // What is not told apart.
    ["create events a/", "yes"],
    ["list services ", "yes"],
    ["list deployments.apps ", "no opinion"],
  ])("%s: %s", async (text, answer) => {
    expect(await ask(text)).toBe(answer);
  });

  it("knows nothing of others", async () => {
    expect(await ask("get secrets a/mounted", user("robot"))).toBe("no opinion");
    expect(await ask("get secrets a/mounted", user("system:node:n", []))).toBe("no opinion");
    expect(await ask("get secrets a/mounted", user("system:node:o"))).toBe(
      "no relationship found between node 'o' and this object",
    );
    expect(await ask("get secrets a/mounted", user("system:node:"))).toBe(
      'unknown node for user "system:node:"',
    );
    expect(nodeOf(node)).toBe("n");
  });
});
