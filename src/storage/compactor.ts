// Keeps history from growing without end: what is older than both bounds is compacted, in steps with pauses between
// them. Several Wavetanks on one etcd agree through a key, as kube-apiservers do: whoever moves the key forward
// compacts, the others find it moved and do nothing.
import type { Cancel, Host } from "../host/host.ts";
import type { KeyValue, Store } from "./store.ts";
import { decodeUtf8, encodeUtf8 } from "../std/utf8.ts";

export interface CompactorOptions {
  /** History of at least this age is kept ... */
  readonly retainMs: number;
  /** ... and at least so many revisions. */
  readonly retainRevisions: number;
  /** How often it is looked at. */
  readonly intervalMs: number;
  /** Less than this is left for later. */
  readonly revisionsMin: number;
  /** One step drops at most so many revisions. */
  readonly stepRevisions: number;
  readonly stepPauseMs: number;
  /** Where others compact the same store; absent: nobody else does. */
  readonly sharedKey?: string;
}

export const compactorDefaults: CompactorOptions = {
  retainMs: 5 * 60_000,
  retainRevisions: 10_000,
  intervalMs: 30_000,
  revisionsMin: 500,
  stepRevisions: 2_000,
  stepPauseMs: 50,
};

/** The key of kube-apiserver's compactor: its value is the revision compacted last, in decimal. */
export const sharedCompactionKey = "compact_rev_key";

export interface Compactor {
  /** Resolves when no call into the store is under way any more. */
  stop(): Promise<void>;
}

export function startCompactor(host: Host, store: Store, options: CompactorOptions): Compactor {
  return new PeriodicCompactor(host, store, options);
}

/** When the store was at a revision. */
export interface RevisionSample {
  readonly atMs: number;
  readonly revision: number;
}

/** Up to where history may go; undefined when it is too early. `samples` are in order of time, oldest first. */
export function compactionTarget(
  samples: readonly RevisionSample[],
  now: RevisionSample,
  options: CompactorOptions,
): number | undefined {
  const old = samples.findLast(({ atMs }) => now.atMs - atMs >= options.retainMs);
  if (old === undefined) return undefined;
  const target = Math.min(old.revision, now.revision - options.retainRevisions);
  return target > 0 ? target : undefined;
}

class PeriodicCompactor implements Compactor {
  readonly #host: Host;
  readonly #store: Store;
  readonly #options: CompactorOptions;
  #samples: RevisionSample[] = [];
  #cancelTimer: Cancel = () => undefined;
  #endPause: () => void = () => undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(host: Host, store: Store, options: CompactorOptions) {
    this.#host = host;
    this.#store = store;
    this.#options = options;
    this.#next();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    this.#endPause();
    await this.#round;
  }

  #next(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.#host.clock.after(this.#options.intervalMs, () => {
      this.#round = this.#look().then(() => this.#next());
    });
  }

  async #look(): Promise<void> {
    try {
      const { revision, compactRevision } = await this.#store.status();
      const target = this.#target(revision);
      if (target === undefined || target - compactRevision < this.#options.revisionsMin) return;
      if (await this.#claimed(target)) await this.#compact(compactRevision, target);
    } catch (error) {
      if (this.#stopped) return;
      this.#host.log.warn("history was not compacted", { error: String(error) });
    }
  }

  #target(revision: number): number | undefined {
    const now = { atMs: this.#host.clock.monotonic(), revision };
    this.#samples.push(now);
    // One sample that is old enough serves; older ones say less.
    const old = this.#samples.findLastIndex(
      ({ atMs }) => now.atMs - atMs >= this.#options.retainMs,
    );
    if (old > 0) this.#samples = this.#samples.slice(old);
    return compactionTarget(this.#samples, now, this.#options);
  }

  /** Whether this process is the one to compact up to the target. */
  async #claimed(target: number): Promise<boolean> {
    const key = this.#options.sharedKey;
    if (key === undefined) return true;
    const range = await this.#store.range({ start: key });
    const found = range.kind === "Range" ? range.kvs[0] : undefined;
    // Someone has just claimed as much, or nearly.
    if (target - revisionIn(found) < this.#options.revisionsMin) return false;
    const value = encodeUtf8(String(target));
    const { succeeded } = await this.#store.transact({
      compare: [{ key, modRevision: found?.modRevision ?? 0 }],
      success: [{ kind: "Put", key, value }],
      failure: [],
    });
    return succeeded;
  }

  async #compact(from: number, target: number): Promise<void> {
    const { stepRevisions, stepPauseMs } = this.#options;
    for (let at = from; at < target && !this.#stopped;) {
      at = Math.min(target, at + stepRevisions);
      await this.#store.compact(at);
      if (at < target) await this.#pause(stepPauseMs);
    }
    this.#host.log.info("history compacted", { revision: target });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#host.clock.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

function revisionIn(kv: KeyValue | undefined): number {
  const revision = kv === undefined ? 0 : Number(decodeUtf8(kv.value));
  return Number.isSafeInteger(revision) ? revision : 0;
}
