import { describe, expect, it } from "vitest";
import type { ObjectMeta } from "../../api/types/meta-v1.ts";
import type { ApiObject } from "../../client/served-object.ts";
import { type Consequences, OwnerGraph } from "./graph.ts";
import { type OwnerState, blockingDependents, planItem } from "./plan.ts";

const address = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
const deletionTimestamp = "2026-01-01T00:00:00Z";

function object(uid: string, owners: readonly string[] = [], more: ObjectMeta = {}): ApiObject {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: "v1",
    kind: "Pod",
    name: owner,
    uid: owner,
    blockOwnerDeletion: true,
  }));
  return { metadata: { name: uid, namespace: "n", uid, ownerReferences, ...more } };
}

const put = (graph: OwnerGraph, one: ApiObject): Consequences => graph.put(one, address);

describe("the owner graph", () => {
  it("has hearsay looked at, and lets it go with the last who tells it", () => {
    const graph = new OwnerGraph();
    expect(put(graph, object("child", ["parent"])).look).toEqual(["parent"]);
    expect(graph.find("parent")?.address).toBeUndefined();
    graph.remove("child");
    expect(graph.size).toBe(0);
  });

  it("has dependents looked at when their owner goes", () => {
    const graph = new OwnerGraph();
    put(graph, object("parent"));
    put(graph, object("a", ["parent"]));
    put(graph, object("b", ["parent"]));
    expect(graph.remove("parent").look.toSorted()).toEqual(["a", "b"]);
  });

  it("follows a foreground deletion up and down", () => {
    const graph = new OwnerGraph();
    put(graph, object("parent"));
    put(graph, object("child", ["parent"]));
    const finalizers = ["foregroundDeletion"];
    const dying = object("parent", [], { deletionTimestamp, finalizers });
    expect(put(graph, dying).look).toEqual(["child", "parent"]);
    expect(put(graph, dying).look).toEqual([]);
    expect(blockingDependents(graph.find("parent")!).map(({ identity }) => identity.uid)).toEqual([
      "child",
    ]);
    expect(graph.remove("child").look).toEqual(["parent"]);
  });

  it("tells once that orphans are to be made", () => {
    const graph = new OwnerGraph();
    const dying = object("parent", [], { deletionTimestamp, finalizers: ["orphan"] });
    expect(put(graph, dying).orphan).toEqual(["parent"]);
    expect(put(graph, dying).orphan).toEqual([]);
  });

  it("notices an owner of another namespace, whichever comes first", () => {
    const graph = new OwnerGraph();
    put(graph, object("far", [], { namespace: "elsewhere" }));
    expect(put(graph, object("child", ["far"])).misplaced).toHaveLength(1);
    const late = new OwnerGraph();
    expect(put(late, object("child", ["far"])).misplaced).toHaveLength(0);
    expect(put(late, object("far", [], { namespace: "elsewhere" })).misplaced).toHaveLength(1);
  });
});

describe("planItem", () => {
  it.each<[string, Record<string, OwnerState>, string[], object]>([
    ["a solid owner", { a: "solid" }, [], { do: "nothing" }],
    [
      "an absent one beside it",
      { a: "solid", b: "absent" },
      [],
      { do: "drop references", uids: ["b"] },
    ],
    [
      "only absent ones",
      { a: "absent" },
      [],
      { do: "delete", policy: "Background", unblock: false },
    ],
    [
      "as a finalizer asks",
      { a: "absent" },
      ["orphan"],
      { do: "delete", policy: "Orphan", unblock: false },
    ],
    [
      "one that waits, without dependents",
      { a: "waiting" },
      [],
      { do: "delete", policy: "Background", unblock: false },
    ],
  ])("%s", (_, states, finalizers, expected) => {
    const graph = new OwnerGraph();
    const item = object("item", Object.keys(states), { finalizers });
    put(graph, item);
    expect(planItem(graph.find("item")!, item, ({ uid }) => states[uid] ?? "solid")).toEqual(
      expected,
    );
  });

  it("deletes in the foreground what has dependents itself, and opens circles", () => {
    const graph = new OwnerGraph();
    const item = object("item", ["owner"]);
    put(graph, item);
    put(graph, object("below", ["item"]));
    const plan = () => planItem(graph.find("item")!, item, () => "waiting");
    expect(plan()).toEqual({ do: "delete", policy: "Foreground", unblock: false });
    const finalizers = ["foregroundDeletion"];
    put(graph, object("below", ["item"], { deletionTimestamp, finalizers }));
    expect(plan()).toEqual({ do: "delete", policy: "Foreground", unblock: true });
  });
});
