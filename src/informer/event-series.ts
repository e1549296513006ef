// As event-correlator.ts, for those who speak events.k8s.io: the same event again opens a series, whose count is written
// when it is opened and when it is over (upstream: client-go/tools/events/event_broadcaster.go).
import { microTimestamp } from "../api/meta/timestamp.ts";
import type { Event } from "../api/types/core-v1.ts";
import type { Clock } from "../host/host.ts";
import { BoundedMap } from "../std/bounded-map.ts";
import type { BareEvent, Correlated, EventStyle, Speaker } from "./event-style.ts";

/** An event that was not seen for so long is over. */
export const seriesEndsAfterMs = 360_000;

interface Seen {
  readonly event: Event;
  readonly count: number;
  /** Epoch ms. */
  readonly lastAt: number;
}

export class EventSeries implements EventStyle {
  readonly #clock: Clock;
  readonly #seen: BoundedMap<Seen>;
  readonly checkEveryMs: number = seriesEndsAfterMs;

  constructor(clock: Clock, remembered: number) {
    this.#clock = clock;
    this.#seen = new BoundedMap(remembered);
  }

  /** Who says it is in the reporting fields, and when in `eventTime`. */
  complete(event: BareEvent, { component, action = "" }: Speaker): Event {
    return {
      eventTime: microTimestamp(this.#clock.now()),
      action,
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      reportingComponent: component,
      // Upstream adds the machine's name.
      reportingInstance: `${component}-wavetank`,
      ...event,
    };
  }

  correlate(event: Event): Correlated {
    const key = keyOf(event);
    const before = this.#seen.get(key);
    const lastAt = this.#clock.now();
    if (before === undefined) {
      this.#seen.set(key, { event, count: 1, lastAt });
      return { do: "create", event };
    }
    const seen = { event: before.event, count: before.count + 1, lastAt };
    this.#seen.set(key, seen);
    return seen.count === 2 ? told(seen) : { do: "drop" };
  }

  get awaitsEnds(): boolean {
    return this.#seen.size > 0;
  }

  /** Of series that are over, the count that is not written yet. */
  over(): Correlated[] {
    const until = this.#clock.now() - seriesEndsAfterMs;
    const ended = [...this.#seen.entries()].filter(([, { lastAt }]) => lastAt < until);
    for (const [key] of ended) this.#seen.delete(key);
    return ended.filter(([, { count }]) => count > 2).map(([, seen]) => told(seen));
  }
}

function told({ event, count, lastAt }: Seen): Correlated {
  const series = { count, lastObservedTime: microTimestamp(lastAt) };
  return { do: "patch", event: { ...event, series }, patch: { series } };
}

function keyOf({ type, action, reason, involvedObject, related }: Event): string {
  return JSON.stringify([type, action, reason, involvedObject, related]);
}
