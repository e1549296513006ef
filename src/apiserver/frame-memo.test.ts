import { expect, it } from "vitest";
import type { CachedObject } from "../watchcache/resource-cache.ts";
import { FrameMemo } from "./frame-memo.ts";

const object = (key: string): CachedObject => ({ key, revision: 1, bytes: new Uint8Array(0) });

it("keeps young frames within its bound and forgets the oldest first", () => {
  const memo = new FrameMemo();
  let encoded = 0;
  const encode = (): Uint8Array => {
    encoded++;
    return new Uint8Array(10_000);
  };
  const objects = Array.from({ length: 30 }, (_, n) => object(`${n}`));
  for (const one of objects) memo.get(one, encode);
  expect(encoded).toBe(30);
  for (const one of objects.slice(-20)) memo.get(one, encode);
  expect(encoded).toBe(30);
  memo.get(objects[0]!, encode);
  expect(encoded).toBe(31);
});

it("does not hold frames that would crowd out the rest", () => {
  const memo = new FrameMemo();
  const large = object("large");
  const frame = (): Uint8Array => new Uint8Array(200_000);
  expect(memo.get(large, frame)).not.toBe(memo.get(large, frame));
});
