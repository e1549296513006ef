import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Heap } from "./heap.ts";

const heapOf = (numbers: readonly number[]): Heap<number> => {
  const heap = new Heap<number>((a, b) => a < b);
  for (const number of numbers) heap.push(number);
  return heap;
};

const emptied = (heap: Heap<number>): number[] => {
  const taken: number[] = [];
  while (heap.size > 0) taken.push(heap.pop()!);
  return taken;
};

it("gives its items in order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (numbers) => {
      expect(emptied(heapOf(numbers))).toEqual(numbers.toSorted((a, b) => a - b));
    }),
  );
});

it("forgets what matches and keeps the rest in order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(5), (numbers, divisor) => {
      const isOut = (number: number): boolean => number % (divisor + 2) === 0;
      const heap = heapOf(numbers);
      expect(heap.removeWhere(isOut).toSorted()).toEqual(numbers.filter(isOut).toSorted());
      const left = numbers.filter((number) => !isOut(number));
      expect(emptied(heap)).toEqual(left.toSorted((a, b) => a - b));
    }),
  );
});

it("has nothing when it is empty", () => {
  const heap = heapOf([]);
  expect([heap.peek(), heap.pop(), heap.size]).toEqual([undefined, undefined, 0]);
});
