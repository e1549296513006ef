// What the controller has done and its informers do not show yet, and since when each Job's pods fail.
import type { Clock } from "../../host/host.ts";
import { Expectations } from "../../informer/expectations.ts";
import { type BackoffRecord, noFailures } from "./backoff.ts";

export class JobMemory {
  readonly expectations: Expectations;
  readonly #releasing = new Map<string, Set<string>>();
  readonly #backoffs = new Map<string, BackoffRecord>();

  constructor(clock: Clock) {
    this.expectations = new Expectations(clock);
  }

  releasing(key: string): ReadonlySet<string> {
    return this.#releasing.get(key) ?? new Set();
  }

  releaseBegun(key: string, uid: string): void {
    const uids = this.#releasing.get(key) ?? new Set();
    this.#releasing.set(key, uids.add(uid));
  }

  /** Seen by the informer, or failed. */
  releaseObserved(key: string, uid: string): void {
    const uids = this.#releasing.get(key);
    uids?.delete(uid);
    if (uids?.size === 0) this.#releasing.delete(key);
  }

  backoff(key: string): BackoffRecord {
    return this.#backoffs.get(key) ?? noFailures;
  }

  setBackoff(key: string, record: BackoffRecord): void {
    if (record.failures === 0) this.#backoffs.delete(key);
    else this.#backoffs.set(key, record);
  }

  forget(key: string): void {
    this.expectations.forget(key);
    this.#releasing.delete(key);
    this.#backoffs.delete(key);
  }
}
