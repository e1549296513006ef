// The cache against the plainest model: any history of writes, any reads and watches in between, any breaks of the feed.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { settle } from "../host/host.testbed.ts";
import type { KubeObject } from "../api/object.ts";
import type { Selection } from "./resource-cache.ts";
import {
  type Bed,
  pod,
  podKey,
  podLayout,
  select,
  start,
  TestClient,
  watch,
} from "./watch-cache.testbed.ts";

const keys = ["a/1", "a/2", "a/3", "ab/1", "b/1", "b/2", "b-c/1"];
const values = ["x", "y", ""];

const selections: Selection[] = ["", "a", "b"].flatMap((namespace) =>
  ["", "app=x", "app!=x", "app in (x,y),!none", "tier"].flatMap((labels) =>
    ["", "metadata.name=1", "spec.nodeName=x", "spec.nodeName!=y,status.phase="].map((fields) =>
      select(namespace, labels, fields),
    ),
  ),
);

interface ModelObject {
  readonly key: string;
  readonly object: KubeObject;
  readonly revision: number;
}

function selected(selection: Selection, { key, object }: ModelObject): boolean {
  const [namespace, name] = key.split("/");
  if (selection.namespace !== "" && namespace !== selection.namespace) return false;
  const { spec, status } = object as { spec?: { nodeName?: string }; status?: { phase?: string } };
  const fields: Record<string, string> = {
    "metadata.name": name!,
    "spec.nodeName": spec?.nodeName ?? "",
    "status.phase": status?.phase ?? "",
  };
  const labels = object.metadata.labels ?? {};
  return (
    selection.fields.every(
      ({ field, operator, value }) => (fields[field] === value) === (operator === "="),
    ) &&
    selection.labels.every(({ key, operator, values }) => {
      const value = labels[key];
      if (operator === "exists") return value !== undefined;
      if (operator === "!") return value === undefined;
      const among = value !== undefined && values.includes(value);
      return operator === "=" || operator === "in" ? among : !among;
    })
  );
}

class Model {
  readonly #bed: Bed;

  constructor(bed: Bed) {
    this.#bed = bed;
  }

  all(revision: number): ModelObject[] {
    return [...this.#bed.store.at(revision).values()].map((kv) => ({
      key: kv.key.slice(podLayout.prefix.length),
      object: JSON.parse(new TextDecoder().decode(kv.value)) as KubeObject,
      revision: kv.modRevision,
    }));
  }

  list(selection: Selection, revision: number): string[] {
    return this.all(revision)
      .filter((object) => selected(selection, object))
      .map(({ key, revision }) => `${key}@${revision}`);
  }

  /** What a watch must have said of the revisions in (after, until]. */
  watch(selection: Selection, after: number, until: number): string[] {
    const texts: string[] = [];
    for (let revision = after + 1; revision <= until; revision++) {
      const before = new Map(this.all(revision - 1).map((object) => [object.key, object]));
      const now = new Map(this.all(revision).map((object) => [object.key, object]));
      for (const key of [...new Set([...before.keys(), ...now.keys()])].sort()) {
        if (before.get(key)?.revision === now.get(key)?.revision) continue;
        const was = before.has(key) && selected(selection, before.get(key)!);
        const is = now.has(key) && selected(selection, now.get(key)!);
        if (was || is)
          texts.push(`${is ? (was ? "MODIFIED" : "ADDED") : "DELETED"} ${key}@${revision}`);
      }
    }
    return texts;
  }
}

type Step =
  | {
      readonly do: "write";
      readonly changes: readonly (readonly [string, string | undefined, number])[];
    }
  | {
      readonly do: "list";
      readonly selection: Selection;
      readonly back: number;
      readonly limit: number;
    }
  | { readonly do: "watch"; readonly selection: Selection; readonly back: number | "state" }
  | { readonly do: "read"; readonly which: number }
  | { readonly do: "pause"; readonly paused: boolean }
  | { readonly do: "disconnect" };

const selection = fc.constantFrom(...selections);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      changes: fc.uniqueArray(
        fc.tuple(
          fc.constantFrom(...keys),
          fc.option(fc.constantFrom(...values), { nil: undefined }),
          fc.nat(2),
        ),
        { minLength: 1, maxLength: 3, selector: ([key]) => key },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("list" as const),
      selection,
      back: fc.nat(12),
      limit: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("watch" as const),
      selection,
      back: fc.oneof(fc.nat(6), fc.constant("state" as const)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("read" as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), paused: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("disconnect" as const) }) },
);

interface OpenClient {
  readonly client: TestClient;
  readonly selection: Selection;
  readonly after: number;
  readonly state: readonly string[];
  readonly received: string[];
}

class Run {
  readonly #bed: Bed;
  readonly #model: Model;
  readonly #clients: OpenClient[] = [];

  constructor(bed: Bed) {
    this.#bed = bed;
    this.#model = new Model(bed);
  }

