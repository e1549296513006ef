// How a recorder's events look and what becomes of those that come again: as core/v1 (event-correlator.ts) or as
// events.k8s.io (event-series.ts).
import type { Event } from "../api/types/core-v1.ts";

export type Correlated =
  | { readonly do: "create"; readonly event: Event }
  /** Changes the event of this name; `event` is to be created if that one is gone. */
  | { readonly do: "patch"; readonly event: Event; readonly patch: Partial<Event> }
  | { readonly do: "drop" };

/** Before it is known who says it, and when. */
export type BareEvent = Omit<Event, "reportingComponent" | "reportingInstance">;

export interface Speaker {
  /** As kubectl shows it under From: `deployment-controller`, `kubelet`. */
  readonly component: string;
  /** The node, for what runs on one. */
  readonly host?: string;
  /** What was done or tried: `Binding`. Only events.k8s.io tells. */
  readonly action?: string;
}

export interface EventStyle {
  /** Puts on who says it, and when. */
  complete(event: BareEvent, speaker: Speaker): Event;
  correlate(event: Event): Correlated;
  /** What is to be written although nothing happened; asked every `checkEveryMs` while `awaitsEnds`. */
  over(): readonly Correlated[];
  /** Something that was said is not over yet. */
  readonly awaitsEnds: boolean;
  readonly checkEveryMs?: number;
}
