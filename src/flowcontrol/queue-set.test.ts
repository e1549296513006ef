import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type WorkEstimate, oneSeat } from "./arrival.ts";
import { type Flow, QueueSetBed, flowOf } from "./queue-set.testbed.ts";

const wide = (initialSeats: number): WorkEstimate => ({ ...oneSeat, initialSeats });

/** Hashes that deal hands without a common queue: with hands of one, the queue's number. */
const apart = (index: number): bigint => BigInt(index);

const anyFlow = (index: number): fc.Arbitrary<Flow> =>
  fc.record({
    name: fc.constant(`flow-${index}`),
    hash: fc.bigInt({ min: 0n, max: (1n << 60n) - 1n }),
    concurrency: fc.integer({ min: 1, max: 40 }),
    serviceMs: fc.integer({ min: 1, max: 100 }),
    work: fc.record({
      initialSeats: fc.integer({ min: 1, max: 12 }),
      finalSeats: fc.integer({ min: 0, max: 12 }),
      additionalMs: fc.constantFrom(0, 0, 5, 25),
    }),
  });

const anyFlows = fc
  .integer({ min: 1, max: 6 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => anyFlow(i))));

test("seats stay within the limit, and nobody is lost, whatever comes", () => {
  fc.assert(
    fc.property(
      anyFlows,
      fc.record({
        queues: fc.constantFrom(0, 1, 4, 16),
        lengthMax: fc.integer({ min: 1, max: 20 }),
        limit: fc.integer({ min: 1, max: 10 }),
      }),
      (flows, shape) => {
        const bed = new QueueSetBed(shape, Math.min(2, shape.queues));
        bed.run(flows, 1_500);
        expect(bed.violations).toEqual([]);
      },
    ),
    { numRuns: 40 },
  );
});

test("two flows that always have work get the same seats, within one seat-second", () => {
  const side = fc.record({
    concurrency: fc.integer({ min: 12, max: 200 }),
    serviceMs: fc.integer({ min: 1, max: 80 }),
  });
  // One width for both, and room for a whole number of them: seats that a wide request leaves empty while it waits for
  // its turn count as served in R, as upstream has it, and then the wider flow gets more.
  // What runs is charged when it ends, so a flow may be ahead by all seats for one service time; these stay below a second.
  const widths = fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 3 }));
  fc.assert(
    fc.property(side, side, widths, (one, other, [seats, times]) => {
      const bed = new QueueSetBed({ queues: 2, lengthMax: 1_000, limit: seats * times }, 1);
      const flow = (name: string, { concurrency, serviceMs }: typeof one, at: number): Flow =>
        flowOf(name, { hash: apart(at), concurrency, serviceMs, work: wide(seats) });
      bed.run([flow("one", one, 0), flow("other", other, 1)], 5_000);
      const difference = (bed.served.get("one") ?? 0) - (bed.served.get("other") ?? 0);
      expect(Math.abs(difference) / 1_000).toBeLessThanOrEqual(1);
    }),
    { numRuns: 40 },
  );
});

test("nobody starves: a lone request behind a flood of wide ones runs within its turn", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 100 }),
      (limit, seats, serviceMs) => {
        const bed = new QueueSetBed({ queues: 4, lengthMax: 1_000, limit }, 1);
        const flood = flowOf("flood", { hash: 0n, concurrency: 400, serviceMs, work: wide(seats) });
        const lone = flowOf("lone", { hash: 1n, concurrency: 1, serviceMs: 5 });
        bed.run([flood, lone], 2_000);
        expect(bed.started.get("lone")).toBeGreaterThan(10);
        // What runs must end, and one more of the flood may be ahead.
        expect(bed.longestWaitMs.get("lone")).toBeLessThanOrEqual(3 * Math.max(serviceMs, 5));
      },
    ),
    { numRuns: 30 },
  );
});

/** How long small requests wait, in the worst case, that come into a level which a crowd has kept busy for a while. */
function waitBesideCrowd(learns: boolean): number {
  const bed = new QueueSetBed({ queues: 64, lengthMax: 1_000, limit: 50, learns }, 1);
  // Of different lengths, so that seats become free one by one.
  const crowd = [211, 223, 227, 229, 233, 239].map((serviceMs, at) =>
    flowOf(`crowd-${at}`, { hash: apart(at), concurrency: 100, serviceMs }),
  );
  bed.run(crowd, 5_000);
  bed.run([flowOf("quiet", { hash: apart(10), concurrency: 1, serviceMs: 1 })], 10_000);
  return bed.longestWaitMs.get("quiet") ?? Infinity;
}

test("small requests hardly wait beside a crowd of long ones where durations are learned", () => {
  const [learned, guessed] = [waitBesideCrowd(true), waitBesideCrowd(false)];
  expect(learned * 3).toBeLessThan(guessed);
});

test("a flow of many identical agents gets one flow's part, not an agent's each", () => {
  fc.assert(
    fc.property(fc.integer({ min: 50, max: 600 }), (agents) => {
      const bed = new QueueSetBed({ queues: 64, lengthMax: 1_000, limit: 8 }, 1);
      const crowd = flowOf("crowd", { hash: apart(0), concurrency: agents });
      const others = [1, 2, 3].map((at) =>
        flowOf(`other-${at}`, { hash: apart(at), concurrency: 10 }),
      );
      bed.run([crowd, ...others], 2_000);
      const total = [...bed.served.values()].reduce((sum, served) => sum + served, 0);
      expect((bed.served.get("crowd") ?? 0) / total).toBeCloseTo(0.25, 1);
    }),
    { numRuns: 10 },
  );
});

