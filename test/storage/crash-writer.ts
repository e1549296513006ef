// The process that crash.test.ts kills: writes to a durable store as fast as it can and says each write that was
// acknowledged, as a line `<key> <sequence> <revision>` on standard output.
import { writeSync } from "node:fs";
import { createNodeHost } from "../../src/host/node/node-host.ts";
import { openLmdbStore } from "../../src/storage/lmdb/lmdb-store.ts";
import type { Operation, Store } from "../../src/storage/store.ts";
import { crashValue } from "./crash-value.ts";

const writers = 32;
/** Little history is kept, so that compaction is under way at most moments. */
const revisionsKept = 2000;

const host = createNodeHost("error", (line) => process.stderr.write(`${line}\n`));
const [folder, round] = [process.argv[2]!, Number(process.argv[3])];
writeSync(1, "starting\n");
const store = await openLmdbStore(host, { folder, durability: "sync" });
await Promise.all([compactAlways(store), ...Array.from({ length: writers }, write)]);

async function write(_: unknown, writer: number): Promise<never> {
  const key = `/crash/${writer}`;
  for (let sequence = round * 1e6; ; sequence += 1) {
    const success = [putOf(key, sequence), putOf(`${key}/twin`, sequence)];
    const { revision } = await store.transact({ compare: [], success, failure: [] });
    writeSync(1, `${key} ${sequence} ${revision}\n`);
  }
}

async function compactAlways(store: Store): Promise<never> {
  for (;;) {
    const { revision, compactRevision } = await store.status();
    const target = revision - revisionsKept;
    if (target > compactRevision + 200) await store.compact(target);
    await host.clock.turn();
  }
}

function putOf(key: string, sequence: number): Operation {
  return { kind: "Put", key, value: crashValue(key, sequence) };
}
