// Pods that wait for a node: those whose turn it is, by priority and then in order of arrival; those that failed and
// rest a while; those that did not fit and sleep until something happens that may help (upstream:
// backend/queue/scheduling_queue.go).
import type { Cancel, Clock } from "../host/host.ts";
import type { ClusterEvent } from "./plugin.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { SchedulerProfile } from "./profile.ts";

interface Waiting {
  facts: PodFacts;
  attempts: number;
  /** Monotonic, when it was last tried. */
  triedAt: number;
  /** Where it is; `taken`: being placed. */
  place: "active" | "resting" | "asleep" | "taken";
  /** Events that wake it while it is asleep. */
  wakers: ReadonlySet<ClusterEvent>;
  cancel: Cancel;
}

const nothing: Cancel = () => undefined;

export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #profile: SchedulerProfile;
  readonly #onReady: () => void;
  readonly #pods = new Map<string, Waiting>();
  /** Priority -> UIDs in order of arrival; priorities are few. */
  readonly #active = new Map<number, Set<string>>();
  readonly #sleepers = new Map<ClusterEvent, Set<string>>();

  /** `onReady`: a pod's turn has come. */
  constructor(clock: Clock, profile: SchedulerProfile, onReady: () => void) {
    this.#clock = clock;
    this.#profile = profile;
    this.#onReady = onReady;
  }

  /** All pods that wait, wherever. */
  get size(): number {
    return this.#pods.size;
  }

  /** A pod that came, or changed. */
  put(facts: PodFacts): void {
    const known = this.#pods.get(facts.uid);
    if (known === undefined) {
      const fresh = freshlyWaiting(facts);
      this.#pods.set(facts.uid, fresh);
      return this.#activate(fresh);
    }
    const before = known.facts;
    this.#leave(known);
    known.facts = facts;
    if (known.place === "active") this.#activate(known);
    // A change of the pod itself may be all it takes; its status is not such a change.
    else if (known.place === "asleep" && isOther(before, facts)) this.#restOrActivate(known);
    else if (known.place === "asleep") this.#sleep(known);
  }

  remove(uid: string): void {
    const known = this.#pods.get(uid);
    if (known === undefined) return;
    this.#leave(known);
    known.cancel();
    this.#pods.delete(uid);
  }

  /** Whose turn it is; it must come back by `remove`, `rest` or `sleep`. */
  take(): PodFacts | undefined {
    let best: number | undefined;
    for (const [priority, uids] of this.#active)
      if (uids.size > 0 && (best === undefined || priority > best)) best = priority;
    if (best === undefined) return undefined;
    const uids = this.#active.get(best)!;
    const [uid] = uids;
    uids.delete(uid!);
    const taken = this.#pods.get(uid!)!;
    taken.place = "taken";
    taken.attempts++;
    taken.triedAt = this.#clock.monotonic();
    return taken.facts;
  }

  /** It failed for a reason that passes by itself. */
  rest(uid: string): void {
    const known = this.#pods.get(uid);
    if (known !== undefined) this.#restOrActivate(known);
  }

  /** It fits nowhere until one of `wakers` happens; all the same it is tried again after a long time. */
  sleep(uid: string, wakers: ReadonlySet<ClusterEvent>): void {
    const known = this.#pods.get(uid);
    if (known === undefined) return;
    known.wakers = wakers;
    this.#sleep(known);
    known.cancel();
    known.cancel = this.#clock.after(this.#profile.unschedulableMs, () => {
      this.#leave(known);
      this.#restOrActivate(known);
    });
  }

  wake(event: ClusterEvent): void {
    const uids = this.#sleepers.get(event);
    if (uids === undefined || uids.size === 0) return;
    for (const uid of Array.from(uids)) {
      const known = this.#pods.get(uid)!;
      this.#leave(known);
      this.#restOrActivate(known);
    }
  }

  stop(): void {
    for (const { cancel } of this.#pods.values()) cancel();
    this.#pods.clear();
    this.#active.clear();
    this.#sleepers.clear();
  }

  #activate(known: Waiting): void {
    known.place = "active";
    const { priority, uid } = known.facts;
    const uids = this.#active.get(priority);
    if (uids === undefined) this.#active.set(priority, new Set([uid]));
    else uids.add(uid);
    this.#onReady();
  }

  #restOrActivate(known: Waiting): void {
    known.cancel();
    const leftMs = this.#backoffMs(known.attempts) - (this.#clock.monotonic() - known.triedAt);
    if (leftMs <= 0) return this.#activate(known);
    known.place = "resting";
    known.cancel = this.#clock.after(leftMs, () => this.#activate(known));
  }

  #backoffMs(attempts: number): number {
    const { initialMs, maxMs } = this.#profile.backoff;
    return attempts === 0 ? 0 : Math.min(maxMs, initialMs * 2 ** (attempts - 1));
  }

  #sleep(known: Waiting): void {
    known.place = "asleep";
    for (const event of known.wakers) {
      const uids = this.#sleepers.get(event);
      if (uids === undefined) this.#sleepers.set(event, new Set([known.facts.uid]));
      else uids.add(known.facts.uid);
    }
  }

  /** Out of the sets it is in; its timer goes on. */
  #leave({ facts, place, wakers }: Waiting): void {
    if (place === "active") this.#active.get(facts.priority)?.delete(facts.uid);
    if (place === "asleep")
      for (const event of wakers) this.#sleepers.get(event)?.delete(facts.uid);
  }
}

function freshlyWaiting(facts: PodFacts): Waiting {
  return { facts, attempts: 0, triedAt: 0, place: "active", wakers: new Set(), cancel: nothing };
}

function isOther(before: PodFacts, after: PodFacts): boolean {
  const texts = ({ pod }: PodFacts): string =>
    JSON.stringify([pod.spec, pod.metadata.labels, pod.metadata.deletionTimestamp]);
  return texts(before) !== texts(after);
}
