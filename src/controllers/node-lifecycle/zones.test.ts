import { describe, expect, it } from "vitest";
import type { Node } from "../../api/types/core-v1.ts";
import { nodeLifecycleProfile136 } from "./profile.ts";
import { planZones } from "./zones.ts";

function nodes(zone: string, ready: number, down: number): Node[] {
  return Array.from({ length: ready + down }, (_, at) => ({
    metadata: { name: `${zone}${at}`, labels: { "topology.kubernetes.io/zone": zone } },
    status: { conditions: [{ type: "Ready", status: at < ready ? "True" : "Unknown" }] },
  }));
}

describe("planZones", () => {
  it.each([
    ["a healthy zone", nodes("a", 5, 2), "Normal", 0.1],
    ["two of three down are not many", nodes("a", 1, 2), "Normal", 0.1],
    ["much of a small zone", nodes("a", 2, 3), "PartialDisruption", 0],
    ["much of a large zone", nodes("a", 20, 40), "PartialDisruption", 0.01],
    [
      "a whole zone beside a healthy one",
      [...nodes("a", 0, 3), ...nodes("b", 3, 0)],
      "FullDisruption",
      0.1,
    ],
  ])("%s", (_, all, state, rate) => {
    const { zones, blind } = planZones(all, nodeLifecycleProfile136);
    expect([...zones.values()][0]).toEqual({ state, rate });
    expect(blind).toBe(false);
  });

  it("gives nobody up when everybody is silent", () => {
    const { zones, blind } = planZones(nodes("a", 0, 4), nodeLifecycleProfile136);
    expect(blind).toBe(true);
    expect([...zones.values()][0]?.rate).toBe(0);
  });
});
