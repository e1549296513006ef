// The shape that all controllers share: changes of watched objects become keys, workers take keys and sync them one by
// one. A sync gathers from listers, plans with a pure function, applies through a client; it gets a key and nothing
// else, so it does the right thing whatever woke it and however often.
import { isCallFailure, reasonOf } from "../client/reason.ts";
import type { ApiObject } from "../client/served-object.ts";
import { AbortedError } from "../client/waiting.ts";
import type { Cancel, Host } from "../host/host.ts";
import type { Change, Informer } from "./informer.ts";
import { type RetryLaw, WorkQueue } from "./work-queue.ts";

export interface SyncOutcome {
  /** Look at the key again after so long even if nothing changes. */
  readonly requeueAfterMs?: number;
  /** Do not forget earlier failures of the key yet (the Job controller counts them). */
  readonly keepFailures?: boolean;
}

export interface ControllerOptions {
  readonly name: string;
  readonly workers: number;
  readonly retry: RetryLaw;
  /** Throws to be called again, later and later. Never called twice at once for one key. */
  readonly sync: (key: string) => Promise<SyncOutcome | void>;
}

export class Controller {
  readonly queue: WorkQueue;
  readonly #host: Host;
  readonly #options: ControllerOptions;
  readonly #sources: Informer<never>[] = [];
  readonly #handlers: Cancel[] = [];
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(host: Host, options: ControllerOptions) {
    this.#host = host;
    this.#options = options;
    this.queue = new WorkQueue(host.clock, options.retry);
  }

  /** From now on each change puts `keysOf` it into the queue; workers wait until the informer is synced. */
  watch<T extends ApiObject>(
    informer: Informer<T>,
    keysOf: (change: Change<T>) => readonly string[],
  ): void {
    this.needs(informer);
    const enqueue = (change: Change<T>): void => {
      for (const key of keysOf(change)) this.queue.add(key);
    };
    this.#handlers.push(informer.addHandler(enqueue));
  }

  /** Workers wait also for this informer, though nothing in it wakes them. */
  needs<T extends ApiObject>(informer: Informer<T>): void {
    this.#sources.push(informer as unknown as Informer<never>);
  }

  /** Starting twice is the same as once. The informers are started by whoever made them. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when no sync is under way any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const cancel of this.#handlers.splice(0)) cancel();
    this.queue.shutDown();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await Promise.all(this.#sources.map((informer) => informer.whenSynced(signal)));
    } catch (error) {
      if (error instanceof AbortedError) return;
      throw error;
    }
    await Promise.all(Array.from({ length: this.#options.workers }, () => this.#work()));
  }

  async #work(): Promise<void> {
    for (;;) {
      const key = await this.queue.take();
      if (key === undefined) return;
      await this.#syncOnce(key);
      this.queue.done(key);
    }
  }

  async #syncOnce(key: string): Promise<void> {
    try {
      const { requeueAfterMs, keepFailures = false } = (await this.#options.sync(key)) ?? {};
      if (!keepFailures) this.queue.forget(key);
      if (requeueAfterMs !== undefined) this.queue.addAfter(key, requeueAfterMs);
    } catch (error) {
      if (error instanceof AbortedError && this.#stopping.signal.aborted) return;
      this.#complain(key, error);
      this.queue.addRateLimited(key);
    }
  }

  #complain(key: string, error: unknown): void {
    const fields = { controller: this.#options.name, key, error: String(error) };
    const { log } = this.#host;
    // A lost race is everyday life; a refusal or a lost connection may pass; anything else is a bug of ours.
    if (reasonOf(error) === "Conflict") log.info("sync lost a race", fields);
    else if (isCallFailure(error)) log.warn("sync failed", fields);
    else log.error("sync broke", { ...fields, stack: error instanceof Error ? error.stack : "" });
  }
}
