// A RevisionLog that survives nothing: values in a Map, every append durable at once.
import { assert } from "../../std/assert.ts";
import type { LogBatch, LogContent, RevisionLog } from "../mvcc/revision-log.ts";

export class MemoryLog implements RevisionLog {
  readonly #values = new Map<number, Uint8Array>();
  #sizeBytes = 0;

  load(): LogContent {
    return { compactRevision: 0, leases: [], changes: [] };
  }

  append(batch: LogBatch): Promise<void> {
    for (let i = 0; i < batch.records.length; i += 1) {
      const value = batch.values[i];
      if (value === undefined) continue;
      this.#values.set(batch.records[i]!.id, value);
      this.#sizeBytes += value.length;
    }
    return Promise.resolve();
  }

  readValue(id: number): Uint8Array {
    const value = this.#values.get(id);
    assert(value !== undefined, "a readable change has its value");
    return value;
  }

  setCompactRevision(): Promise<void> {
    return Promise.resolve();
  }

  remove(ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      this.#sizeBytes -= this.#values.get(id)?.length ?? 0;
      this.#values.delete(id);
    }
    return Promise.resolve();
  }

  sizeBytes(): number {
    return this.#sizeBytes;
  }

  close(): Promise<void> {
    this.#values.clear();
    return Promise.resolve();
  }
}
