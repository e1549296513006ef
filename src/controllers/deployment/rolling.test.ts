// A rollout in which pods become ready, or not, in any order: however it goes, the bounds hold, and when all become
// ready it ends.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { served } from "../pods/some-pod.testbed.ts";
import { type Member, boundsOf, resized, totalSize } from "./family.ts";
import { rollingStep, sizeOfNew } from "./rolling.ts";

function deployment(replicas: number, rollingUpdate: object) {
  return {
    kind: "Deployment",
    apiVersion: "apps/v1",
    metadata: served("web"),
    spec: {
      replicas,
      template: { metadata: {} },
      strategy: { type: "RollingUpdate", rollingUpdate },
    },
  };
}

function member(name: string, size: number, available: number): Member {
  const metadata = served(name);
  const set = {
    metadata,
    spec: { replicas: size },
    status: { replicas: size, availableReplicas: available },
  };
  return { stored: set, set, size };
}

const availableOf = (members: readonly Member[]): number =>
  members.reduce((sum, { set }) => sum + (set.status?.availableReplicas ?? 0), 0);

describe("the bounds", () => {
  it.each([
    [
      10,
      { maxSurge: "25%", maxUnavailable: "25%" },
      { replicas: 10, maxSurge: 3, maxUnavailable: 2 },
    ],
    [
      1,
      { maxSurge: "25%", maxUnavailable: "25%" },
      { replicas: 1, maxSurge: 1, maxUnavailable: 0 },
    ],
    [1, { maxSurge: 0, maxUnavailable: "1%" }, { replicas: 1, maxSurge: 0, maxUnavailable: 1 }],
    [2, { maxSurge: 0, maxUnavailable: 5 }, { replicas: 2, maxSurge: 0, maxUnavailable: 2 }],
    [0, { maxSurge: 1, maxUnavailable: 0 }, { replicas: 0, maxSurge: 0, maxUnavailable: 0 }],
  ])("of %i replicas with %j", (replicas, rolling, bounds) => {
    expect(boundsOf(deployment(replicas, rolling))).toEqual(bounds);
  });
});

describe("the new ReplicaSet's size", () => {
  it.each([
    [0, 0, 3],
    [0, 3, 1],
    [1, 3, 1],
    [2, 2, 2],
    [3, 0, 3],
  ])("at %i beside %i old is %i", (newSize, oldSize, expected) => {
    expect(sizeOfNew(deployment(3, { maxSurge: 1, maxUnavailable: 0 }), newSize, oldSize)).toBe(
      expected,
    );
  });
});

describe("a step", () => {
  it("takes the broken ones of old revisions first", () => {
    const web = deployment(4, { maxSurge: 1, maxUnavailable: 1 });
    const old = [member("a", 2, 0), member("b", 3, 3)];
    const step = rollingStep(web, { newest: member("c", 0, 0), old });
    expect(step.old.map(({ size }) => size)).toEqual([0, 3]);
  });

  it("keeps the bounds, and comes to its end", () => {
    const count = fc.integer({ min: 0, max: 4 });
    const world = fc.record({
      replicas: fc.integer({ min: 1, max: 12 }),
      maxSurge: count,
      maxUnavailable: count,
      chances: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 5, maxLength: 40 }),
    });
    fc.assert(
      fc.property(world, ({ replicas, maxSurge, maxUnavailable, chances }) => {
        const web = deployment(replicas, { maxSurge, maxUnavailable });
        const bounds = boundsOf(web);
        let old: readonly Member[] = [member("a", replicas, replicas)];
        let newest = member("b", 0, 0);
        const stepsMax = chances.length + 6 * replicas + 10;
        for (
          let step = 0;
          step < stepsMax && newest.set.status?.availableReplicas !== replicas;
          step++
        ) {
          const next = rollingStep(web, { newest, old });
          const all = [...next.old, next.newest!];
          expect(totalSize(all)).toBeLessThanOrEqual(replicas + bounds.maxSurge);
          // Those that stay: a shrunk ReplicaSet loses its unready pods first.
          const remaining = all.map(({ set, size }) =>
            Math.min(size, set.status?.availableReplicas ?? 0),
          );
          const remain = remaining.reduce((sum, one) => sum + one, 0);
          expect(remain).toBeGreaterThanOrEqual(
            Math.min(replicas - bounds.maxUnavailable, availableOf([...old, newest])),
          );
          old = next.old.map((one) =>
            member("a", one.size, Math.min(one.size, one.set.status?.availableReplicas ?? 0)),
          );
          const { size, set } = resized(next.newest!, next.newest!.size);
          const gain = chances[step] ?? size;
          newest = member("b", size, Math.min(size, (set.status?.availableReplicas ?? 0) + gain));
        }
        expect(newest.set.status?.availableReplicas).toBe(replicas);
      }),
    );
  });
});
