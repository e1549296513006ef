// Nothing is left whose owner is gone, nothing in a namespace that is gone, nothing that waits for a finalizer for ever.
import type { KubeObject } from "../../src/api/object.ts";
import type { StoredState } from "../stored-state.ts";
import type { MakeChecker } from "./checker.ts";

/** They go when their time is over. */
const transient = ["events", "leases.coordination.k8s.io"];

export const orphans: MakeChecker = () => ({
  name: "orphans",
  see: () => [],
  atEnd(state) {
    const all = state.resources
      .filter((resource) => !transient.includes(resource))
      .flatMap((resource) => state.list(resource).map((object) => ({ resource, object })));
    const alive = new Set(all.map(({ object }) => object.metadata.uid));
    return all.flatMap(({ resource, object }) =>
      complaints(object, alive, state).map(
        (why) => `${resource} ${object.metadata.namespace ?? ""}/${object.metadata.name} ${why}`,
      ),
    );
  },
});

function complaints(
  { metadata }: KubeObject,
  alive: ReadonlySet<string | undefined>,
  state: StoredState,
): string[] {
  const { ownerReferences = [], namespace = "", deletionTimestamp } = metadata;
  const isOrphan = ownerReferences.length > 0 && !ownerReferences.some(({ uid }) => alive.has(uid));
  const isHomeless = namespace !== "" && state.find("namespaces", namespace) === undefined;
  return [
    ...(isOrphan ? ["has lost all its owners"] : []),
    ...(isHomeless ? ["has lost its namespace"] : []),
    ...(typeof deletionTimestamp === "string" ? ["is still being deleted"] : []),
  ];
}
