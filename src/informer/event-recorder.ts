// Tells people what a component did, as Events on the object concerned. Saying it never waits: events queue up
// and are written one after another; what the server does not take is dropped, what it cannot answer is tried again
// (upstream: client-go/tools/record/event.go).
import { StatusError } from "../api/meta/errors.ts";
import type { Event, ObjectReference } from "../api/types/core-v1.ts";
import { reasonOf } from "../client/reason.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import { type ApiObject, refOf } from "../client/served-object.ts";
import { AbortedError, pause } from "../client/waiting.ts";
import type { Cancel, Host, RandomStream } from "../host/host.ts";
import type { BareEvent, Correlated, EventStyle } from "./event-style.ts";

export interface EventSourceOptions {
  /** As kubectl shows it under From: `deployment-controller`, `kubelet`. */
  readonly component: string;
  /** The node, for what runs on one. */
  readonly host?: string;
  readonly style: EventStyle;
}

export interface Said {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** Only where the style is that of events.k8s.io. */
  readonly action?: string;
  /** Another object that it has to do with. */
  readonly related?: ObjectReference;
}

/** Events that wait to be written; more are dropped. */
const queueMax = 1_000;
const triesMax = 12;
const retryMs = 10_000;
const nanosPerMs = 1_000_000;

export class EventRecorder {
  readonly #host: Host;
  readonly #events: ResourceClient<Event>;
  readonly #options: EventSourceOptions;
  readonly #chance: RandomStream;
  readonly #stopping = new AbortController();
  /** What to write is found when its turn comes: events before it may have made it a repetition. */
  readonly #queue: (() => Correlated)[] = [];
  /** Of the next look at what is over. */
  #check: Cancel | undefined;
  #writing: Promise<void> | undefined;
  readonly #offset: number;
  #lastMs = 0;
  #sequence = 0;
  /** Since the queue was last empty. */
  #dropped = 0;

  constructor(host: Host, events: ResourceClient<Event>, options: EventSourceOptions) {
    this.#host = host;
    this.#events = events;
    this.#options = options;
    this.#chance = host.random.stream(`events/${options.component}/${options.host ?? ""}`);
    this.#offset = this.#chance.below(nanosPerMs);
  }

  /** `about` has kind, apiVersion and UID, as everything from a client or an informer; see also `eventAbout`. */
  event(about: ApiObject, type: "Normal" | "Warning", reason: string, message: string): void {
    this.eventAbout(referenceTo(about), { type, reason, message });
  }

  /** For parts of objects (fieldPath) and objects that are known by reference only. */
  eventAbout(about: ObjectReference, said: Said): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#queue.length >= queueMax) {
      this.#drop(said.reason);
      return;
    }
    const { style } = this.#options;
    const event = this.#make(about, said);
    this.#enqueue(() => style.correlate(event));
  }

  #enqueue(correlated: () => Correlated): void {
    this.#queue.push(correlated);
    this.#writing ??= this.#writeAll();
  }

  #writeOver(): void {
    this.#check = undefined;
    for (const correlated of this.#options.style.over()) this.#enqueue(() => correlated);
    this.#checkLater();
  }

  /** Also when nothing more is said: what is not over at one look is over at a later one. */
  #checkLater(): void {
    const { awaitsEnds, checkEveryMs } = this.#options.style;
    if (!awaitsEnds || checkEveryMs === undefined) return;
    this.#check ??= this.#host.clock.after(checkEveryMs, () => this.#writeOver());
  }

  /** Told once a burst: whoever says too much would flood the log, too. */
  #drop(reason: string): void {
    if (this.#dropped++ > 0) return;
    this.#host.log.warn("too many events wait; some are dropped", { reason });
  }

  /** Resolves when nothing waits to be written. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  /** Drops what waits. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#writing;
    this.#check?.();
  }

  #make(about: ObjectReference, { action = "", ...said }: Said): Event {
    const { component, host, style } = this.#options;
    const namespace = about.namespace ?? "default";
    const nanos = this.#nanos(this.#host.clock.now());
    const event: BareEvent = {
      metadata: { name: `${about.name ?? ""}.${nanos.toString(16)}`, namespace },
      involvedObject: about,
      ...said,
    };
    return style.complete(event, { component, action, ...(host === undefined ? {} : { host }) });
  }

  /** Names must differ, also from those of others about the same object; the host's clock knows milliseconds only. */
  #nanos(now: number): bigint {
    this.#sequence = now === this.#lastMs ? this.#sequence + 1 : 0;
    this.#lastMs = now;
    const within = (this.#offset + this.#sequence) % nanosPerMs;
    return BigInt(now) * BigInt(nanosPerMs) + BigInt(within);
  }

  async #writeAll(): Promise<void> {
    // So that `#writing` is set before it is cleared, even if all that waits is dropped.
    await Promise.resolve();
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const correlated = next();
      this.#checkLater();
      if (correlated.do === "drop") continue;
      try {
        await this.#write(correlated);
      } catch (error) {
        if (!(error instanceof AbortedError)) throw error;
        this.#queue.length = 0;
      }
    }
    this.#dropped = 0;
    this.#writing = undefined;
  }

  async #write(correlated: Exclude<Correlated, { do: "drop" }>): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#send(correlated);
      } catch (error) {
        if (error instanceof AbortedError) throw error;
        if (error instanceof StatusError) return this.#giveUp(error);
        if (tries === triesMax) return this.#giveUp(error);
        // The first wait is drawn, so that components do not all come back at once.
        const ms = tries === 1 ? retryMs * this.#chance.unit() : retryMs;
        await pause(this.#host.clock, ms, this.#stopping.signal);
      }
    }
  }

  async #send(correlated: Exclude<Correlated, { do: "drop" }>): Promise<void> {
    const { signal } = this.#stopping;
    if (correlated.do === "create") return this.#events.add(correlated.event, signal);
    const { event, patch } = correlated;
    try {
      await this.#events.patch(refOf(event), { type: "strategic", patch }, { signal });
    } catch (error) {
      // Events live for an hour only.
      if (reasonOf(error) !== "NotFound") throw error;
      return this.#events.add(event, signal);
    }
  }

  #giveUp(error: unknown): void {
    const { component } = this.#options;
    this.#host.log.info("event was not written", { component, error: String(error) });
  }
}

/** `fieldPath` says which part: `spec.containers{web}`. */
export function referenceTo(object: ApiObject, fieldPath?: string): ObjectReference {
  const { kind, apiVersion, metadata } = object;
  const { namespace, name, uid, resourceVersion } = metadata;
  return withoutUndefined({ kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath });
}

function withoutUndefined(reference: Record<string, string | undefined>): ObjectReference {
  return Object.fromEntries(Object.entries(reference).filter(([, value]) => value !== undefined));
}
