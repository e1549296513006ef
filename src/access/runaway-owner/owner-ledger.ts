// The accounts of all owners, and which of their pods wait to run. Fed with what pods do (`observe`) and asked before
// each create (`ask`); knows nothing of requests and Statuses. Bounded: by the pods that exist, and by `ownersMax`.
import type { Clock } from "../../host/host.ts";
import { assert } from "../../std/assert.ts";
import type { RunawayLaw } from "./law.ts";
import {
  type OwnerAccount,
  type Verdict,
  askCreate,
  isBlank,
  isRunaway,
  newAccount,
  podEnded,
  podRan,
  podWaits,
} from "./owner-account.ts";
import type { PodCourse } from "./pod-course.ts";

/** Label values of the metric; owner references may hold any word. */
const countedKinds: readonly string[] = [
  "DaemonSet",
  "Job",
  "Node",
  "ReplicaSet",
  "ReplicationController",
  "StatefulSet",
];

const admitted: Verdict = { kind: "Admitted" };

export class OwnerLedger {
  readonly law: RunawayLaw;
  readonly #clock: Clock;
  /** The one that was quiet longest first. */
  readonly #accounts = new Map<string, OwnerAccount>();
  /** Pod to its owner's key. */
  readonly #waiting = new Map<string, string>();
  readonly #refused = new Map<string, number>();

  constructor(clock: Clock, law: RunawayLaw) {
    assert(
      law.limit > 0 && law.ownersMax > 0,
      "the limit of the runaway-owner breaker is positive",
    );
    this.#clock = clock;
    this.law = law;
  }

  /** `pod`: `namespace/name`. */
  isWaiting(pod: string): boolean {
    return this.#waiting.has(pod);
  }

  /** Only a pod's first run and only an end before it count; the rest changes nothing. `owner` is from `ownerKey`. */
  observe(pod: string, owner: string, course: PodCourse): void {
    const now = this.#now();
    const known = this.#waiting.get(pod);
    if (course === "Waiting") {
      if (known === owner) return;
      // Another controller adopted it; for the one before it is no more.
      if (known !== undefined) this.#leave(known);
      this.#waiting.set(pod, owner);
      podWaits(this.#open(owner, now), now, this.law);
      return;
    }
    if (known === undefined) return;
    this.#waiting.delete(pod);
    const account = this.#open(known, now);
    if (course === "Ran") podRan(account);
    else podEnded(account, now, this.law);
    if (isBlank(account, now, this.law)) this.#accounts.delete(known);
  }

  /** A pod has no controller any more. */
  release(pod: string): void {
    const owner = this.#waiting.get(pod);
    if (owner === undefined) return;
    this.#waiting.delete(pod);
    this.#leave(owner);
  }

  /** What follows through `observe` is all that waits. */
  restart(): void {
    this.#waiting.clear();
    for (const account of this.#accounts.values()) account.waiting = 0;
  }

  /** May this owner have one more pod? Counts it when it may. */
  ask(owner: string, kind: string): Verdict {
    const account = this.#accounts.get(owner);
    if (account === undefined) return admitted;
    const now = this.#now();
    const verdict = askCreate(this.#open(owner, now), now, this.law);
    if (verdict.kind === "Refused") {
      const label = countedKinds.includes(kind) ? kind : "other";
      this.#refused.set(label, (this.#refused.get(label) ?? 0) + 1);
    }
    return verdict;
  }

  /** Refusals since the start, by kind of the owner. */
  get refused(): ReadonlyMap<string, number> {
    return this.#refused;
  }

  /** Owners that are refused now. */
  get runaways(): number {
    const now = this.#now();
    let count = 0;
    for (const account of this.#accounts.values())
      if (isRunaway(account, now, this.law)) count += 1;
    return count;
  }

  get owners(): number {
    return this.#accounts.size;
  }

  /** Whole ms: sums of fractions are not exact, and a wait of 1 s would round up to 2. */
  #now(): number {
    return Math.floor(this.#clock.monotonic());
  }

  /** The owner's account, which becomes the youngest; a new one may push the oldest out. */
  #open(owner: string, now: number): OwnerAccount {
    const account = this.#accounts.get(owner) ?? newAccount(now);
    this.#accounts.delete(owner);
    this.#accounts.set(owner, account);
    if (this.#accounts.size > this.law.ownersMax) {
      const oldest = this.#accounts.keys().next();
      if (!oldest.done) this.#accounts.delete(oldest.value);
    }
    return account;
  }

  #leave(owner: string): void {
    const account = this.#accounts.get(owner);
    if (account !== undefined) account.waiting = Math.max(0, account.waiting - 1);
  }
}

/** Another namespace cannot spend an owner's budget by naming its UID. */
export function ownerKey(namespace: string, uid: string): string {
  return `${namespace}/${uid}`;
}
