import { describe, expect, it } from "vitest";
import { type PodTraits, ago, now, served, somePod } from "../pods/some-pod.testbed.ts";
import {
  type ReplicaOwner,
  burstReplicas,
  planReplicas,
  planStatus,
  requeueAfterMs,
} from "./plan.ts";

function owner(replicas: number, more: object = {}, spec: object = {}) {
  return {
    kind: "ReplicaSet",
    apiVersion: "apps/v1",
    metadata: served("rs", more),
    spec: { replicas, template: { metadata: { labels: { app: "web" } } }, ...spec },
  };
}

const pods = (...traits: PodTraits[]) => traits.map((one, index) => somePod(`p${index}`, one));
const ready: PodTraits = { readyFor: 30, labels: { app: "web" } };

describe("replicas", () => {
  it.each<[string, ReturnType<typeof owner>, PodTraits[], boolean, number, string[]]>([
    ["makes what is missing", owner(3), [ready], true, 2, []],
    ["makes a burst at most", owner(2_000), [], true, burstReplicas, []],
    ["does not count the finished", owner(1), [{ phase: "Failed" }], true, 1, []],
    ["does not count those that leave", owner(1), [{ terminating: true }], true, 1, []],
    ["is content", owner(1), [ready], true, 0, []],
    ["takes the unready of too many", owner(1), [ready, {}], true, 0, ["p1"]],
    ["waits for what is on its way", owner(3), [], false, 0, []],
    [
      "leaves pods to the collector when it leaves",
      owner(3, { deletionTimestamp: ago(0) }),
      [],
      true,
      0,
      [],
    ],
  ])("%s", (_, set, traits, caughtUp, create, deleted) => {
    const all = pods(...traits);
    const plan = planReplicas({ owner: set, pods: all, related: () => all, caughtUp }, now);
    expect(plan.create).toBe(create);
    expect(plan.delete.map(({ metadata }) => metadata.name)).toEqual(deleted);
  });
});

describe("the status", () => {
  const statusOf = (
    set: ReplicaOwner & ReturnType<typeof owner>,
    traits: PodTraits[],
    failed = false,
  ) =>
    planStatus(
      {
        owner: set,
        pods: pods(...traits),
        failure: failed ? { reason: "FailedCreate", message: "no" } : undefined,
        countsTerminating: true,
      },
      now,
    );

  it("counts", () => {
    const set = owner(5, {}, { minReadySeconds: 20 });
    const traits = [
      ready,
      { ...ready, readyFor: 10 },
      {},
      { terminating: true },
      { phase: "Failed" },
    ];
    expect(statusOf(set, traits)).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 1,
    });
    expect(requeueAfterMs({ owner: set, pods: pods(...traits) }, now)).toBe(10_001);
  });

  it("is not written twice", () => {
    const set = owner(1);
    const status = statusOf(set, [ready]);
    expect(status).toBeDefined();
    expect(statusOf({ ...set, status: status! }, [ready])).toBeUndefined();
  });

  it("tells a failure once, until it is over", () => {
    const set = owner(1);
    const status = statusOf(set, [], true);
    expect(status?.conditions).toEqual([
      {
        type: "ReplicaFailure",
        status: "True",
        lastTransitionTime: ago(0),
        reason: "FailedCreate",
        message: "no",
      },
    ]);
    expect(statusOf({ ...set, status: status! }, [], true)).toBeUndefined();
    expect(statusOf({ ...set, status: status! }, [])?.conditions).toBeUndefined();
  });
});
