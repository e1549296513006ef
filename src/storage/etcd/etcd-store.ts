// A Store in an etcd cluster, 3.4 or newer. Thin: each call is one request of etcd's v3 API, in our own encoding.
import type { Host } from "../../host/host.ts";
import {
  type KeyValue,
  type LeaseId,
  type RangeOptions,
  type RangeResult,
  type Store,
  type StoreStatus,
  StoreUnavailableError,
  type StoreWatch,
  type Transaction,
  type TransactionResult,
  type WatchOptions,
  type WatchSink,
} from "../store.ts";
import { type EtcdAddress, EtcdConnection, translated } from "./etcd-connection.ts";
import { faultOf, isServiceError, storeError } from "./etcd-errors.ts";
import { EtcdWatch, isMarker } from "./etcd-watch.ts";
import {
  type RangeResponse,
  decodeDatabaseSize,
  decodeLeaseGrant,
  decodeRange,
  decodeTransaction,
  decodeWatch,
  encodeCompact,
  encodeLeaseRevoke,
  encodeLeaseGrant,
  encodeRange,
  encodeTransaction,
  encodeWatchCreate,
  methods,
} from "./messages.ts";
import { oneAnswer } from "./one-answer.ts";
import { RevisionReader } from "./revision-reader.ts";
import { messageOf } from "../../std/error-message.ts";

/** Keys in the first page of a large range; the next pages are as large as the values allow. */
const pageKeysMin = 500;
const pageKeysMax = 10_000;
/** etcd counts the whole range for each page, so that small pages of a large range cost it dearly. */
const pageBytesAim = 8 * 1024 * 1024;
const emptyRequest = Buffer.alloc(0);

/**
 * Resolves when etcd has answered. Rejects with StoreUnavailableError when no server does, after several attempts; an
 * unreadable PEM file or a malformed address rejects at once.
 */
export async function openEtcdStore(host: Host, address: EtcdAddress): Promise<Store> {
  const connection = new EtcdConnection(host, address);
  const store = new EtcdStore(host, connection);
  try {
    // etcd may be starting too: waiting for the connection is more patient than the retries of one read.
    await connection.ready();
    await store.currentRevision();
  } catch (cause) {
    connection.close();
    const what = `no etcd server answers at ${address.servers.join(", ")}`;
    const why = messageOf(cause);
    // The connection may have said it in the same words.
    throw new StoreUnavailableError(why === what ? what : `${what}: ${why}`, { cause });
  }
  return store;
}

