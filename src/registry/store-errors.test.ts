import { describe, expect, test } from "vitest";
import { createNodeHost } from "../host/node/node-host.ts";
import type { StatusError } from "../api/meta/errors.ts";
import { type Store, StoreUnavailableError, ValueTooLargeError } from "../storage/store.ts";
import { listError, storeError, watchError } from "./store-errors.ts";
import { TestRegistries } from "./registries.testbed.ts";

describe("what the cache answers", () => {
  const expired = { kind: "Expired", asked: 3, oldest: 9 } as const;
  const tooLarge = { kind: "TooLarge", asked: 30, current: 9 } as const;

  test.each([
    [
      listError(expired, { paging: false, resumeToken: undefined }),
      410,
      "Expired",
      /^The resourceVersion for the provided list is too old\.$/,
    ],
    [
      listError(expired, { paging: true, resumeToken: undefined }),
      410,
      "Expired",
      /without the continue parameter\.$/,
    ],
    [
      listError(expired, { paging: true, resumeToken: "T" }),
      410,
      "Expired",
      /between the time the first chunk was returned and now may show up in the list\.$/,
    ],
    [watchError(expired), 410, "Expired", /^too old resource version: 3 \(9\)$/],
    [watchError(tooLarge), 504, "Timeout", /^Timeout: Too large resource version: 30, current: 9$/],
    [
      listError(tooLarge, { paging: false, resumeToken: undefined }),
      504,
      "Timeout",
      /^Timeout: Too large/,
    ],
  ])("becomes %s", (error, code, reason, message) => {
    expect([error.code, error.reason]).toEqual([code, reason]);
    expect(error.status.message).toMatch(message);
  });

  test("carries a fresh token where the rest of a list can start", () => {
    const error = listError(expired, { paging: true, resumeToken: "T" });
    expect(error.status.metadata).toEqual({ continue: "T" });
  });
});

test("what the store throws has upstream's words", () => {
  const large = storeError(new ValueTooLargeError("2 MiB")) as StatusError;
  expect([large.code, large.reason, large.message]).toEqual([
    500,
    "",
    "etcdserver: request is too large",
  ]);
  const cause = new StoreUnavailableError("etcdserver: request timed out");
  const away = storeError(cause) as StatusError;
  expect([away.code, away.message, away.cause]).toEqual([
    500,
    "etcdserver: request timed out",
    cause,
  ]);
  const other = new TypeError("a bug");
  expect(storeError(other)).toBe(other);
});

describe("a cache that never learns of a write", () => {
  const host = createNodeHost("silent", () => undefined);
  /** Reads and writes go through, the watch stays silent. */
  const deaf = (store: Store): Store => ({
    currentRevision: () => store.currentRevision(),
    range: (options) => store.range(options),
    transact: (transaction) => store.transact(transaction),
    watch: () => ({ requestProgress: () => {}, cancel: () => {} }),
    compact: (revision) => store.compact(revision),
    grantLease: (seconds) => store.grantLease(seconds),
    revokeLease: (lease) => store.revokeLease(lease),
    status: () => store.status(),
    close: () => store.close(),
  });

  test("makes writes slower, never wrong", async () => {
    const all = await TestRegistries.open(host, {}, deaf);
    const maps = all.of("", "configmaps");
    const first = await maps.create({ metadata: { name: "a" }, data: { n: "1" } });
    const second = await maps.put({ ...first, data: { n: "2" } });
    await expect(maps.put({ ...first, data: { n: "3" } })).rejects.toMatchObject({ code: 409 });
    const third = await maps.patch("a", (found) => {
      (found["data"] as Record<string, string>)["m"] = "1";
    });
    expect(third["data"]).toEqual({ m: "1", n: "2" });
    expect(second.metadata.uid).toBe(third.metadata.uid);
    await expect(maps.create({ metadata: { name: "a" } })).rejects.toMatchObject({ code: 409 });
    expect((await maps.delete("a")).gone).toBe(true);
    await expect(maps.patch("a", () => {})).rejects.toMatchObject({ code: 404 });
    await all.close();
  });
});
