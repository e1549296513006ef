// An etcd cluster of declared machines in front of one memory store: what it answers is the store's, what it costs falls
// on a member, and without a majority of members nothing is answered at all.
import type { Host, RandomStream } from "../../host/host.ts";
import {
  type RangeOptions,
  type RangeResult,
  type Store,
  type StoreWatch,
  StoreUnavailableError,
  type Transaction,
  type TransactionResult,
  type WatchOptions,
  type WatchSink,
} from "../../storage/store.ts";
import { type CostProfile, megabyte } from "../cost-profile.ts";
import type { Machine } from "../machine/machine.ts";
import { RangeMemo } from "./range-memo.ts";
import { type Life, Process, type SupervisorLaw } from "../machine/process.ts";
import { EtcdQuota } from "./etcd-quota.ts";

/** How long a request waits for a majority (upstream: 5 s and two election timeouts). */
const requestTimeoutMs = 7_000;

/** Reads that brought so many objects count as full. */
const fullRangeMin = 1_000;

export interface RangeCounts {
  /** Range reads that brought 1,000 objects and more, while nothing was loading. */
  full: number;
  /** Values that range reads brought. */
  bytes: number;
  /** Full ones under way at one time on one member, the most so far. */
  fullPeak: number;
}

export interface EtcdMember {
  readonly process: Process;
  /** Full range reads under way. */
  reading: number;
  /** Undefined while it is down. */
  life: Life | undefined;
  /** To be ended when the member dies. */
  readonly watches: Set<() => void>;
}

/** One API server as etcd's client: decoding what was read is its work. */
export interface EtcdClient {
  readonly machine: Machine;
  readonly life: Life;
}

export class EtcdCluster {
  readonly members: readonly EtcdMember[];
  readonly quota: EtcdQuota;
  readonly ranges: RangeCounts = { full: 0, bytes: 0, fullPeak: 0 };
  readonly #host: Host;
  readonly #store: Store;
  readonly #memo: RangeMemo;
  readonly #costs: CostProfile;
  readonly #choice: RandomStream;
  #waiting: (() => void)[] = [];

