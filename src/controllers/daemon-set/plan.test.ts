import { describe, expect, it } from "vitest";
import { type PodTraits, now, served, somePod } from "../pods/some-pod.testbed.ts";
import { planDaemonSet } from "./plan.ts";

const hash = "new";
const well: PodTraits = { readyFor: 60, labels: { "controller-revision-hash": hash } };
const old: PodTraits = { readyFor: 60, labels: { "controller-revision-hash": "old" } };
const ill = (traits: PodTraits): PodTraits => ({ labels: traits.labels ?? {} });

function set(spec: object = {}, status?: object) {
  return {
    kind: "DaemonSet",
    apiVersion: "apps/v1",
    metadata: served("agent"),
    spec: {
      template: { metadata: {}, spec: { containers: [] } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...spec,
    },
    ...(status === undefined ? {} : { status: { ...emptyStatus, ...status } }),
  };
}

const emptyStatus = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
};
const surge = (maxSurge: number | string) =>
  set({
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge } },
  });
const evict = { taints: [{ key: "x", effect: "NoExecute" }] };
const shun = { taints: [{ key: "x", effect: "NoSchedule" }] };

interface World {
  readonly of?: ReturnType<typeof set>;
  /** Nodes by name, with their spec. */
  readonly nodes: Record<string, object>;
  /** Pods by name; the first letter is the node's name. */
  readonly pods: Record<string, PodTraits>;
  readonly caughtUp?: boolean;
  readonly waits?: [string, number][];
}

function plan({ of = set(), nodes, pods, caughtUp = true, waits = [] }: World) {
  const made = planDaemonSet(
    {
      set: of,
      nodes: Object.entries(nodes).map(([name, spec]) => ({ metadata: served(name), spec })),
      pods: Object.entries(pods).map(([name, traits]) =>
        somePod(name, { node: name.slice(0, 1), ...traits }),
      ),
      hash,
      collisionCount: 0,
      caughtUp,
      failedWaitsMs: new Map(waits),
    },
    now,
  );
  return { ...made, delete: made.delete.map(({ metadata }) => metadata.name) };
}

describe("a node", () => {
  it.each<[string, World, string[], string[]]>([
    ["gets a pod", { nodes: { a: {}, b: {} }, pods: { a1: well } }, ["b"], []],
    ["gets none that it repels", { nodes: { a: shun }, pods: {} }, [], []],
    ["keeps one that is there already", { nodes: { a: shun }, pods: { a1: well } }, [], []],
    ["loses one that may not stay", { nodes: { a: evict }, pods: { a1: well } }, [], ["a1"]],
    [
      "keeps the oldest of two",
      { nodes: { a: {} }, pods: { a1: { ...well, age: 1 }, a2: well } },
      [],
      ["a1"],
    ],
    [
      "waits for one that leaves",
      { nodes: { a: {} }, pods: { a1: { ...well, terminating: true } } },
      [],
      [],
    ],
    [
      "loses one that failed",
      { nodes: { a: {} }, pods: { a1: { ...well, phase: "Failed" } } },
      [],
      ["a1"],
    ],
    [
      "keeps one that failed too often",
      { nodes: { a: {} }, pods: { a1: { ...well, phase: "Failed" } }, waits: [["a", 500]] },
      [],
      [],
    ],
    [
      "is left alone while something is on its way",
      { nodes: { a: {}, b: evict }, pods: { b1: well }, caughtUp: false },
      [],
      [],
    ],
  ])("%s", (_, world, create, gone) => {
    const made = plan(world);
    expect(made.create).toEqual(create);
    expect(made.delete).toEqual(gone);
  });

  it("is looked at again when the failed pod's wait is over", () => {
    const made = plan({
      nodes: { a: {} },
      pods: { a1: { ...well, phase: "Failed" } },
      waits: [["a", 500]],
    });
    expect(made.requeueAfterMs).toBe(500);
  });

  it("that is gone takes its unbound pod along", () => {
    const made = plan({ nodes: {}, pods: { a1: { ...well, node: "" }, a2: well } });
    expect(made.delete).toEqual(["a1"]);
  });
});

describe("an update", () => {
  const nodes = { a: {}, b: {}, c: {} };
  it.each<[string, World, string[], string[]]>([
    ["takes one away", { nodes, pods: { a1: old, b1: old, c1: old } }, [], ["a1"]],
    [
      "waits for the replacement to be ready",
      { nodes, pods: { a1: ill(well), b1: old, c1: old } },
      [],
      [],
    ],
    [
      "takes the ill ones at once",
      { nodes, pods: { a1: old, b1: ill(old), c1: ill(old) } },
      [],
      ["b1", "c1"],
    ],
    [
      "leaves them alone on delete",
      {
        of: set({ updateStrategy: { type: "OnDelete" } }),
        nodes,
        pods: { a1: old, b1: old, c1: old },
      },
      [],
      [],
    ],
    ["sets one beside", { of: surge(1), nodes, pods: { a1: old, b1: old, c1: old } }, ["a"], []],
    [
      "takes the old one when the new one is well",
      { of: surge(1), nodes: { a: {} }, pods: { a1: old, a2: well } },
      [],
      ["a1"],
    ],
    [
      "keeps both while the new one is ill",
      { of: surge("50%"), nodes: { a: {} }, pods: { a1: old, a2: ill(well) } },
      [],
      [],
    ],
  ])("%s", (_, world, create, gone) => {
    const made = plan(world);
    expect(made.create).toEqual(create);
    expect(made.delete).toEqual(gone);
  });
});

describe("the status", () => {
  const world = {
    nodes: { a: {}, b: {}, c: shun, d: {} },
    pods: { a1: well, b1: ill(old), c1: well },
  };
  it("counts nodes", () => {
    expect(plan(world).status).toEqual({
      currentNumberScheduled: 2,
      numberMisscheduled: 1,
      desiredNumberScheduled: 3,
      numberReady: 1,
      observedGeneration: 1,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberUnavailable: 2,
    });
  });

  it("does not claim to have seen what it did not look at", () => {
    expect(plan({ ...world, caughtUp: false }).status?.observedGeneration).toBe(0);
  });

  it("is not written twice", () => {
    const { status } = plan(world);
    expect(plan({ ...world, of: set({}, status) }).status).toBeUndefined();
  });
});
