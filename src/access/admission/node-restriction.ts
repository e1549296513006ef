// Admission NodeRestriction: a kubelet writes its own Node, Lease and CSINode, the status of its own pods, mirror pods of
// its own, and tokens for its own pods; nothing of other nodes (upstream: plugin/pkg/admission/noderestriction).
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import { qualified } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { NodeSpec } from "../../api/types/core-v1.ts";
import { equalJson } from "../../std/json.ts";
import type { Authorizer } from "../authorization.ts";
import { nodeOf } from "../authorization/node-authorizer.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { AdmissionStep } from "./chain.ts";
import type { NodeCall } from "./node-call.ts";
import { changedLabels, isForbiddenToNodes } from "./node-labels.ts";
import { checkMirrorPod } from "./node-mirror-pod.ts";
import { checkNodeToken } from "./node-token.ts";
import { refuse } from "./refusal.ts";

/** `authorizer` decides which audiences a node may ask tokens for beyond those of its pods. */
export function nodeRestriction(reader: ObjectReader, authorizer: Authorizer): AdmissionStep {
  return (attributes) => {
    const node = nodeOf(attributes.user);
    if (node === undefined || attributes.operation === "CONNECT") return;
    if (node === "") {
      const who = JSON.stringify(attributes.user.name);
      throw refuse(attributes, `could not determine node from user ${who}`);
    }
    const { group, resource } = attributes.resource;
    return checks[qualified(group, resource)]?.({ node, attributes, reader, authorizer });
  };
}

const checks: Readonly<Record<string, (call: NodeCall) => void | Promise<void>>> = {
  pods: checkPod,
  nodes: checkNode,
  persistentvolumeclaims: checkClaim,
  serviceaccounts: checkNodeToken,
  "leases.coordination.k8s.io": checkLease,
  "csinodes.storage.k8s.io": checkCsiNode,
  "resourceslices.resource.k8s.io": checkResourceSlice,
};

function checkPod(call: NodeCall): void | Promise<void> {
  const { attributes } = call;
  switch (attributes.subresource) {
    case "":
      return checkWholePod(call);
    case "status":
      return checkPodStatus(call);
    case "eviction":
      return checkEviction(call);
    default: {
      const which = JSON.stringify(attributes.subresource);
      const why = `unexpected pod subresource ${which}, only 'status' and 'eviction' are allowed`;
      throw refuse(attributes, why);
    }
  }
}

function checkWholePod(call: NodeCall): void {
  const { node, attributes } = call;
  const who = `node ${JSON.stringify(node)}`;
  switch (attributes.operation) {
    case "CREATE":
      return checkMirrorPod(call);
    case "DELETE":
      if (nodeNameOf(attributes.oldObject) !== node)
        throw refuse(attributes, `${who} can only delete pods with spec.nodeName set to itself`);
      return;
    default: {
      const operation = JSON.stringify(attributes.operation);
      const why = `unexpected operation ${operation}, ${who} can only create and delete mirror pods`;
      throw refuse(attributes, why);
    }
  }
}

function checkPodStatus({ node, attributes }: NodeCall): void {
  const { operation, object, oldObject } = attributes;
  if (operation !== "UPDATE")
    throw refuse(attributes, `unexpected operation ${JSON.stringify(operation)}`);
  const who = `node ${JSON.stringify(node)}`;
  if (nodeNameOf(oldObject) !== node) {
    const why = `${who} can only update pod status for pods with spec.nodeName set to itself`;
    throw refuse(attributes, why);
  }
  if (!equalJson(object?.metadata.labels ?? {}, oldObject?.metadata.labels ?? {}))
    throw refuse(attributes, `${who} cannot update labels through pod status`);
  if (!equalJson(claimStatuses(object), claimStatuses(oldObject)))
    throw refuse(attributes, `${who} cannot update resource claim statues`);
  if (!equalJson(statusField(object, extended), statusField(oldObject, extended)))
    throw refuse(attributes, `${who} cannot update extended resource claim status`);
}

const extended = "extendedResourceClaimStatus";

function statusField(object: Readonly<KubeObject> | undefined, field: string): unknown {
  const status = object?.["status"] as Readonly<Record<string, unknown>> | undefined;
  return status?.[field] ?? null;
}

function claimStatuses(object: Readonly<KubeObject> | undefined): unknown {
  return statusField(object, "resourceClaimStatuses") ?? [];
}

