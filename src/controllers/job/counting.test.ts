// Whatever is lost between two writes, every ended pod is counted once.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Job, JobStatus } from "../../api/types/batch-v1.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import { countEnded, settle, trackedUids } from "./counting.ts";
import { trackingFinalizer } from "./profile.ts";
import { type JobView, tallyOf } from "./tally.ts";

function podOf(uid: string, phase: string): Pod {
  return {
    metadata: { name: uid, namespace: "n", uid, finalizers: [trackingFinalizer] },
    status: { phase },
  };
}

function viewOf(status: JobStatus, pods: readonly Pod[]): JobView {
  const job: Job = {
    metadata: { name: "j", namespace: "n", uid: "job" },
    spec: { template: { metadata: {} }, completions: 1_000, parallelism: 10, backoffLimit: 1_000 },
    status,
  };
  return { job, pods, releasing: new Set(), caughtUp: true, now: 0 };
}

interface World {
  status: JobStatus;
  pods: Pod[];
}

/** One sync that stops after `writes` of its writes. */
function sync(world: World, writes: number): void {
  const view = viewOf(world.status, world.pods);
  let left = writes;
  const counted = countEnded(view, world.status, {
    tally: tallyOf(view),
    finish: undefined,
    told: true,
  });
  if (left-- === 0) return;
  world.status = counted.status;
  const released = new Set<string>();
  for (const pod of counted.release) {
    if (left-- === 0) return;
    pod.metadata.finalizers = [];
    released.add(pod.metadata.uid ?? "");
  }
  if (left-- === 0) return;
  const tracked = new Set([...trackedUids(view)].filter((uid) => !released.has(uid)));
  world.status = settle(counted.status, tracked);
}

describe("counting", () => {
  it("is exact through crashes between any two writes", () => {
    const phases = fc.array(fc.constantFrom("Succeeded", "Failed", "Running"), { maxLength: 12 });
    const crashes = fc.array(fc.nat(14), { maxLength: 8 });
    fc.assert(
      fc.property(phases, crashes, (states, stops) => {
        const world: World = {
          status: {},
          pods: states.map((phase, at) => podOf(`u${at}`, phase)),
        };
        for (const stop of stops) {
          sync(world, stop);
          // Pods without the finalizer may be gone at any time.
          world.pods = world.pods.filter(
            (pod) => (pod.metadata.finalizers ?? []).length > 0 || stop % 2 === 0,
          );
        }
        sync(world, Infinity);
        sync(world, Infinity);
        expect(world.status.succeeded).toBe(states.filter((one) => one === "Succeeded").length);
        expect(world.status.failed).toBe(states.filter((one) => one === "Failed").length);
        expect(world.status.uncountedTerminatedPods).toEqual({});
      }),
    );
  });
});
