// The quota of etcd's database file: a write that would go over it raises the alarm NOSPACE, and from then on writes are
// refused, deletes and reads are not. The file never shrinks by itself: what ends the alarm is a compaction, a
// defragmentation and somebody who disarms it (upstream: server/storage/quota.go, apply/apply.go).
import { type Store, StoreUnavailableError, type Transaction } from "../../storage/store.ts";

export class EtcdQuota {
  readonly bytesMax: number;
  readonly #store: Store;
  #fileBytes = 0;
  #alarmed = false;
  #refused = 0;

  constructor(store: Store, bytesMax: number) {
    this.#store = store;
    this.bytesMax = bytesMax;
  }

  /** Of the file: values and their history, without keys, pages and what etcd adds. */
  get fileBytes(): number {
    return this.#fileBytes;
  }

  get alarmed(): boolean {
    return this.#alarmed;
  }

  /** Writes that were not taken. */
  get refused(): number {
    return this.#refused;
  }

  /** Throws what etcd answers when it has no room for it. */
  async admit({ success, failure }: Transaction): Promise<void> {
    const cost = Math.max(putBytes(success), putBytes(failure));
    if (cost === 0) return;
    await this.#measure();
    if (this.#fileBytes + cost > this.bytesMax) this.#alarmed = true;
    if (!this.#alarmed) return;
    this.#refused++;
    throw new StoreUnavailableError("etcdserver: mvcc: database space exceeded");
  }

  /** Compaction to now, `etcdctl defrag` on all members, `etcdctl alarm disarm`. */
  async defragment(): Promise<void> {
    const revision = await this.#store.currentRevision();
    await this.#store.compact(revision);
    this.#fileBytes = 0;
    await this.#measure();
    this.#alarmed = false;
  }

  async #measure(): Promise<void> {
    const { sizeBytes } = await this.#store.status();
    this.#fileBytes = Math.max(this.#fileBytes, sizeBytes);
  }
}

function putBytes(operations: Transaction["success"]): number {
  return operations.reduce(
    (bytes, one) => (one.kind === "Put" ? bytes + one.key.length + one.value.length : bytes),
    0,
  );
}