async function checkEviction({ node, attributes, reader }: NodeCall): Promise<void> {
  const { operation, object, namespace } = attributes;
  if (operation !== "CREATE") throw refuse(attributes, `unexpected operation ${operation}`);
  const name = attributes.name || object?.metadata.name || "";
  if (name === "") throw refuse(attributes, "could not determine pod from request data");
  const pod = await reader.findFresh("pods", namespace, name);
  // Without one the eviction itself will say so.
  if (pod !== undefined && nodeNameOf(pod) !== node) {
    const why = `node ${node} can only evict pods with spec.nodeName set to itself`;
    throw refuse(attributes, why);
  }
}

function nodeNameOf(pod: Readonly<KubeObject> | undefined): string {
  return (pod?.["spec"] as { readonly nodeName?: string } | undefined)?.nodeName ?? "";
}

function checkNode({ node, attributes }: NodeCall): void {
  const { operation, object, oldObject } = attributes;
  const requested = attributes.name || object?.metadata.name || "";
  const who = `node ${JSON.stringify(node)}`;
  if (requested !== node)
    throw refuse(attributes, `${who} is not allowed to modify node ${JSON.stringify(requested)}`);
  const spec = (object?.["spec"] ?? {}) as NodeSpec;
  const oldSpec = (oldObject?.["spec"] ?? {}) as NodeSpec;
  const forbidden = changedLabels(object?.metadata.labels, oldObject?.metadata.labels).filter(
    isForbiddenToNodes,
  );
  const labels = forbidden.join(", ");
  if (operation === "CREATE" && forbidden.length > 0)
    throw refuse(attributes, `${who} is not allowed to set the following labels: ${labels}`);
  if (operation !== "UPDATE") return;
  if (spec.configSource !== undefined && !equalJson(spec.configSource, oldSpec.configSource)) {
    const why = `${who} is not allowed to update configSource to a new non-nil configSource`;
    throw refuse(attributes, why);
  }
  if (!equalJson(spec.taints ?? [], oldSpec.taints ?? []))
    throw refuse(attributes, `${who} is not allowed to modify taints`);
  const owners = object?.metadata.ownerReferences ?? [];
  if (!equalJson(owners, oldObject?.metadata.ownerReferences ?? []))
    throw refuse(attributes, `${who} is not allowed to modify ownerReferences`);
  if (forbidden.length > 0) throw refuse(attributes, `is not allowed to modify labels: ${labels}`);
}

const claimStatusFields: ReadonlySet<string> = new Set([
  "capacity",
  "conditions",
  "allocatedResources",
  "allocatedResourceStatuses",
]);

function checkClaim({ node, attributes }: NodeCall): void {
  if (attributes.subresource !== "status") throw refuse(attributes, "may only update PVC status");
  if (attributes.operation !== "UPDATE")
    throw refuse(attributes, `unexpected operation ${JSON.stringify(attributes.operation)}`);
  if (equalJson(withoutSize(attributes.object), withoutSize(attributes.oldObject))) return;
  const why = `node ${JSON.stringify(node)} is not allowed to update fields other than status.capacity and status.conditions`;
  throw refuse(attributes, why);
}

function withoutSize(claim: Readonly<KubeObject> | undefined): object {
  const { resourceVersion: _, managedFields: __, ...metadata } = claim?.metadata ?? {};
  const status = Object.entries(claim?.["status"] ?? {});
  const kept = status.filter(([name]) => !claimStatusFields.has(name));
  return { metadata, spec: claim?.["spec"] ?? {}, status: Object.fromEntries(kept) };
}

function checkLease({ node, attributes }: NodeCall): void {
  if (attributes.namespace !== "kube-node-lease")
    throw refuse(attributes, 'can only access leases in the "kube-node-lease" system namespace');
  if (nameAtCreate(attributes) !== node) {
    const why = "can only access node lease with the same name as the requesting node";
    throw refuse(attributes, why);
  }
}

function checkCsiNode({ node, attributes }: NodeCall): void {
  if (nameAtCreate(attributes) !== node)
    throw refuse(attributes, "can only access CSINode with the same name as the requesting node");
}

function checkResourceSlice({ node, attributes }: NodeCall): void {
  const { operation, object, oldObject } = attributes;
  if (operation === "CREATE" && nodeNameOf(object) !== node)
    throw refuse(
      attributes,
      "can only create ResourceSlice with the same NodeName as the requesting node",
    );
  if (operation === "DELETE" && nodeNameOf(oldObject) !== node)
    throw refuse(
      attributes,
      "can only delete ResourceSlice with the same NodeName as the requesting node",
    );
}

function nameAtCreate({ operation, name, object }: AdmissionAttributes): string {
  return operation === "CREATE" ? (object?.metadata.name ?? "") : name;
}
