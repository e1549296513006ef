import { expect, it } from "vitest";
import type { HttpRequest } from "../http.ts";
import { FairArrivals } from "./fair-arrivals.ts";
import { fairTurn } from "./fair-turns.ts";

/** Keeps the loop busy for longer than a burst may last. */
function work(): void {
  const until = performance.now() + 3;
  while (performance.now() < until);
}

it("begins at once while there is time, then in turn by connection", async () => {
  const arrivals = new FairArrivals();
  const order: string[] = [];
  const greedy = {};
  const modest = {};
  const done = new Promise<void>((resolve) => {
    const begin = (name: string) => () => {
      order.push(name);
      work();
      if (order.length === 6) resolve();
    };
    for (const name of ["a1", "a2", "a3", "a4"]) arrivals.admit(greedy, begin(name));
    for (const name of ["b1", "b2"]) arrivals.admit(modest, begin(name));
  });
  expect([order, arrivals.waiting]).toEqual([["a1"], 5]);
  await done;
  expect([order, arrivals.waiting]).toEqual([["a1", "b1", "a2", "b2", "a3", "a4"], 0]);
});

it("lets a connection wait whose answers are long", async () => {
  const arrivals = new FairArrivals();
  const order: string[] = [];
  const [greedy, modest] = [{}, {}];
  const body = new Uint8Array(1_000_000);
  const long = arrivals.charging(greedy, () => Promise.resolve({ status: 200, headers: [], body }));
  const done = new Promise<void>((resolve) => {
    const begin = (name: string) => () => {
      order.push(name);
      if (name === "a1") void long({} as HttpRequest);
      work();
      if (order.length === 5) resolve();
    };
    for (const name of ["a1", "a2"]) arrivals.admit(greedy, begin(name));
    for (const name of ["b1", "b2", "b3"]) arrivals.admit(modest, begin(name));
  });
  await done;
  expect(order).toEqual(["a1", "b1", "b2", "b3", "a2"]);
});

it("lets others in between two slices of turns", async () => {
  const order: string[] = [];
  const long = async (name: string): Promise<void> => {
    await fairTurn();
    order.push(name);
    work();
  };
  // Its first turn of the loop is that of "one".
  const turns = [long("one"), long("two"), long("three")];
  setImmediate(() => setImmediate(() => order.push("other")));
  await Promise.all(turns);
  expect(order).toEqual(["one", "two", "other", "three"]);
});

it("gives a turn to all who wait, also to those that ask again", async () => {
  let left = 1_000;
  const again = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await fairTurn();
    left--;
  };
  await Promise.all(Array.from({ length: 1_000 }, again));
  expect(left).toBe(0);
});
