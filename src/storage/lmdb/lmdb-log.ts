// A RevisionLog in one LMDB environment. `changes` and `values` are apart and both keyed by the change's id: opening
// reads only the small records, a value is read from the map when somebody wants it. One batch is one LMDB
// transaction, written and synced by lmdb's own thread.
import { type Database, type RootDatabase, open } from "lmdb";
import { assert } from "../../std/assert.ts";
import type { LogBatch, LogContent, LoggedChange, RevisionLog } from "../mvcc/revision-log.ts";
import { decodeChange, encodeChange } from "./change-codec.ts";
import { databaseSizeBytes } from "./folder-format.ts";

export type Durability = "sync" | "relaxed";

const compactRevisionKey = "compactRevision";

export class LmdbLog implements RevisionLog {
  readonly #folder: string;
  readonly #root: RootDatabase<string, string>;
  readonly #changes: Database<Buffer, number>;
  readonly #values: Database<Buffer, number>;
  readonly #leases: Database<string, string>;
  #failed = false;

  constructor(folder: string, durability: Durability) {
    this.#folder = folder;
    this.#root = open<string, string>({
      path: folder,
      noSubdir: false,
      encoding: "string",
      // Overlapping syncs answer at the commit, before the sync: a crash of the machine may take the last writes back,
      // but leaves a whole database. Without them the answer comes after the sync.
      overlappingSync: durability === "relaxed",
      // Every write is in a batch of ours already. lmdb's own batch around those has a promise that nobody is given, and
      // a full disk would end the process with its rejection.
      eventTurnBatching: false,
    });
    this.#changes = this.#root.openDB({ name: "changes", encoding: "binary" });
    this.#values = this.#root.openDB({ name: "values", encoding: "binary" });
    this.#leases = this.#root.openDB({ name: "leases", encoding: "string" });
  }

  load(): LogContent {
    const leases = [...this.#leases.getRange()].map(({ key, value }) => ({
      lease: key,
      ttlSeconds: Number(value),
    }));
    const compactRevision = Number(this.#root.get(compactRevisionKey) ?? "0");
    return { compactRevision, leases, changes: this.#loadChanges() };
  }

  async append(batch: LogBatch): Promise<void> {
    const { records, values } = batch;
    await this.#write(() => {
      for (let i = 0; i < records.length; i += 1) {
        const record = records[i]!;
        const value = values[i];
        quiet(this.#changes.put(record.id, encodeChange(record)));
        if (value !== undefined) quiet(this.#values.put(record.id, value as Buffer));
      }
      for (const { lease, ttlSeconds } of batch.grantedLeases) {
        quiet(this.#leases.put(lease, String(ttlSeconds)));
      }
      for (const lease of batch.droppedLeases) quiet(this.#leases.remove(lease));
    });
  }

  readValue(id: number): Uint8Array {
    const value = this.#values.getBinary(id);
    assert(value !== undefined, "a readable change has its value");
    return value;
  }

  async setCompactRevision(revision: number): Promise<void> {
    await this.#write(() => {
      quiet(this.#root.put(compactRevisionKey, String(revision)));
    });
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.#write(() => {
      for (const id of ids) {
        quiet(this.#changes.remove(id));
        quiet(this.#values.remove(id));
      }
    });
  }

  sizeBytes(): number {
    return databaseSizeBytes(this.#folder);
  }

  async close(): Promise<void> {
    // After a failed commit it rejects with that failure, which was told already.
    if (!this.#failed) await this.#root.flushed;
    await this.#root.close();
  }

  *#loadChanges(): Iterable<LoggedChange> {
    let values = 0;
    for (const id of this.#changes.getKeys()) {
      // A view of lmdb's own buffer, good until the next read: nothing is allocated for it.
      const change = decodeChange(id, this.#changes.getBinaryFast(id)!);
      if (change.version > 0) values += 1;
      yield change;
    }
    const { entryCount } = this.#values.getStats() as { entryCount: number };
    if (entryCount !== values) throw new RangeError(`${entryCount} values for ${values} changes`);
  }

  async #write(operations: () => void): Promise<void> {
    try {
      await this.#root.batch(operations);
    } catch (error) {
      this.#failed = true;
      throw await commitError(error);
    }
  }
}

/** Each write of a batch fails with it; the batch's own promise is the one that is looked at. */
function quiet(write: Promise<unknown>): void {
  write.catch(() => undefined);
}

/** lmdb puts the system's reason into a second promise beside the error. */
async function commitError(error: unknown): Promise<unknown> {
  const reason = (error as { commitError?: Promise<unknown> }).commitError;
  if (reason === undefined) return error;
  try {
    await reason;
    return error;
  } catch (cause) {
    return new Error(`commit failed: ${String(cause)}`, { cause });
  }
}
