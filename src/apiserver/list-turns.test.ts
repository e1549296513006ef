import { expect, test } from "vitest";
import type { Clock } from "../host/host.ts";
import { ListTurns } from "./list-turns.ts";

function openTurns(): ListTurns {
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return new ListTurns({ turn } as Partial<Clock> as Clock);
}

/** Lists that need so many turns each, all begun together, in the order in which they end. */
async function orderOfEnds(lists: Readonly<Record<string, number>>): Promise<string[]> {
  const turns = openTurns();
  const ended: string[] = [];
  const send = async (name: string, needed: number): Promise<void> => {
    const clock = turns.forList();
    for (let taken = 0; taken < needed; taken++) await clock.turn();
    ended.push(name);
  };
  await Promise.all(Object.entries(lists).map(([name, needed]) => send(name, needed)));
  return ended;
}

test("lists of one size end one after another, not all at once", async () => {
  const turns = openTurns();
  let given = 0;
  const endedAt: number[] = [];
  const send = async (): Promise<void> => {
    const clock = turns.forList();
    for (let taken = 0; taken < 8; taken++) {
      await clock.turn();
      given++;
    }
    endedAt.push(given);
  };
  await Promise.all(Array.from({ length: 20 }, send));
  expect(endedAt).toHaveLength(20);
  // In turn, the first of 20 would end with the 141st of 160 turns.
  expect(endedAt[0]).toBeLessThan(20);
  expect(endedAt[9]).toBeLessThan(120);
});

test("a long list lets short ones that began after it go first, and ends all the same", async () => {
  expect(await orderOfEnds({ long: 200, a: 5, b: 5, c: 5 })).toEqual(["a", "b", "c", "long"]);
});

test("nobody waits for ever beside ever new short lists", async () => {
  const turns = openTurns();
  const long = turns.forList();
  let isDone = false;
  let short = 0;
  const newOnes = async (): Promise<void> => {
    while (!isDone) {
      await turns.forList().turn();
      short++;
    }
  };
  const others = [newOnes(), newOnes(), newOnes()];
  for (let taken = 0; taken < 100; taken++) await long.turn();
  isDone = true;
  await Promise.all(others);
  expect(short).toBeLessThan(100 * 16);
});
