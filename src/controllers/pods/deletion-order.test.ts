import { describe, expect, it } from "vitest";
import { deletionOrder } from "./deletion-order.ts";
import { type PodTraits, now, somePod } from "./some-pod.testbed.ts";

const cost = (value: string): Record<string, string> => ({
  "controller.kubernetes.io/pod-deletion-cost": value,
});

describe("the order of deletion", () => {
  it.each<[why: string, first: PodTraits, last: PodTraits]>([
    ["unassigned", { node: "", readyFor: 9 }, { phase: "Pending" }],
    ["pending before unknown", { phase: "Pending", readyFor: 9 }, { phase: "Unknown" }],
    ["unknown before running", { phase: "Unknown", readyFor: 9 }, { phase: "Running" }],
    ["not ready", { annotations: cost("9") }, { readyFor: 9 }],
    ["cheaper", { readyFor: 99, annotations: cost("-2") }, { readyFor: 1 }],
    ["a cost that is no number is 0", { readyFor: 1, annotations: cost("+5") }, { readyFor: 99 }],
    ["ready for less long", { readyFor: 10, restarts: 0 }, { readyFor: 1_000, restarts: 9 }],
    ["restarted more often", { readyFor: 9, restarts: 3, age: 99 }, { readyFor: 9, age: 1 }],
    ["younger", { readyFor: 9, age: 10 }, { readyFor: 9, age: 1_000 }],
  ])("%s goes first", (_, first, last) => {
    const [a, b] = [somePod("a", first), somePod("b", last)];
    expect(deletionOrder([b, a], [a, b], now)).toEqual([a, b]);
    const [c, d] = [somePod("d", first), somePod("c", last)];
    expect(deletionOrder([c, d], [c, d], now)).toEqual([c, d]);
  });

  it("thins out crowded nodes", () => {
    const pods = [
      somePod("a", { node: "lonely", readyFor: 1 }),
      somePod("b", { node: "crowded", readyFor: 99 }),
    ];
    const sibling = somePod("s", { node: "crowded", readyFor: 9 });
    const [first] = deletionOrder(pods, [...pods, sibling], now);
    expect(first?.metadata.name).toBe("b");
  });

  it("takes ages within a factor of two for the same", () => {
    const [young, old] = [somePod("z", { readyFor: 5 }), somePod("a", { readyFor: 8 })];
    expect(deletionOrder([young, old], [], now)).toEqual([old, young]);
  });
});
