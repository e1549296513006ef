// The cache on the product's own memory store: what it answers is what the store holds, at any revision.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTestHost } from "../host/host.testbed.ts";
import { createMemoryStore } from "../storage/memory/memory-store.ts";
import type { Store } from "../storage/store.ts";
import { list, pod, podKey, podLayout, TestClient, watch } from "./watch-cache.testbed.ts";
import { createWatchCache } from "./watch-cache.ts";

const keys = ["a/1", "a/2", "b/1", "b/2"];

async function rangeOf(store: Store, revision: number): Promise<string[]> {
  const { prefix } = podLayout;
  const end = `${prefix.slice(0, -1)}0`;
  const result = await store.range({ start: prefix, end, revision });
  if (result.kind !== "Range") throw new Error(result.kind);
  return result.kvs.map(({ key, modRevision }) => `${key.slice(prefix.length)}@${modRevision}`);
}

describe("on the memory store", () => {
  it("lists and watches what was written, at every revision", async () => {
    const writes = fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean()), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(writes, fc.nat(40), async (steps, startAt) => {
        const host = createTestHost();
        const store = createMemoryStore(host);
        const cache = createWatchCache(host, store, { prefix: "/registry/" });
        const pods = cache.addResource(podLayout);
        const expected: string[] = [];
        const alive = new Set<string>();
        let client: TestClient | undefined;
        const begin = async (): Promise<void> => {
          await cache.start();
          client = new TestClient(await watch(pods));
        };
        for (const [i, [key, put]] of steps.entries()) {
          if (i === startAt) await begin();
          if (!put && !alive.has(key)) continue;
          const value = new TextEncoder().encode(JSON.stringify(pod(key)));
          const { revision } = await store.transact({
            compare: [],
            success: [
              put ? { kind: "Put", key: podKey(key), value } : { kind: "Delete", key: podKey(key) },
            ],
            failure: [],
          });
          const type = put ? (alive.has(key) ? "MODIFIED" : "ADDED") : "DELETED";
          if (client !== undefined) expected.push(`${type} ${key}@${revision}`);
          if (put) alive.add(key);
          else alive.delete(key);
        }
        if (client === undefined) await begin();
        const newest = await list(pods);
        for (let revision = 1; revision <= newest.revision; revision++) {
          const { items } = await list(pods, { resourceVersion: revision, match: "Exact" });
          const found = [...items].map(({ key, revision }) => `${key}@${revision}`);
          expect(found).toEqual(await rangeOf(store, revision));
        }
        expect(await client!.read()).toEqual(expected);
        cache.close();
        await store.close();
      }),
      { numRuns: 60 },
    );
  });
});
