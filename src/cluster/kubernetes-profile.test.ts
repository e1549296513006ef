import { describe, expect, it } from "vitest";
import {
  type KubernetesProfile,
  kubernetesProfile,
  minorNewest,
  minorOldest,
  parseMinor,
  withoutTaintManager,
} from "./kubernetes-profile.ts";

const at = (minor: number): KubernetesProfile => kubernetesProfile(minor);

describe("kubernetesProfile", () => {
  it.each([
    { what: "Job accounting", from: 25, of: (minor: number) => at(minor).job.tracking },
    {
      what: "eviction's condition",
      from: 26,
      of: (minor: number) => at(minor).taintEviction?.tellsCondition,
    },
    { what: "kubelet QPS", from: 27, of: (minor: number) => at(minor).kubelet.rateLimit.qps },
    { what: "end of a Job", from: 31, of: (minor: number) => at(minor).job.finishesAfterPods },
    {
      what: "grace of a node",
      from: 32,
      of: (minor: number) => at(minor).nodeLifecycle.gracePeriodMs,
    },
    {
      what: "a kubelet's watches",
      from: 31,
      of: (minor: number) => at(minor).kubelet.objects.reflector.watchTimeoutMs?.min,
    },
    {
      what: "pods that a Job looks through",
      from: 34,
      of: (minor: number) => at(minor).job.looksThrough,
    },
    {
      what: "whose client evicts",
      from: 29,
      of: (minor: number) => at(minor).taintEviction?.sharesClient,
    },
    { what: "LISTs of the newest state", from: 31, of: (minor: number) => at(minor).reads.newest },
    { what: "LISTs of the past", from: 34, of: (minor: number) => at(minor).reads.past },
    { what: "watch-list", from: 35, of: (minor: number) => at(minor).reflector.watchList },
  ])("changes $what at 1.$from, once", ({ from, of }) => {
    for (let minor = minorOldest; minor <= minorNewest; minor++)
      expect(of(minor), `1.${minor}`).toBe(of(minor < from ? minorOldest : minorNewest));
    expect(of(minorOldest)).not.toBe(of(minorNewest));
  });
});

describe("withoutTaintManager", () => {
  it("leaves eviction to the node lifecycle controller, up to 1.26", () => {
    const profile = withoutTaintManager(at(26));
    expect(profile?.taintEviction).toBeUndefined();
    expect(profile?.nodeLifecycle.podEviction).toEqual({ timeoutMs: 300_000 });
    expect(withoutTaintManager(at(27))).toBeUndefined();
  });
});

describe("parseMinor", () => {
  it.each([
    ["1.16", 16],
    ["v1.22", 22],
    ["1.36.2", 36],
    ["1.15", undefined],
    ["1.37", undefined],
    ["1.2", undefined],
    ["2.20", undefined],
    ["1.20beta", undefined],
    ["", undefined],
  ])("%s is %s", (version, minor) => {
    expect(parseMinor(version)).toBe(minor);
  });
});
