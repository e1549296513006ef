// What to do with one object, given how its owners fare. Pure (upstream: attemptToDeleteItem in
// pkg/controller/garbagecollector/garbagecollector.go).
import type { OwnerReference } from "../../api/types/meta-v1.ts";
import type { ApiObject } from "../../client/served-object.ts";
import { type Node, foregroundFinalizer, orphanFinalizer } from "./graph.ts";

export type OwnerState =
  | "solid"
  /** There is no such object. */
  | "absent"
  /** It is being deleted in the foreground and waits for its dependents. */
  | "waiting";

export type ItemPlan =
  | { readonly do: "nothing" }
  /** Owners that are left keep it; the other references go. */
  | { readonly do: "drop references"; readonly uids: readonly string[] }
  | {
      readonly do: "delete";
      readonly policy: "Foreground" | "Background" | "Orphan";
      /** A circle of owners that all wait for each other: nobody must block any more. */
      readonly unblock: boolean;
    };

export function planItem(
  node: Node,
  latest: ApiObject,
  stateOf: (owner: OwnerReference) => OwnerState,
): ItemPlan {
  const owners = latest.metadata.ownerReferences ?? [];
  if (owners.length === 0) return { do: "nothing" };
  const states = owners.map((owner) => ({ uid: owner.uid, state: stateOf(owner) }));
  const gone = states.filter(({ state }) => state !== "solid");
  if (gone.length < states.length) {
    if (gone.length === 0) return { do: "nothing" };
    return { do: "drop references", uids: gone.map(({ uid }) => uid) };
  }
  if (states.some(({ state }) => state === "waiting") && node.dependents.size > 0) {
    const unblock = [...node.dependents].some((dependent) => dependent.deletingDependents);
    return { do: "delete", policy: "Foreground", unblock };
  }
  return { do: "delete", policy: wishOf(latest), unblock: false };
}

/** What finalizers that are there already ask for. */
function wishOf({ metadata }: ApiObject): "Foreground" | "Background" | "Orphan" {
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

/** Dependents that a foreground deletion must wait for. */
export function blockingDependents(node: Node): Node[] {
  return [...node.dependents].filter(({ owners }) =>
    owners.some(({ uid, blockOwnerDeletion }) => uid === node.identity.uid && blockOwnerDeletion),
  );
}
