import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readCrashValue } from "../../../test/storage/crash-value.ts";
import { createNodeHost } from "../../host/node/node-host.ts";
import type { Store, StoreEvent } from "../store.ts";
import { openLmdbStore } from "./lmdb-store.ts";

const kills = 24;
const acknowledgedMax = 2500;
const source = fileURLToPath(new URL("../../../test/storage/crash-writer.ts", import.meta.url));
const cache = fileURLToPath(new URL("../../../.cache/", import.meta.url));
const host = createNodeHost("silent", () => undefined);

let folder: string;
let script: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wavetank-crash-"));
  // Built once, for two dozen starts; inside the repository, where it finds its packages.
  script = join(cache, `crash-writer-${process.pid}.mjs`);
  buildSync({
    entryPoints: [source],
    outfile: script,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  rmSync(script, { force: true });
});

interface Acknowledged {
  readonly key: string;
  readonly sequence: number;
  readonly revision: number;
}

it(`loses nothing acknowledged when it is killed ${kills} times under load`, async () => {
  let acknowledgedInAll = 0;
  const newest = new Map<string, Acknowledged>();
  for (let round = 1; round <= kills; round += 1) {
    // Some are killed while they open the folder, the others after some number of writes.
    const killAfter = round % 6 === 0 ? 0 : 1 + Math.floor(Math.random() ** 2 * acknowledgedMax);
    const acknowledged = await writeUntilKilled(round, killAfter);
    acknowledgedInAll += acknowledged.length;
    for (const write of acknowledged) newest.set(write.key, write);
    const store = await openLmdbStore(host, { folder: join(folder, "store"), durability: "sync" });
    const context = `round ${round}, killed after ${killAfter} acknowledged writes`;
    const found = await problems(store, acknowledged, newest);
    expect(found.slice(0, 10), context).toEqual([]);
    await store.close();
  }
  expect(acknowledgedInAll).toBeGreaterThan(kills * 10);
}, 120_000);

async function writeUntilKilled(round: number, killAfter: number): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, [script, join(folder, "store"), String(round)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const acknowledged: Acknowledged[] = [];
  for await (const line of linesOf(child)) {
    // What was written to the pipe before the kill counts as said.
    if (line !== "starting") acknowledged.push(parse(line));
    if (acknowledged.length >= killAfter) child.kill("SIGKILL");
  }
  expect(await exited).toEqual([null, "SIGKILL"]);
  return acknowledged;
}

function linesOf(child: ChildProcess): AsyncIterable<string> {
  return createInterface({ input: child.stdout! });
}

function parse(line: string): Acknowledged {
  const [key, sequence, revision] = line.split(" ");
  return { key: key!, sequence: Number(sequence), revision: Number(revision) };
}

async function problems(
  store: Store,
  acknowledged: readonly Acknowledged[],
  newest: ReadonlyMap<string, Acknowledged>,
): Promise<string[]> {
  const found: string[] = [];
  const { revision, compactRevision } = await store.status();
  const history = await historyOf(store, Math.max(2, compactRevision + 1), revision);
  const written = new Map<string, number>();
  // The empty store is at revision 1: the first change is 2.
  let expected = Math.max(2, compactRevision + 1);
  for (const { kv } of history) {
    const sequence = readCrashValue(kv.value);
    if (sequence === undefined) found.push(`${kv.key} is torn at ${kv.modRevision}`);
    else written.set(`${kv.key} ${kv.modRevision}`, sequence);
    if (kv.key.endsWith("/twin")) expected += 1;
    else if (kv.modRevision !== expected) found.push(`${kv.modRevision} where ${expected} was due`);
  }
  if (history.length > 0 && expected !== revision + 1)
    found.push(`history ends at ${expected - 1}`);
  for (const { key, sequence, revision } of acknowledged) {
    if (revision <= compactRevision) continue;
    for (const name of [key, `${key}/twin`]) {
      if (written.get(`${name} ${revision}`) !== sequence) found.push(`${name} ${revision} lost`);
    }
  }
  const range = await store.range({ start: "/crash/", end: "/crash0" });
  if (range.kind !== "Range") return [...found, range.kind];
  const state = new Map(range.kvs.map((kv) => [kv.key, readCrashValue(kv.value)]));
  for (const { key, sequence } of newest.values()) {
    const now = state.get(key);
    if (now === undefined || now < sequence) found.push(`${key} is ${now}, was ${sequence}`);
    if (now !== state.get(`${key}/twin`)) found.push(`${key} and its twin differ`);
  }
  return found;
}

function historyOf(store: Store, from: number, to: number): Promise<StoreEvent[]> {
  if (from > to) return Promise.resolve([]);
  return new Promise((resolve, reject) => {
    const all: StoreEvent[] = [];
    const options = { start: "/crash/", end: "/crash0", fromRevision: from };
    const watch = store.watch(options, {
      events(events, revision) {
        all.push(...events);
        if (revision < to) return;
        watch.cancel();
        resolve(all);
      },
      progress: () => undefined,
      ended: (reason) => reject(new Error(`history ended: ${reason.kind}`)),
    });
  });
}
