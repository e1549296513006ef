import { describe, expect, it } from "vitest";
import type { Pod } from "../api/types/core-v1.ts";
import { lastMeasured, nodeUsage, podUsage } from "./usage.ts";

const startedAt = "2026-01-05T07:00:00Z";
const start = Date.parse(startedAt);

function podOf(annotations: Record<string, string>, requests?: Record<string, string>): Pod {
  const resources = requests === undefined ? {} : { resources: { requests } };
  return {
    metadata: { name: "p", namespace: "n", uid: "u", annotations },
    spec: { containers: [{ name: "a", image: "i", ...resources }] },
    status: {
      containerStatuses: [
        {
          name: "a",
          image: "i",
          imageID: "",
          ready: true,
          restartCount: 0,
          state: { running: { startedAt } },
        },
      ],
    },
  };
}

const usageOf = (pod: Pod, at = start + 10_000) => podUsage(pod, at)?.containers[0]?.usage;

describe("a container uses", () => {
  it("what its annotation says", () => {
    const pod = podOf({ "wavetank.dev/cpu-usage": "250m", "wavetank.dev/memory-usage.a": "1Gi" });
    expect(usageOf(pod)).toEqual({ cpuMillis: 250, memoryBytes: 1_073_741_824 });
  });

  it("about half of what it requests, the same for the same measurement", () => {
    const pod = podOf({ "wavetank.dev/cpu-usage": "nonsense" }, { cpu: "1", memory: "100" });
    const { cpuMillis = 0, memoryBytes = 0 } = usageOf(pod) ?? {};
    expect(Math.abs(cpuMillis - 500)).toBeLessThanOrEqual(50);
    expect(Math.abs(memoryBytes - 50)).toBeLessThanOrEqual(5);
    expect(usageOf(pod)).toEqual(usageOf(pod));
    expect(usageOf(pod, start + 15_000)).not.toEqual(usageOf(pod));
  });

  it("nothing that could be measured before it ran", () => {
    expect(podUsage(podOf({}), start)).toBeUndefined();
    expect(podUsage({ metadata: { name: "p" }, spec: { containers: [] } }, start)).toBeUndefined();
  });
});

it("a node uses what its pods do, and something itself", () => {
  const pods = [podUsage(podOf({ "wavetank.dev/cpu-usage": "2" }), start + 5_000)!];
  const { cpuMillis } = nodeUsage({ metadata: { name: "n" } }, pods, start + 5_000);
  expect(cpuMillis).toBeGreaterThan(2_000);
  expect(cpuMillis).toBeLessThan(2_100);
});

it("measurements end every five seconds", () => {
  expect([lastMeasured(14_999), lastMeasured(15_000)]).toEqual([10_000, 15_000]);
});
