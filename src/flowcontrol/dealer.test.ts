import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createTestHost } from "../host/host.testbed.ts";
import { dealHand, hashOfFlow } from "./dealer.ts";

test.each<[bigint, number, number, readonly number[]]>([
  [0n, 5, 3, [0, 1, 2]],
  // Remainders 3, 3, 3 of decks of 9, 8, 7: each card is counted among those that are left.
  [3n + 9n * (3n + 8n * 3n), 9, 3, [3, 4, 5]],
  [2n + 4n * 0n, 4, 2, [2, 0]],
  [7n, 1, 1, [0]],
])("hash %s deals from %i queues a hand of %i: %j", (hash, queues, size, hand) => {
  expect(dealHand(hash, queues, size)).toEqual(hand);
});

test("a hand has as many different queues as it should", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
      fc.integer({ min: 1, max: 128 }),
      fc.integer({ min: 1, max: 8 }),
      (hash, queues, size) => {
        const wanted = Math.min(size, queues);
        const hand = dealHand(hash, queues, wanted);
        expect(new Set(hand).size).toBe(wanted);
        expect(Math.min(...hand)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...hand)).toBeLessThan(queues);
      },
    ),
  );
});

test("every queue is dealt about as often as any other", () => {
  const { digest } = createTestHost();
  const counts = Array.from({ length: 16 }, () => 0);
  for (let flow = 0; flow < 4_000; flow++)
    for (const queue of dealHand(hashOfFlow(digest, "schema", `user-${flow}`), 16, 4))
      counts[queue]! += 1;
  expect(Math.min(...counts)).toBeGreaterThan(850);
  expect(Math.max(...counts)).toBeLessThan(1_150);
});

test("the hash is upstream's: first eight bytes of SHA-256, little endian, a NUL between the words", () => {
  const { digest } = createTestHost();
  const sum = digest.sha256(new TextEncoder().encode("a\0b"));
  let expected = 0n;
  for (let i = 7; i >= 0; i--) expected = (expected << 8n) + BigInt(sum[i]!);
  expect(hashOfFlow(digest, "a", "b")).toBe(expected);
});
