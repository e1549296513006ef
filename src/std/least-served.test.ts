import * as fc from "fast-check";
import { expect, it } from "vitest";
import { LeastServed } from "./least-served.ts";

interface Owner {
  readonly name: string;
}

const greedy: Owner = { name: "g" };
const quiet: Owner = { name: "q" };
const other: Owner = { name: "o" };

function takeAll(waiting: LeastServed<Owner, string>, cost: (item: string) => number): string[] {
  const owners = new Map([greedy, quiet, other].map((owner) => [owner.name, owner]));
  const taken: string[] = [];
  for (let item = waiting.take(); item !== undefined; item = waiting.take()) {
    taken.push(item);
    waiting.charge(owners.get(item[0]!)!, cost(item));
  }
  return taken;
}

it("takes lines in turn where everything costs the same", () => {
  const waiting = new LeastServed<Owner, string>();
  for (const item of ["g1", "g2", "g3"]) waiting.add(greedy, item);
  for (const item of ["q1", "q2"]) waiting.add(quiet, item);
  expect(takeAll(waiting, () => 1)).toEqual(["g1", "q1", "g2", "q2", "g3"]);
});

it("lets one who has cheap things in line go before one whose things are dear", () => {
  const waiting = new LeastServed<Owner, string>();
  for (const item of ["g1", "g2"]) waiting.add(greedy, item);
  for (const item of ["q1", "q2", "q3"]) waiting.add(quiet, item);
  const dear = (item: string): number => (item.startsWith("g") ? 10 : 1);
  expect(takeAll(waiting, dear)).toEqual(["g1", "q1", "q2", "q3", "g2"]);
});

it("counts what is charged while the line waits", () => {
  const waiting = new LeastServed<Owner, string>();
  waiting.add(greedy, "g1");
  waiting.add(quiet, "q1");
  waiting.charge(greedy, 100);
  expect(takeAll(waiting, () => 1)).toEqual(["q1", "g1"]);
});

it("owes nothing to one who was away, and holds nothing against anybody once all had their turn", () => {
  const waiting = new LeastServed<Owner, string>();
  for (let index = 0; index < 5; index++) {
    waiting.add(greedy, `g${index}`);
    takeAll(waiting, () => 100);
  }
  for (const item of ["q1", "q2", "q3"]) waiting.add(quiet, item);
  waiting.add(greedy, "g9");
  expect(takeAll(waiting, () => 100)).toEqual(["q1", "g9", "q2", "q3"]);
});

it("never lets a waiting owner fall behind by more than the dearest thing", () => {
  const thing = fc.record({ who: fc.nat(2), cost: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(fc.array(thing, { maxLength: 60 }), (things) => {
      const waiting = new LeastServed<Owner, { who: number; cost: number }>();
      const owners = [greedy, quiet, other];
      for (const one of things) waiting.add(owners[one.who]!, { ...one });
      const left = [0, 1, 2].map((who) => things.filter((one) => one.who === who).length);
      const had = [0, 0, 0];
      for (let one = waiting.take(); one !== undefined; one = waiting.take()) {
        // Nobody who waits has had less than who was taken.
        for (const who of [0, 1, 2])
          if (left[who]! > 0) expect(had[who]).toBeGreaterThanOrEqual(had[one.who]!);
        waiting.charge(owners[one.who]!, one.cost);
        had[one.who]! += one.cost;
        left[one.who]!--;
      }
      expect(left).toEqual([0, 0, 0]);
    }),
  );
});
