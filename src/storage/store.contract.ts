// What every Store promises, as tests: called with each back end by that back end's own test file. Times are real, so
// that the same suite runs against a real etcd; nothing sleeps: tests wait for the events they speak of.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Compare,
  type KeyValue,
  LeaseNotFoundError,
  type Operation,
  type RangeResult,
  type Store,
  type StoreEvent,
  type StoreWatch,
  ValueTooLargeError,
  type WatchOptions,
  type WatchSink,
} from "./store.ts";

export interface OpenedStore {
  /** Empty. */
  readonly store: Store;
  /** Closes the store and opens it again on the same data; absent where nothing survives. */
  readonly reopen?: () => Promise<Store>;
  /** Closes what is open and removes the data. */
  readonly close: () => Promise<void>;
}

export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} keeps the contract of Store`, () => {
    let opened: OpenedStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    describe("transactions", () => {
      it("start from nothing and raise the revision by one", async () => {
        const before = await store.currentRevision();
        const first = await put(store, "/a", "1");
        const second = await put(store, "/b", "1");
        expect([first, second]).toEqual([before + 1, before + 2]);
        expect(await store.currentRevision()).toBe(before + 2);
      });

      it("count versions and remember the creation", async () => {
        const created = await put(store, "/a", "one");
        const changed = await put(store, "/a", "two");
        expect(await find(store, "/a")).toEqual({
          key: "/a",
          value: "two",
          createRevision: created,
          modRevision: changed,
          version: 2,
        });
        await remove(store, "/a");
        const again = await put(store, "/a", "three");
        expect(await find(store, "/a")).toEqual({
          key: "/a",
          value: "three",
          createRevision: again,
          modRevision: again,
          version: 1,
        });
      });

      it("put only what compares: 0 for a key that must not exist", async () => {
        const created = await store.transact({
          compare: [{ key: "/a", modRevision: 0 }],
          success: [putOf("/a", "mine")],
          failure: [],
        });
        expect(created.succeeded).toBe(true);
        expect(created.results).toEqual([undefined]);
        const lost = await store.transact({
          compare: [{ key: "/a", modRevision: 0 }],
          success: [putOf("/a", "other")],
          failure: [{ kind: "Get", key: "/a" }],
        });
        expect(lost.succeeded).toBe(false);
        expect(lost.results.map(plainOf)).toMatchObject([
          { value: "mine", modRevision: created.revision },
        ]);
        expect(lost.revision).toBe(created.revision);
      });

      it("decide between racing writers: exactly one wins", async () => {
        const base = await put(store, "/a", "base");
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            store.transact({
              compare: [{ key: "/a", modRevision: base }],
              success: [putOf("/a", `writer ${i}`)],
              failure: [{ kind: "Get", key: "/a" }],
            }),
          ),
        );
        const winners = outcomes.filter(({ succeeded }) => succeeded);
        expect(winners).toHaveLength(1);
        const stands = await find(store, "/a");
        for (const { succeeded, results } of outcomes) {
          if (!succeeded) expect(plainOf(results[0])).toEqual(stands);
        }
      });

      it("fail when any one of several comparisons fails", async () => {
        const revision = await put(store, "/a", "1");
        const compare: Compare[] = [
          { key: "/a", modRevision: revision },
          { key: "/b", modRevision: revision },
        ];
        const success = [putOf("/a", "2")];
        expect((await store.transact({ compare, success, failure: [] })).succeeded).toBe(false);
        expect(await find(store, "/a")).toMatchObject({ value: "1" });
      });

      it("change several keys in one revision, answering each operation", async () => {
        await put(store, "/gone", "old");
        const { revision, results } = await store.transact({
          compare: [],
          success: [
            putOf("/a", "1"),
            { kind: "Delete", key: "/gone" },
            { kind: "Get", key: "/a" },
            { kind: "Get", key: "/none" },
          ],
          failure: [],
        });
        expect(results[0]).toBeUndefined();
        expect(plainOf(results[1])).toMatchObject({ key: "/gone", value: "old" });
        expect(plainOf(results[2])).toMatchObject({ value: "1", modRevision: revision });
        expect(results[3]).toBeUndefined();
        expect(await keysAt(store, "/", "0")).toEqual(["/a"]);
      });

      it("delete only what compares, and give back what was removed", async () => {
        const revision = await put(store, "/a", "1");
        const attempt = (modRevision: number) =>
          store.transact({
            compare: [{ key: "/a", modRevision }],
            success: [{ kind: "Delete", key: "/a" }],
            failure: [{ kind: "Get", key: "/a" }],
          });
        const refused = await attempt(revision + 7);
        expect(refused.succeeded).toBe(false);
        expect(plainOf(refused.results[0])).toMatchObject({ value: "1" });
        const removed = await attempt(revision);
        expect(removed.revision).toBe(revision + 1);
        expect(plainOf(removed.results[0])).toMatchObject({ value: "1", modRevision: revision });
        expect(await find(store, "/a")).toBeUndefined();
      });

      it("that change nothing leave the revision alone", async () => {
        const revision = await put(store, "/a", "1");
        const nothing: Operation[][] = [
          [],
          [{ kind: "Get", key: "/a" }],
          [{ kind: "Delete", key: "/none" }],
        ];
        for (const success of nothing) {
          const result = await store.transact({ compare: [], success, failure: [] });
          expect(result).toMatchObject({ succeeded: true, revision });
        }
        expect(await store.currentRevision()).toBe(revision);
      });

      it("hold values up to the limit and refuse larger ones", async () => {
        const large = new Uint8Array(1_400_000).map((_, i) => i % 251);
        await store.transact({
          compare: [],
          success: [{ kind: "Put", key: "/large", value: large }],
          failure: [],
        });
        const found = await rangeOf(store, { start: "/large" });
        expect(found.kvs[0]!.value.length).toBe(large.length);
        expect(found.kvs[0]!.value.every((byte, i) => byte === i % 251)).toBe(true);
        const tooLarge = store.transact({
          compare: [],
          success: [{ kind: "Put", key: "/larger", value: new Uint8Array(1_572_865) }],
          failure: [],
        });
        await expect(tooLarge).rejects.toBeInstanceOf(ValueTooLargeError);
        expect(await find(store, "/larger")).toBeUndefined();
        await put(store, "/after", "still works");
      });

      it("keep bytes and keys exactly, also empty values and text beyond ASCII", async () => {
        const value = Uint8Array.from([0, 255, 128, 10, 13]);
        const keys = ["/ключ", "/key with space", "/\u{1F30A}", "/\uFFFD", "/z"];
        for (const key of keys) {
          await store.transact({
            compare: [],
            success: [{ kind: "Put", key, value }],
            failure: [],
          });
        }
        await put(store, "/empty", "");
        const { kvs } = await rangeOf(store, { start: "/", end: "0" });
        // The order of UTF-8 bytes: U+FFFD (EF BF BD) before U+1F30A (F0 9F 8C 8A).
        expect(kvs.map(({ key }) => key)).toEqual([
          "/empty",
          "/key with space",
          "/z",
          "/ключ",
          "/\uFFFD",
          "/\u{1F30A}",
        ]);
        expect(kvs.map((kv) => Array.from(kv.value))).toEqual([
          [],
          ...keys.map(() => Array.from(value)),
        ]);
      });
    });

    describe("ranges", () => {
      it("give the keys of the range in order, and only those", async () => {
        for (const key of ["/b/2", "/a", "/b/1", "/c", "/b/10"]) await put(store, key, key);
        expect(await keysAt(store, "/b/", "/b0")).toEqual(["/b/1", "/b/10", "/b/2"]);
        expect(await keysAt(store, "/b/1")).toEqual(["/b/1"]);
        expect(await keysAt(store, "/b")).toEqual([]);
        expect(await keysAt(store, "/x", "/y")).toEqual([]);
      });

      it("stop at the limit and still count everything", async () => {
        for (let i = 0; i < 7; i += 1) await put(store, `/p/${i}`, "v");
        const page = await rangeOf(store, { start: "/p/", end: "/p0", limit: 3 });
        expect(page.kvs.map(({ key }) => key)).toEqual(["/p/0", "/p/1", "/p/2"]);
        expect(page.count).toBe(7);
        const rest = await rangeOf(store, { start: "/p/2\0", end: "/p0", limit: 100 });
        expect(rest.kvs.map(({ key }) => key)).toEqual(["/p/3", "/p/4", "/p/5", "/p/6"]);
        expect(rest.count).toBe(4);
        const counted = await rangeOf(store, { start: "/p/", end: "/p0", limit: 0 });
        expect([counted.kvs.length, counted.count]).toEqual([0, 7]);
      });

      it("leave values out when only keys are asked for", async () => {
        const revision = await put(store, "/a", "value");
        const { kvs } = await rangeOf(store, { start: "/", end: "0", keysOnly: true });
        expect(kvs).toHaveLength(1);
        expect(kvs[0]).toMatchObject({ key: "/a", modRevision: revision, version: 1 });
        expect(kvs[0]!.value).toHaveLength(0);
      });

      it("read the past at every kept revision", async () => {
        const seen: [number, Record<string, string>][] = [];
        const state: Record<string, string> = {};
        for (let i = 0; i < 12; i += 1) {
          const key = `/k/${i % 3}`;
          const deletes = i % 5 === 4;
          const revision = deletes ? await remove(store, key) : await put(store, key, `value ${i}`);
          if (deletes) delete state[key];
          else state[key] = `value ${i}`;
          seen.push([revision, { ...state }]);
        }
        for (const [revision, expected] of seen) {
          const result = await rangeOf(store, { start: "/k/", end: "/k0", revision });
          expect(Object.fromEntries(result.kvs.map((kv) => [kv.key, textOf(kv.value)]))).toEqual(
            expected,
          );
          expect(result.count).toBe(Object.keys(expected).length);
          expect(result.revision).toBeGreaterThanOrEqual(revision);
        }
      });

      it("page through one revision while writes go on", async () => {
        for (let i = 0; i < 30; i += 1) await put(store, key2("/p/", i), "old");
        const { revision } = await rangeOf(store, { start: "/p/", end: "/p0", limit: 1 });
        const keys: string[] = [];
        let start = "/p/";
        for (;;) {
          const page = await rangeOf(store, { start, end: "/p0", revision, limit: 7 });
          keys.push(...page.kvs.map(({ key, value }) => `${key} ${textOf(value)}`));
          if (page.count === page.kvs.length) break;
          start = `${page.kvs.at(-1)!.key}\0`;
          await remove(store, key2("/p/", keys.length));
          await put(store, key2("/p/", keys.length + 40), "new");
        }
        expect(keys).toEqual(Array.from({ length: 30 }, (_, i) => `${key2("/p/", i)} old`));
      });

      it("give a large range whole", async () => {
        const value = "x".repeat(3000);
        const writes = Array.from({ length: 1200 }, (_, i) => put(store, key2("/l/", i), value));
        await Promise.all(writes);
        const { kvs, count } = await rangeOf(store, { start: "/l/", end: "/l0" });
        expect([kvs.length, count]).toEqual([1200, 1200]);
        expect(kvs.every((kv, i) => kv.key === key2("/l/", i) && kv.value.length === 3000)).toBe(
          true,
        );
      });

      it("refuse a revision that does not exist yet", async () => {
        const revision = await put(store, "/a", "1");
        const result = await store.range({ start: "/", end: "0", revision: revision + 10 });
        expect(result).toEqual({ kind: "FutureRevision", revision });
      });
    });

    describe("watches", () => {
      it("replay history, then go on live without a gap", async () => {
        const first = await put(store, "/w/a", "1");
        await put(store, "/other", "1");
        await put(store, "/w/b", "1");
        const watch = follow(store, { start: "/w/", end: "/w0", fromRevision: first });
        await watch.until(({ events }) => events.length >= 2);
        await remove(store, "/w/a");
        const last = await put(store, "/w/c", "1");
        await watch.until(({ revision }) => revision >= last);
        expect(watch.lines()).toEqual(["Put /w/a=1", "Put /w/b=1", "Delete /w/a=", "Put /w/c=1"]);
        expect(watch.events[2]!.kv).toMatchObject({ modRevision: last - 1 });
        watch.cancel();
      });

      it("lose and repeat nothing while they start in the middle of writes", async () => {
        const base = await store.currentRevision();
        const writes: Promise<number>[] = [];
        const watches: Recorder[] = [];
        for (let i = 0; i < 200; i += 1) {
          writes.push(put(store, `/m/${i % 10}`, String(i)));
          if (i % 20 !== 0) continue;
          watches.push(follow(store, { start: "/m/", end: "/m0", fromRevision: base + 1 }));
          await writes.at(-1);
        }
        const revisions = await Promise.all(writes);
        const last = Math.max(...revisions);
        for (const watch of watches) {
          await watch.until(({ revision }) => revision >= last);
          expect(watch.events.map(({ kv }) => kv.modRevision)).toEqual(
            Array.from({ length: 200 }, (_, i) => base + 1 + i),
          );
          watch.cancel();
        }
      });

      it("see one key, or a range, and nothing else", async () => {
        const from = (await store.currentRevision()) + 1;
        const one = follow(store, { start: "/a", fromRevision: from });
        const range = follow(store, { start: "/a/", end: "/a0", fromRevision: from });
        for (const key of ["/a", "/a/1", "/b", "/a0"]) await put(store, key, "v");
        const last = await put(store, "/a/2", "v");
        await put(store, "/a", "end");
        await one.until(({ events }) => events.length === 2);
        await range.until(({ revision }) => revision >= last);
        expect(one.lines()).toEqual(["Put /a=v", "Put /a=end"]);
        expect(range.lines()).toEqual(["Put /a/1=v", "Put /a/2=v"]);
        one.cancel();
        range.cancel();
      });

      it("wait for a first revision in the future", async () => {
        const from = (await store.currentRevision()) + 3;
        const watch = follow(store, { start: "/f/", end: "/f0", fromRevision: from });
        for (let i = 0; i < 4; i += 1) await put(store, "/f/a", String(i));
        await watch.until(({ revision }) => revision >= from + 1);
        expect(watch.lines()).toEqual(["Put /f/a=2", "Put /f/a=3"]);
        watch.cancel();
      });

      it("never split the events of one revision", async () => {
        const from = (await store.currentRevision()) + 1;
        const live = follow(store, { start: "/s/", end: "/s0", fromRevision: from });
        let last = 0;
        for (let i = 0; i < 30; i += 1) {
          const success = Array.from({ length: 40 }, (_, k) => putOf(`/s/${k}`, `${i}`.repeat(50)));
          last = (await store.transact({ compare: [], success, failure: [] })).revision;
        }
        const replay = follow(store, { start: "/s/", end: "/s0", fromRevision: from });
        for (const watch of [live, replay]) {
          await watch.until(({ revision }) => revision >= last);
          expect(watch.events).toHaveLength(1200);
          expect(watch.splitRevisions).toEqual([]);
          watch.cancel();
        }
      });

      it("report progress on request, in order with the events", async () => {
        const from = (await store.currentRevision()) + 1;
        const watch = follow(store, { start: "/p/", end: "/p0", fromRevision: from });
        watch.requestProgress();
        await put(store, "/p/a", "1");
        const outside = await put(store, "/elsewhere", "1");
        watch.requestProgress();
        await watch.until(({ revision }) => revision >= outside);
        expect(watch.lines()).toEqual(["Put /p/a=1"]);
        expect(watch.disorder).toEqual([]);
        watch.cancel();
      });

      it("report no progress ahead of events under load", async () => {
        const from = (await store.currentRevision()) + 1;
        const watch = follow(store, { start: "/p/", end: "/p0", fromRevision: from });
        let last = 0;
        for (let round = 0; round < 20; round += 1) {
          const writes = Array.from({ length: 10 }, (_, i) =>
            put(store, i % 2 === 0 ? `/p/${i}` : `/q/${i}`, String(round)),
          );
          watch.requestProgress();
          last = Math.max(...(await Promise.all(writes)));
        }
        watch.requestProgress();
        await watch.until(({ revision }) => revision >= last);
        expect(watch.events).toHaveLength(100);
        expect(watch.disorder).toEqual([]);
        watch.cancel();
      });

      it("are silent after they were cancelled", async () => {
        const from = (await store.currentRevision()) + 1;
        const cancelled = follow(store, { start: "/", end: "0", fromRevision: from });
        const other = follow(store, { start: "/", end: "0", fromRevision: from });
        await put(store, "/a", "1");
        await cancelled.until(({ events }) => events.length === 1);
        cancelled.cancel();
        cancelled.cancel();
        const last = await put(store, "/a", "2");
        await other.until(({ revision }) => revision >= last);
        expect(cancelled.events).toHaveLength(1);
        expect(cancelled.end).toBeUndefined();
        other.cancel();
      });
    });

    describe("compaction", () => {
      it("ends reads and watches of older history, and no others", async () => {
        const old = await put(store, "/a", "1");
        await put(store, "/a", "2");
        await put(store, "/b", "1");
        await remove(store, "/b");
        const kept = await put(store, "/a", "3");
        await store.compact(kept);
        const compacted = { kind: "Compacted", compactRevision: kept };
        expect(await store.range({ start: "/", end: "0", revision: old })).toEqual(compacted);
        expect((await store.status()).compactRevision).toBe(kept);
        expect(await keysAt(store, "/", "0", kept)).toEqual(["/a"]);
        expect(await find(store, "/a")).toMatchObject({ value: "3", version: 3 });
        const late = follow(store, { start: "/", end: "0", fromRevision: old });
        await late.until(({ end }) => end !== undefined);
        expect(late.end).toEqual(compacted);
        expect(late.events).toEqual([]);
        const last = await put(store, "/a", "4");
        const good = follow(store, { start: "/", end: "0", fromRevision: kept + 1 });
        await good.until(({ revision }) => revision >= last);
        expect(good.lines()).toEqual(["Put /a=4"]);
        good.cancel();
      });

      it("keeps what is still needed and may come again", async () => {
        const revisions: number[] = [];
        for (let i = 0; i < 60; i += 1) revisions.push(await put(store, `/c/${i % 6}`, String(i)));
        for (const revision of [revisions[20]!, revisions[20]!, revisions[10]!, revisions[40]!]) {
          await store.compact(revision);
        }
        for (let i = 40; i < 60; i += 1) {
          const { kvs } = await rangeOf(store, {
            start: "/c/",
            end: "/c0",
            revision: revisions[i]!,
          });
          const newest = Math.max(...kvs.map((kv) => Number(textOf(kv.value))));
          expect([kvs.length, newest]).toEqual([6, i]);
        }
      });
    });

    describe("leases", () => {
      it("delete their keys in one revision when they run out", async () => {
        const lease = await store.grantLease(1);
        const from = (await store.currentRevision()) + 1;
        const watch = follow(store, { start: "/", end: "0", fromRevision: from });
        for (const key of ["/e/1", "/e/2", "/e/3"]) await put(store, key, "v", lease);
        await put(store, "/stays", "v");
        expect((await rangeOf(store, { start: "/e/1" })).kvs[0]!.lease).toBe(lease);
        await watch.until(({ events }) => events.length === 7);
        const deletions = watch.events.slice(4);
        expect(deletions.map(({ type, kv }) => `${type} ${kv.key}`).toSorted()).toEqual([
          "Delete /e/1",
          "Delete /e/2",
          "Delete /e/3",
        ]);
        expect(new Set(deletions.map(({ kv }) => kv.modRevision)).size).toBe(1);
        expect(await keysAt(store, "/", "0")).toEqual(["/stays"]);
        await expect(put(store, "/late", "v", lease)).rejects.toBeInstanceOf(LeaseNotFoundError);
        watch.cancel();
      });

      it("hold only the keys that were last put with them", async () => {
        const lease = await store.grantLease(100);
        const other = await store.grantLease(100);
        await put(store, "/freed", "v", lease);
        await put(store, "/freed", "w");
        await put(store, "/moved", "v", lease);
        await put(store, "/moved", "w", other);
        await put(store, "/again", "v", lease);
        await remove(store, "/again");
        await put(store, "/again", "w");
        await put(store, "/held", "v", lease);
        await store.revokeLease(lease);
        expect(await keysAt(store, "/", "0")).toEqual(["/again", "/freed", "/moved"]);
        await store.revokeLease(other);
        expect(await keysAt(store, "/", "0")).toEqual(["/again", "/freed"]);
      });

      it("must exist to be put with", async () => {
        const lease = await store.grantLease(100);
        await store.revokeLease(lease);
        await store.revokeLease(lease);
        const revision = await store.currentRevision();
        await expect(put(store, "/a", "v", lease)).rejects.toBeInstanceOf(LeaseNotFoundError);
        expect(await store.currentRevision()).toBe(revision);
      });
    });

    it("tells its state", async () => {
      const revision = await put(store, "/a", "x".repeat(1000));
      const status = await store.status();
      expect(status.revision).toBe(revision);
      expect(status.sizeBytes).toBeGreaterThanOrEqual(1000);
    });

    it("answers nothing after it was closed, and ends its watches", async () => {
      const from = (await store.currentRevision()) + 1;
      const watch = follow(store, { start: "/", end: "0", fromRevision: from });
      await put(store, "/a", "1");
      await store.close();
      await store.close();
      await watch.until(({ end }) => end !== undefined);
      expect(watch.end).toMatchObject({ kind: "Disconnected" });
      const late = follow(store, { start: "/", end: "0", fromRevision: 1 });
      await late.until(({ end }) => end !== undefined);
      const calls: (() => Promise<unknown>)[] = [
        () => store.currentRevision(),
        () => store.range({ start: "/a" }),
        () => put(store, "/b", "1"),
        () => store.compact(1),
        () => store.grantLease(1),
        () => store.revokeLease("1"),
        () => store.status(),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({ name: "StoreUnavailableError" });
      }
    });

    it("finds everything again after it was opened anew", async () => {
      // Skip: a store that cannot be opened again promises nothing to survive.
      if (opened.reopen === undefined) return;
      const first = await put(store, "/a", "1");
      await put(store, "/a", "2");
      await put(store, "/b", "1");
      const deleted = await remove(store, "/b");
      const lease = await store.grantLease(100);
      const leased = await put(store, "/leased", "v", lease);
      await store.compact(first + 1);
      const again = await opened.reopen();
      expect(await again.currentRevision()).toBe(leased);
      expect((await again.status()).compactRevision).toBe(first + 1);
      expect(await find(again, "/a")).toEqual({
        key: "/a",
        value: "2",
        createRevision: first,
        modRevision: first + 1,
        version: 2,
      });
      expect(await keysAt(again, "/", "0", deleted - 1)).toEqual(["/a", "/b"]);
      expect(await keysAt(again, "/", "0")).toEqual(["/a", "/leased"]);
      const watch = follow(again, { start: "/", end: "0", fromRevision: deleted });
      const next = await put(again, "/c", "1");
      expect(next).toBe(leased + 1);
      await watch.until(({ revision }) => revision >= next);
      expect(watch.lines()).toEqual(["Delete /b=", "Put /leased=v", "Put /c=1"]);
      await again.revokeLease(lease);
      expect(await keysAt(again, "/", "0")).toEqual(["/a", "/c"]);
      watch.cancel();
    });
  });
}

/** What a watch has said, with what it must never say noted down. */
interface Recorder extends StoreWatch {
  readonly events: StoreEvent[];
  /** Everything up to it is known. */
  readonly revision: number;
  readonly end: unknown;
  /** Events or progress that came behind the revision already reported. */
  readonly disorder: string[];
  /** Revisions whose events came in more than one call. */
  readonly splitRevisions: number[];
  lines(): string[];
  until(reached: (recorder: Recorder) => boolean): Promise<void>;
}

function follow(store: Store, options: WatchOptions): Recorder {
  const waiting: { reached: (recorder: Recorder) => boolean; resolve: () => void }[] = [];
  let revision = 0;
  let end: unknown;
  const events: StoreEvent[] = [];
  const disorder: string[] = [];
  const splitRevisions: number[] = [];
  const wake = (): void => {
    for (const entry of waiting.splice(0)) {
      if (entry.reached(recorder)) entry.resolve();
      else waiting.push(entry);
    }
  };
  const sink: WatchSink = {
    events(portion, upTo) {
      const first = portion[0]!.kv.modRevision;
      if (first <= revision) disorder.push(`event ${first} after ${revision}`);
      if (events.at(-1)?.kv.modRevision === first) splitRevisions.push(first);
      if (portion.at(-1)!.kv.modRevision > upTo) disorder.push(`events beyond ${upTo}`);
      events.push(...portion);
      revision = upTo;
      wake();
    },
    progress(upTo) {
      if (upTo < revision) disorder.push(`progress ${upTo} after ${revision}`);
      revision = upTo;
      wake();
    },
    ended(reason) {
      end = reason;
      wake();
    },
  };
  const watch = store.watch(options, sink);
  const recorder: Recorder = {
    ...watch,
    events,
    disorder,
    splitRevisions,
    get revision() {
      return revision;
    },
    get end() {
      return end;
    },
    lines: () => events.map(({ type, kv }) => `${type} ${kv.key}=${textOf(kv.value)}`),
    until: (reached) =>
      new Promise((resolve) => {
        waiting.push({ reached, resolve });
        wake();
      }),
  };
  return recorder;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function textOf(value: Uint8Array): string {
  return decoder.decode(value);
}

/** Numbered so that the order of the keys is the order of the numbers. */
function key2(prefix: string, index: number): string {
  return `${prefix}${String(index).padStart(5, "0")}`;
}

function putOf(key: string, text: string, lease?: string): Operation {
  const put = { kind: "Put", key, value: encoder.encode(text) } as const;
  return lease === undefined ? put : { ...put, lease };
}

async function put(store: Store, key: string, text: string, lease?: string): Promise<number> {
  const success = [putOf(key, text, lease)];
  return (await store.transact({ compare: [], success, failure: [] })).revision;
}

async function remove(store: Store, key: string): Promise<number> {
  const success: Operation[] = [{ kind: "Delete", key }];
  return (await store.transact({ compare: [], success, failure: [] })).revision;
}

async function rangeOf(
  store: Store,
  options: Parameters<Store["range"]>[0],
): Promise<Extract<RangeResult, { kind: "Range" }>> {
  const result = await store.range(options);
  if (result.kind !== "Range") throw new Error(`range answered ${result.kind}`);
  return result;
}

async function keysAt(
  store: Store,
  start: string,
  end?: string,
  revision?: number,
): Promise<string[]> {
  const { kvs } = await rangeOf(store, {
    start,
    ...(end === undefined ? {} : { end }),
    ...(revision === undefined ? {} : { revision }),
  });
  return kvs.map(({ key }) => key);
}

async function find(store: Store, key: string): Promise<object | undefined> {
  return plainOf((await rangeOf(store, { start: key })).kvs[0]);
}

/** The key and its state with the value as text. */
function plainOf(kv: KeyValue | undefined): object | undefined {
  return kv && { ...kv, value: textOf(kv.value) };
}
