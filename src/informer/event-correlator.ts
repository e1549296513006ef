// Keeps a component's events from flooding the store: the same event again only raises a count, many similar ones
// become one, and whoever repeats itself about one object is cut off (upstream: client-go/tools/record/events_cache.go).
import type { Event } from "../api/types/core-v1.ts";
import { RateLimiter } from "../client/rate-limiter.ts";
import type { Clock } from "../host/host.ts";
import { BoundedMap } from "../std/bounded-map.ts";
import { timestamp } from "../api/meta/timestamp.ts";
import type { BareEvent, Correlated, EventStyle, Speaker } from "./event-style.ts";

export interface CorrelatorLimits {
  /** Objects and groups that are remembered, each in its own cache. */
  readonly remembered: number;
  /** So many messages of one group within the interval, and the rest is combined. */
  readonly similarMax: number;
  readonly similarWithinMs: number;
  /** For one source about one object. */
  readonly spam: { readonly qps: number; readonly burst: number };
}

export const correlatorLimitsUsual: CorrelatorLimits = {
  remembered: 4096,
  similarMax: 10,
  similarWithinMs: 600_000,
  spam: { qps: 1 / 300, burst: 25 },
};

/** Messages of one group; `at` is when the last came, monotonic. */
interface Group {
  readonly messages: Set<string>;
  readonly at: number;
}

type Occurrence = Required<Pick<Event, "count" | "firstTimestamp">> & { readonly name: string };

export class EventCorrelator implements EventStyle {
  readonly #clock: Clock;
  readonly #limits: CorrelatorLimits;
  readonly #groups: BoundedMap<Group>;
  readonly #occurrences: BoundedMap<Occurrence>;
  readonly #sources: BoundedMap<RateLimiter>;

  constructor(clock: Clock, limits: CorrelatorLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#groups = new BoundedMap(limits.remembered);
    this.#occurrences = new BoundedMap(limits.remembered);
    this.#sources = new BoundedMap(limits.remembered);
  }

  complete(event: BareEvent, { component, host }: Speaker): Event {
    const time = timestamp(this.#clock.now());
    return {
      source: host === undefined ? { component } : { component, host },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      reportingComponent: component,
      reportingInstance: host ?? "",
      ...event,
    };
  }

  correlate(event: Event): Correlated {
    const { combined, key } = this.#combine(event);
    const counted = this.#count(combined, key);
    // As upstream the count has gone up even if the event is cut off now.
    if (!this.#sourceOf(event).tryAccept()) return { do: "drop" };
    const { count = 1, lastTimestamp, message } = counted;
    if (count <= 1) return { do: "create", event: counted };
    const patch = { count, lastTimestamp: lastTimestamp ?? null, message: message ?? "" };
    return { do: "patch", event: counted, patch };
  }

  get awaitsEnds(): boolean {
    return false;
  }

  over(): readonly Correlated[] {
    return [];
  }

  #combine(event: Event): { combined: Event; key: string } {
    const groupKey = groupKeyOf(event);
    const now = this.#clock.monotonic();
    const known = this.#groups.get(groupKey);
    const fresh = known === undefined || now - known.at > this.#limits.similarWithinMs;
    const messages = fresh ? new Set<string>() : known.messages;
    const message = event.message ?? "";
    messages.add(message);
    this.#groups.set(groupKey, { messages, at: now });
    if (messages.size < this.#limits.similarMax) return { combined: event, key: eventKey(event) };
    // Any one of them makes room, so that the set stays small and the group stays full.
    const [first] = messages;
    messages.delete(first!);
    const combined = {
      ...event,
      message: `(combined from similar events): ${message}`,
      count: 1,
      // Upstream leaves these out here, and so has no other `From` for it than the source.
      reportingComponent: "",
      reportingInstance: "",
    };
    return { combined, key: groupKey };
  }

  #count(event: Event, key: string): Event {
    const before = this.#occurrences.get(key);
    const counted: Event =
      before === undefined
        ? event
        : {
            ...event,
            metadata: { ...event.metadata, name: before.name },
            firstTimestamp: before.firstTimestamp,
            count: before.count + 1,
          };
    this.#remember(key, counted);
    return counted;
  }

  #remember(key: string, { metadata, count = 1, firstTimestamp = null }: Event): void {
    this.#occurrences.set(key, { name: metadata.name ?? "", count, firstTimestamp });
  }

  #sourceOf(event: Event): RateLimiter {
    const key = sourceParts(event).join("\n");
    const limiter = this.#sources.get(key) ?? new RateLimiter(this.#clock, this.#limits.spam);
    this.#sources.set(key, limiter);
    return limiter;
  }
}

function sourceParts({ source, involvedObject }: Event): (string | undefined)[] {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return [source?.component, source?.host, kind, namespace, name, uid, apiVersion];
}

function groupKeyOf(event: Event): string {
  const { type, reason, reportingComponent, reportingInstance } = event;
  return ["group", ...sourceParts(event), type, reason, reportingComponent, reportingInstance].join(
    "\n",
  );
}

function eventKey(event: Event): string {
  const { type, reason, message, involvedObject } = event;
  return ["event", ...sourceParts(event), involvedObject.fieldPath, type, reason, message].join(
    "\n",
  );
}