  constructor(
    host: Host,
    store: Store,
    parts: {
      readonly machines: readonly Machine[];
      readonly law: SupervisorLaw;
      readonly costs: CostProfile;
      readonly quotaBytes: number;
    },
  ) {
    this.#host = host;
    this.#store = store;
    this.#memo = new RangeMemo(store);
    this.#costs = parts.costs;
    this.quota = new EtcdQuota(store, parts.quotaBytes);
    this.#choice = host.random.stream("rehearsal/etcd");
    this.members = parts.machines.map((machine) => this.#memberOn(machine, parts.law));
  }

  start(): void {
    for (const { process } of this.members) process.start();
  }

  get hasQuorum(): boolean {
    const alive = this.members.filter(({ life }) => life !== undefined).length;
    return 2 * alive > this.members.length;
  }

  /** The cluster as one life of an API server sees it. */
  viewFor(client: EtcdClient): Store {
    return {
      currentRevision: () => this.#currentRevision(client),
      range: (options) => this.#range(client, options),
      transact: (transaction) => this.#transact(client, transaction),
      watch: (options, sink) => this.#watch(client, options, sink),
      compact: (revision) => this.#store.compact(revision),
      grantLease: (ttlSeconds) => this.#store.grantLease(ttlSeconds),
      revokeLease: (lease) => this.#store.revokeLease(lease),
      status: () => this.#store.status(),
      close: () => Promise.resolve(),
    };
  }

  /** As `etcdctl`: at the members' side of everything, and at no cost. */
  get store(): Pick<Store, "range" | "transact" | "watch"> {
    return {
      range: (options) => this.#store.range(options),
      transact: (transaction) => this.#memo.transact(transaction),
      watch: (options, sink) => this.#store.watch(options, sink),
    };
  }

  #memberOn(machine: Machine, law: SupervisorLaw): EtcdMember {
    const member: EtcdMember = {
      life: undefined,
      reading: 0,
      watches: new Set(),
      process: new Process(this.#host, machine, {
        name: `etcd/${machine.name}`,
        law,
        program: {
          start: (life) => this.#join(member, life),
          end: () => this.#leave(member),
        },
      }),
    };
    return member;
  }

  async #join(member: EtcdMember, life: Life): Promise<void> {
    const { sizeBytes } = await this.#store.status();
    const { residentPerMegabyte } = this.#costs.etcd;
    life.hold((sizeBytes / megabyte) * residentPerMegabyte.value * megabyte);
    if (life.signal.aborted) return;
    member.life = life;
    if (!this.hasQuorum) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  #leave(member: EtcdMember): void {
    member.life = undefined;
    member.reading = 0;
    const ends = [...member.watches];
    member.watches.clear();
    for (const end of ends) end();
  }

  /* ---- requests ---- */

  async #currentRevision(client: EtcdClient): Promise<number> {
    const { life } = await this.#memberFor(client);
    await worked(life, this.#costs.etcd.rangeBase.value);
    return this.#store.currentRevision();
  }

  async #range(client: EtcdClient, options: RangeOptions): Promise<RangeResult> {
    const { member, life } = await this.#memberFor(client);
    const { result, bytes } = await this.#memo.range(options);
    const done = this.#count(member, result, bytes);
    const { rangeBase, rangePerMegabyte, rangeCopies } = this.#costs.etcd;
    const release = life.hold(bytes * rangeCopies.value);
    try {
      await worked(life, rangeBase.value + (bytes / megabyte) * rangePerMegabyte.value);
    } finally {
      release();
      done();
    }
    await this.#decode(client, bytes);
    return result;
  }

  #count(member: EtcdMember, result: RangeResult, bytes: number): () => void {
    this.ranges.bytes += bytes;
    if (result.kind !== "Range" || result.kvs.length < fullRangeMin) return () => undefined;
    this.ranges.full++;
    member.reading++;
    this.ranges.fullPeak = Math.max(this.ranges.fullPeak, member.reading);
    const { life } = member;
    return () => {
      // Another life counts anew.
      if (member.life === life) member.reading--;
    };
  }

  async #decode({ life }: EtcdClient, bytes: number): Promise<void> {
    if (bytes === 0) return;
    const { decodePerMegabyte, decodeCopies } = this.#costs.apiServer;
    const release = life.hold(bytes * decodeCopies.value);
    try {
      await worked(life, (bytes / megabyte) * decodePerMegabyte.value);
    } finally {
      release();
    }
  }

  async #transact(client: EtcdClient, transaction: Transaction): Promise<TransactionResult> {
    const { life } = await this.#memberFor(client);
    const { commitCpu, commitWait } = this.#costs.etcd;
    await worked(life, commitCpu.value);
    await this.quota.admit(transaction);
    const result = await this.#memo.transact(transaction);
    await new Promise<void>((resolve) => this.#host.clock.after(commitWait.value, resolve));
    return result;
  }

  #watch(client: EtcdClient, options: WatchOptions, sink: WatchSink): StoreWatch {
    const member = this.#aliveFor(client);
    const lost = { kind: "Disconnected", cause: new Error("etcd member is gone") } as const;
    if (member === undefined) {
      const cancel = this.#host.clock.after(0, () => sink.ended(lost));
      return { requestProgress: () => undefined, cancel };
    }
    const watch = this.#store.watch(options, sink);
    const end = (): void => {
      watch.cancel();
      if (!client.life.signal.aborted) sink.ended(lost);
    };
    member.watches.add(end);
    return {
      requestProgress: () => watch.requestProgress(),
      cancel: () => {
        member.watches.delete(end);
        watch.cancel();
      },
    };
  }

  /* ---- members ---- */

  /** Rejects with StoreUnavailableError when no majority comes back in time. */
  async #memberFor(client: EtcdClient): Promise<{ member: EtcdMember; life: Life }> {
    if (client.life.signal.aborted) throw new StoreUnavailableError("the client is gone");
    if (!this.hasQuorum) await this.#quorum();
    const member = this.#aliveFor(client);
    if (member?.life === undefined) throw new StoreUnavailableError("etcdserver: no leader");
    return { member, life: member.life };
  }

  #quorum(): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        cancel();
        resolve();
      };
      const cancel = this.#host.clock.after(requestTimeoutMs, () => {
        this.#waiting = this.#waiting.filter((waiter) => waiter !== go);
        reject(new StoreUnavailableError("etcdserver: request timed out"));
      });
      this.#waiting.push(go);
    });
  }

  /** The one on the client's own machine, else any. */
  #aliveFor({ machine }: EtcdClient): EtcdMember | undefined {
    const alive = this.members.filter(({ life }) => life !== undefined);
    const own = alive.find(({ process }) => process.machine === machine);
    return own ?? alive[this.#choice.below(Math.max(1, alive.length))];
  }
}

/** A member or server that dies in the middle of it is, to the one who asked, unavailable. */
async function worked(life: Life, cpuMs: number): Promise<void> {
  try {
    await life.work(cpuMs);
  } catch (cause) {
    throw new StoreUnavailableError("etcd or its client died meanwhile", { cause });
  }
}