test("all seats are used while somebody wants them", () => {
  const bed = new QueueSetBed({ queues: 16, lengthMax: 50, limit: 12 }, 4);
  bed.run([flowOf("busy", { concurrency: 100 })], 10_000);
  const served = [...bed.served.values()].reduce((sum, ms) => sum + ms, 0);
  expect(served / 10_000).toBeCloseTo(12, 1);
});

test("one flow may fill its hand of queues; what is beyond is refused at once", () => {
  const bed = new QueueSetBed({ queues: 16, lengthMax: 50, limit: 12 }, 4);
  const flow = flowOf("collectors", { hash: 987_654_321_987n });
  const outcomes = Array.from({ length: 300 }, () => bed.start(flow).kind);
  expect(outcomes.filter((kind) => kind === "Taken")).toHaveLength(12 + 200);
  expect(bed.set.counts.rejected).toBe(88);
  expect(bed.set.queues.filter((queue) => queue.waiting.size > 0)).toHaveLength(4);
});

test("a request wider than the limit runs, alone", () => {
  const bed = new QueueSetBed({ queues: 1, lengthMax: 50, limit: 5 }, 1);
  const narrow = bed.start(flowOf("narrow"));
  const broad = bed.start(flowOf("broad", { work: wide(10) }));
  const next = bed.start(flowOf("narrow"));
  if (narrow.kind !== "Taken" || broad.kind !== "Taken" || next.kind !== "Taken")
    throw new Error("all are taken");
  expect([narrow, broad, next].map(({ request }) => request.state)).toEqual([
    "Executing",
    "Waiting",
    "Waiting",
  ]);
  bed.set.finish(10, narrow.request);
  expect([broad.request.state, next.request.state]).toEqual(["Executing", "Waiting"]);
  expect(bed.set.seatsInUse).toBe(10);
  bed.set.finish(20, broad.request);
  expect(next.request.state).toBe("Executing");
});

test("final seats stay taken for the additional time, and the next waits for them", () => {
  const bed = new QueueSetBed({ queues: 1, lengthMax: 50, limit: 3 }, 1);
  const write = bed.start(
    flowOf("write", { work: { initialSeats: 1, finalSeats: 3, additionalMs: 15 } }),
  );
  const read = bed.start(flowOf("read"));
  if (write.kind !== "Taken" || read.kind !== "Taken") throw new Error("both are taken");
  expect(bed.set.finish(5, write.request)).toBe(15);
  expect(read.request.state).toBe("Waiting");
  bed.set.settle(20, write.request);
  expect(read.request.state).toBe("Executing");
});

test("final seats beyond the limit are reshaped to the same work", () => {
  const bed = new QueueSetBed({ queues: 1, lengthMax: 50, limit: 2 }, 1);
  const write = bed.start(
    flowOf("write", { work: { initialSeats: 1, finalSeats: 8, additionalMs: 10 } }),
  );
  if (write.kind !== "Taken") throw new Error("it is taken");
  expect([write.request.finalSeats, write.request.additionalMs]).toEqual([2, 40]);
});

test("who gives up waiting leaves no trace in the queue", () => {
  const bed = new QueueSetBed({ queues: 1, lengthMax: 50, limit: 1 }, 1);
  const [first, second, third] = ["a", "b", "c"].map((name) => bed.start(flowOf(name)));
  if (first?.kind !== "Taken" || second?.kind !== "Taken" || third?.kind !== "Taken")
    throw new Error("all are taken");
  bed.set.cancel(5, second.request);
  bed.set.cancel(6, second.request);
  expect([bed.set.waiting, bed.set.seatsWaiting, bed.set.counts.cancelled]).toEqual([1, 1, 1]);
  bed.set.finish(10, first.request);
  expect([second.request.state, third.request.state]).toEqual(["Done", "Executing"]);
});

test("without queues whoever finds no seat is refused; the exempt always find one", () => {
  const reject = new QueueSetBed({ queues: 0, lengthMax: 0, limit: 2 }, 0);
  expect(Array.from({ length: 3 }, () => reject.start(flowOf("x")).kind)).toEqual([
    "Taken",
    "Taken",
    "Rejected",
  ]);
  const exempt = new QueueSetBed({ queues: -1, lengthMax: 0, limit: 0 }, 0);
  expect(Array.from({ length: 3 }, () => exempt.start(flowOf("x")).kind)).not.toContain("Rejected");
});

test("a level that loses queues lets those it has drain", () => {
  const bed = new QueueSetBed({ queues: 4, lengthMax: 50, limit: 1 }, 1);
  const taken = [0n, 1n, 2n, 3n].map((hash) => bed.start(flowOf(`${hash}`, { hash })));
  bed.set.configure(1, { ...bed.shape, queues: 1, limit: 1 });
  expect(bed.set.queues).toHaveLength(4);
  for (const [turn, outcome] of taken.entries()) {
    if (outcome.kind !== "Taken") throw new Error("all are taken");
    expect(outcome.request.state).toBe("Executing");
    bed.set.finish(10 + turn, outcome.request);
  }
  expect(bed.set.queues.map(({ index }) => index)).toEqual([0]);
  expect(bed.set.isIdle).toBe(true);
});

test("a queue that slept gets nothing for the time it slept", () => {
  const bed = new QueueSetBed({ queues: 2, lengthMax: 1_000, limit: 4 }, 1);
  bed.run([flowOf("steady", { hash: 0n, concurrency: 50 })], 5_000);
  const before = bed.served.get("steady") ?? 0;
  bed.run([flowOf("late", { hash: 1n, concurrency: 50 })], 7_000);
  const steady = (bed.served.get("steady") ?? 0) - before;
  expect(steady / (steady + (bed.served.get("late") ?? 0))).toBeCloseTo(0.5, 1);
});