  async take(step: Step): Promise<void> {
    const { store, pods, host } = this.#bed;
    switch (step.do) {
      case "write":
        store.write(
          Object.fromEntries(
            step.changes
              .toSorted(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, value, which]) => [
                podKey(key),
                value === undefined ? undefined : variant(key, value, which),
              ]),
          ),
        );
        return;
      case "pause":
        store.paused = step.paused;
        store.deliver();
        return;
      case "disconnect":
        store.disconnect();
        await host.advance(200);
        return;
      case "list":
        return await this.#list(step.selection, Math.max(2, pods.revision - step.back), step.limit);
      case "watch":
        return await this.#watch(step.selection, step.back);
      case "read": {
        const open = this.#clients[step.which % Math.max(1, this.#clients.length)];
        if (open !== undefined) open.received.push(...(await open.client.read()));
      }
    }
  }

  async finish(): Promise<void> {
    const { store, host, pods } = this.#bed;
    store.paused = false;
    store.deliver();
    await host.advance(10_000);
    expect(pods.revision).toBe(store.revision);
    for (const { client, selection, after, state, received } of this.#clients) {
      received.push(...(await client.read()));
      const expected = [...state, ...this.#model.watch(selection, after, store.revision)];
      const tooSlow = received.at(-1) === "TooSlow";
      if (tooSlow) received.pop();
      expect(received).toEqual(tooSlow ? expected.slice(0, received.length) : expected);
    }
    const now = await pods.list({ selection: select(), limit: 0 });
    expect(now).toMatchObject({ kind: "List", revision: store.revision });
    // The indexes hold what is there and nothing else.
    for (const value of values) {
      await this.#list(select("", `app=${value}`), store.revision, 0);
      await this.#list(select("", "", `spec.nodeName=${value}`), store.revision, 0);
    }
  }

  async #list(selection: Selection, revision: number, limit: number): Promise<void> {
    const expected = this.#model.list(selection, revision);
    const found: string[] = [];
    let continueFrom: { revision: number; startKey: string } | undefined;
    do {
      const outcome = await this.#bed.pods.list(
        continueFrom === undefined
          ? { selection, limit, resourceVersion: revision, match: "Exact" }
          : { selection, limit, continueFrom },
      );
      if (outcome.kind !== "List") throw new Error(JSON.stringify(outcome));
      expect(outcome.revision).toBe(revision);
      found.push(...[...outcome.items].map(({ key, revision }) => `${key}@${revision}`));
      const { nextKey, remaining } = outcome;
      const unfiltered = selection.labels.length === 0 && selection.fields.length === 0;
      if (nextKey !== undefined && unfiltered)
        expect(remaining).toBe(expected.length - found.length);
      else expect(remaining).toBeUndefined();
      continueFrom = nextKey === undefined ? undefined : { revision, startKey: nextKey };
    } while (continueFrom !== undefined);
    expect(found).toEqual(expected);
  }

  async #watch(selection: Selection, back: number | "state"): Promise<void> {
    const { pods } = this.#bed;
    const state = back === "state";
    const after = state ? pods.revision : Math.max(pods.revision - back, 2);
    const outcome = await pods.watch({
      selection,
      from: state ? { kind: "State", revision: 0 } : { kind: "After", revision: after },
      initialEventsEnd: false,
      bookmarks: false,
      endsAt: Infinity,
    });
    if (outcome.kind === "Expired") {
      expect(after).toBeLessThan(outcome.oldest);
      return;
    }
    if (outcome.kind !== "Watcher") throw new Error(JSON.stringify(outcome));
    const initial = state ? this.#model.list(selection, after).map((text) => `ADDED ${text}`) : [];
    const client = new TestClient(outcome.watcher);
    this.#clients.push({ client, selection, after, state: initial, received: [] });
  }
}

function variant(key: string, value: string, which: number): KubeObject {
  if (which === 0) return pod(key, { labels: { app: value }, node: value });
  if (which === 1) return pod(key, { labels: { tier: value, none: "" }, phase: value });
  return pod(key, { node: value });
}

describe("the cache", () => {
  it("answers lists and watches as the history says", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 60, size: "max" }),
        fc.record({ eventsMin: fc.nat(3), eventsMax: fc.integer({ min: 2, max: 12 }) }),
        async (steps, window) => {
          const bed = await start(["a/1"], { window });
          const run = new Run(bed);
          for (const step of steps) {
            await run.take(step);
            await settle();
          }
          await run.finish();
          bed.cache.close();
          expect(bed.host.timers).toBe(0);
          expect(bed.pods.counters.watchersOpen).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("does not let a watcher of one selection see another's events", async () => {
    const { pods, store } = await start();
    const client = new TestClient(await watch(pods, { selection: select("a") }));
    store.write({ [podKey("ab/1")]: pod("ab/1") });
    expect(await client.read()).toEqual([]);
  });
});
