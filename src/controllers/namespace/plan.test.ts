import { describe, expect, it } from "vitest";
import type { Pod } from "../../api/types/core-v1.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import { graceEstimate, lookAgainMs, stagesOf, verdictOf } from "./plan.ts";

function resource(name: string, more: Partial<DiscoveredResource> = {}): DiscoveredResource {
  const verbs = ["delete", "deletecollection", "list"];
  return { group: "", version: "v1", resource: name, kind: "K", namespaced: true, verbs, ...more };
}

describe("stagesOf", () => {
  it("puts pods first, events last, and leaves out what cannot be deleted", () => {
    const all = [
      resource("events"),
      resource("configmaps"),
      resource("pods"),
      resource("nodes", { namespaced: false }),
      resource("bindings", { verbs: ["create"] }),
      resource("pods", { group: "metrics.k8s.io", verbs: ["list"] }),
    ];
    expect(stagesOf(all).map((stage) => stage.map((one) => one.resource))).toEqual([
      ["pods"],
      ["configmaps", "events"],
    ]);
  });
});

describe("graceEstimate", () => {
  const pod = (phase: string, terminationGracePeriodSeconds: number): Pod => ({
    metadata: {},
    spec: { containers: [], terminationGracePeriodSeconds },
    status: { phase },
  });

  it("is the longest of pods that still run, until that time is over", () => {
    const pods = [pod("Running", 30), pod("Pending", 60), pod("Failed", 900)];
    expect(graceEstimate(pods, 0, 10_000)).toBe(60);
    expect(graceEstimate(pods, 0, 60_000)).toBe(0);
  });
});

describe("verdictOf", () => {
  it.each([
    [{ count: 0, finalizers: 0, graceSeconds: 30 }, { do: "done" }],
    [
      { count: 2, finalizers: 1, graceSeconds: 30 },
      { do: "wait", seconds: 30 },
    ],
    [
      { count: 2, finalizers: 1, graceSeconds: 0 },
      { do: "wait", seconds: 15 },
    ],
    [{ count: 2, finalizers: 0, graceSeconds: 0 }, { do: "complain" }],
  ])("%o", (left, verdict) => {
    expect(verdictOf(left)).toEqual(verdict);
  });

  it("looks again after half the time", () => {
    expect(lookAgainMs(30)).toBe(16_000);
  });
});
