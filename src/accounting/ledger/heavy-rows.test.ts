import * as fc from "fast-check";
import { expect, it } from "vitest";
import { at, countersSize } from "./counters.ts";
import { HeavyRows } from "./heavy-rows.ts";
import { windowDefaults } from "./row.ts";

const client = {
  user: "",
  userAgent: "",
  source: "",
  flowSchema: "",
  priorityLevel: "",
  exempt: false,
};
const shape = {
  verb: "",
  group: "",
  resource: "",
  subresource: "",
  namespaced: false,
  labelSelector: "",
  fieldSelector: "",
  resourceVersion: "",
  limit: "",
  path: "",
} as const;

const capacity = 4;

/** Whose request, what it weighs, and how many slots have passed since the one before. */
const requests = fc.array(
  fc.record({ key: fc.nat(9), weight: fc.integer({ min: 1, max: 20 }), pause: fc.nat(40) }),
  { maxLength: 120 },
);

it("lets the lightest row make room, and loses no count", () => {
  fc.assert(
    fc.property(requests, (all) => {
      const rows = new HeavyRows(capacity, windowDefaults);
      let slot = 0;
      const bySlot = new Map<number, number>();
      for (const { key, weight, pause } of all) {
        slot += pause;
        if (pause > 0) rows.fade(0.95 ** pause);
        const before = [...rows.values()];
        const known = rows.find(String(key));
        const row = known ?? rows.enter({ key: String(key), client, shape });
        if (known === undefined && before.length === capacity) {
          const least = Math.min(...before.map((one) => one.weight));
          const gone = before.find((one) => rows.find(one.key) !== one);
          expect(gone?.weight).toBe(least);
          expect([row.weight, row.weightError]).toEqual([least, least]);
        }
        row.weight += weight;
        row.add(slot, at.requests, 1);
        bySlot.set(slot, (bySlot.get(slot) ?? 0) + 1);
      }
      const kept = [...rows.values(), rows.others];
      expect(rows.size).toBeLessThanOrEqual(capacity);
      expect(sum(kept.map(({ total }) => total))[at.requests]).toBe(all.length);
      const recent = [...bySlot].filter(([one]) => one > slot - windowDefaults.slots);
      const expected = recent.reduce((count, [, more]) => count + more, 0);
      expect(sum(kept.map((row) => row.window(slot)))[at.requests]).toBe(expected);
    }),
  );
});

function sum(all: readonly Float64Array[]): Float64Array {
  const total = new Float64Array(countersSize);
  for (const one of all) one.forEach((value, i) => (total[i]! += value));
  return total;
}