class EtcdStore implements Store {
  readonly #host: Host;
  readonly #connection: EtcdConnection;
  readonly #revisions: RevisionReader;
  readonly #watches = new Set<EtcdWatch>();
  /** Writes whose outcome is not known yet. */
  readonly #writing = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(host: Host, connection: EtcdConnection) {
    this.#host = host;
    this.#connection = connection;
    this.#revisions = new RevisionReader(connection);
  }

  async currentRevision(): Promise<number> {
    this.#refuseWhenClosed();
    return translated(this.#revisions.read());
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    this.#refuseWhenClosed();
    for (;;) {
      try {
        return await this.#readPages(options);
      } catch (error) {
        const fault = isServiceError(error) ? faultOf(error) : "Other";
        if (fault === "FutureRevision") {
          return { kind: "FutureRevision", revision: await this.currentRevision() };
        }
        if (fault !== "Compacted") throw storeError(error);
        // Pages of the newest state that a compaction has overtaken are read again.
        if (options.revision === undefined) continue;
        return { kind: "Compacted", compactRevision: await this.#compactRevision() };
      }
    }
  }

  async transact(transaction: Transaction): Promise<TransactionResult> {
    return decodeTransaction(await this.#write(methods.transact, encodeTransaction(transaction)));
  }

  watch(options: WatchOptions, sink: WatchSink): StoreWatch {
    const parts = { revisions: this.#revisions, options, sink };
    const watch = new EtcdWatch(this.#host, this.#connection, parts);
    if (this.#closing === undefined) {
      this.#watches.add(watch);
      watch.open();
    } else {
      void this.#host.clock.turn().then(() => watch.end(closedReason()));
    }
    return {
      requestProgress: () => watch.requestProgress(),
      cancel: () => {
        this.#watches.delete(watch);
        watch.cancel();
      },
    };
  }

  async compact(revision: number): Promise<void> {
    this.#refuseWhenClosed();
    try {
      await this.#connection.write(methods.compact, encodeCompact(revision));
    } catch (error) {
      if (isServiceError(error) && faultOf(error) === "Compacted") return;
      throw storeError(error);
    }
  }

  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    return decodeLeaseGrant(await this.#write(methods.grantLease, encodeLeaseGrant(ttlSeconds)));
  }

  async revokeLease(lease: LeaseId): Promise<void> {
    this.#refuseWhenClosed();
    try {
      await this.#connection.write(methods.revokeLease, encodeLeaseRevoke(lease));
    } catch (error) {
      if (isServiceError(error) && faultOf(error) === "LeaseNotFound") return;
      throw storeError(error);
    }
  }

  async status(): Promise<StoreStatus> {
    this.#refuseWhenClosed();
    const revision = await this.currentRevision();
    const compactRevision = await this.#compactRevision();
    const status = await translated(this.#connection.read(methods.status, emptyRequest));
    return { revision, compactRevision, sizeBytes: decodeDatabaseSize(status) };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#writing);
    for (const watch of this.#watches) watch.end(closedReason());
    this.#connection.close();
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) throw new StoreUnavailableError("the store is closed");
  }

  async #write(method: string, request: Buffer): Promise<Buffer> {
    this.#refuseWhenClosed();
    const writing = this.#connection.write(method, request);
    this.#writing.add(writing);
    try {
      return await writing;
    } catch (error) {
      throw storeError(error);
    } finally {
      this.#writing.delete(writing);
    }
  }

  async #readPages(options: RangeOptions): Promise<RangeResult> {
    const limit = options.limit ?? Infinity;
    const first = await this.#page(options, {
      start: options.start,
      revision: options.revision ?? 0,
      limit: Math.min(limit, pageKeysMin),
    });
    const kvs: KeyValue[] = [...first.kvs];
    const revision = options.revision ?? first.revision;
    let page = first;
    let pageBytes = first.bytes;
    // All pages show the state of the first; `count` of a later page is what was left before it.
    while (kvs.length < limit && page.kvs.length < page.count && page.kvs.length > 0) {
      const keys = Math.ceil((pageBytesAim / pageBytes) * page.kvs.length);
      const pageLimit = Math.min(Math.max(keys, pageKeysMin), pageKeysMax, limit - kvs.length);
      const start = `${page.kvs.at(-1)!.key}\0`;
      page = await this.#page(options, { start, revision, limit: pageLimit });
      pageBytes = page.bytes;
      for (const kv of page.kvs) kvs.push(kv);
    }
    const own = kvs.filter(({ key }) => !isMarker(key));
    const count = first.count - (kvs.length - own.length);
    return { kind: "Range", revision: first.revision, kvs: own, count };
  }

  async #page(
    options: RangeOptions,
    page: { start: string; revision: number; limit: number },
  ): Promise<RangeResponse & { readonly bytes: number }> {
    const request = encodeRange({
      ...page,
      end: options.end,
      keysOnly: options.keysOnly ?? false,
      countOnly: page.limit === 0,
    });
    const bytes = await this.#connection.read(methods.range, request);
    return { ...decodeRange(bytes), bytes: bytes.length };
  }

  /** etcd tells it only to watches that begin before it. */
  async #compactRevision(): Promise<number> {
    const first = { start: "\0", revision: 1, limit: 1, keysOnly: true, countOnly: false };
    try {
      await this.#connection.read(methods.range, encodeRange(first));
      return 0;
    } catch (error) {
      if (!isServiceError(error) || faultOf(error) !== "Compacted") throw storeError(error);
    }
    const create = { start: "\0", end: "\0\0", fromRevision: 1 };
    const question = {
      request: encodeWatchCreate(create),
      pick: (bytes: Buffer) => decodeWatch(bytes).compactRevision || undefined,
    };
    return translated(oneAnswer(this.#connection, methods.watch, question));
  }
}

function closedReason(): { readonly kind: "Disconnected"; readonly cause: Error } {
  return { kind: "Disconnected", cause: new StoreUnavailableError("the store is closed") };
}
