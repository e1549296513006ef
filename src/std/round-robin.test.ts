import * as fc from "fast-check";
import { expect, it } from "vitest";
import { RoundRobin } from "./round-robin.ts";

it("takes lines in turn and each line in order", () => {
  const waiting = new RoundRobin<string, string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) waiting.add(item[0]!, item);
  const taken = Array.from({ length: 7 }, () => waiting.take());
  expect(taken).toEqual(["a1", "b1", "c1", "a2", "c2", "a3", undefined]);
});

it("gives every item once, and keeps nobody waiting for longer than a round", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(4), { maxLength: 40 }), (owners) => {
      const waiting = new RoundRobin<number, number>();
      for (const [item, owner] of owners.entries()) waiting.add(owner, item);
      const taken: number[] = [];
      while (waiting.size > 0) taken.push(waiting.take()!);
      expect(taken.toSorted((a, b) => a - b)).toEqual(owners.map((_, item) => item));
      for (const owner of new Set(owners)) {
        const first = taken.findIndex((item) => owners[item] === owner);
        expect(first).toBeLessThan(new Set(owners).size);
      }
    }),
  );
});
