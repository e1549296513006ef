// How events are printed, of the core group and of events.k8s.io: one object, two spellings.
import type { Event, ObjectReference } from "../../../api/types/core-v1.ts";
import type { Event as EventsEvent } from "../../../api/types/events-v1.ts";
import type { ObjectMeta } from "../../../api/types/meta-v1.ts";
import {
  type Column,
  nameColumn,
  type Printer,
  printerOver,
  text,
  wide,
} from "../../table/column.ts";
import { ageOf } from "../../table/human-duration.ts";

interface EventView {
  readonly metadata: ObjectMeta;
  readonly type: string | undefined;
  readonly reason: string | undefined;
  readonly about: ObjectReference | undefined;
  readonly component: string | undefined;
  readonly host: string | undefined;
  readonly message: string | undefined;
  readonly firstSeen: string | null | undefined;
  readonly lastSeen: string | null | undefined;
  readonly count: number;
}

const columns: Column<EventView>[] = [
  text("Last Seen", "Time since it was last seen", ({ lastSeen }, now) => ageOf(lastSeen, now)),
  text("Type", "Normal or Warning", ({ type }) => type ?? ""),
  text("Reason", "Why it happened, in one word", ({ reason }) => reason ?? ""),
  text("Object", "What it is about", ({ about }) => objectText(about)),
  wide(text("Subobject", "Part of the object it is about", ({ about }) => about?.fieldPath ?? "")),
  wide(text("Source", "Who reported it", sourceText)),
  text("Message", "What happened", ({ message }) => (message ?? "").trim()),
  wide(
    text("First Seen", "Time since it was first seen", ({ firstSeen }, now) =>
      ageOf(firstSeen, now),
    ),
  ),
  wide(text("Count", "How often it was seen", ({ count }) => count)),
  wide(nameColumn),
];

export const eventPrinter: Printer = printerOver<Event, EventView>((event) => {
  const firstSeen = event.firstTimestamp ?? event.eventTime;
  return {
    metadata: event.metadata,
    type: event.type,
    reason: event.reason,
    about: event.involvedObject,
    component: event.source?.component || event.reportingComponent,
    host: event.source?.host || event.reportingInstance,
    message: event.message,
    firstSeen,
    lastSeen: event.series ? event.series.lastObservedTime : (event.lastTimestamp ?? firstSeen),
    count: event.series ? (event.series.count ?? 0) : event.count || 1,
  };
}, columns);

export const eventsEventPrinter: Printer = printerOver<EventsEvent, EventView>((event) => {
  const firstSeen = event.deprecatedFirstTimestamp ?? event.eventTime;
  return {
    metadata: event.metadata,
    type: event.type,
    reason: event.reason,
    about: event.regarding,
    component: event.deprecatedSource?.component || event.reportingController,
    host: event.deprecatedSource?.host || event.reportingInstance,
    message: event.note,
    firstSeen,
    lastSeen: event.series
      ? event.series.lastObservedTime
      : (event.deprecatedLastTimestamp ?? firstSeen),
    count: event.series ? event.series.count : event.deprecatedCount || 1,
  };
}, columns);

function objectText(about: ObjectReference | undefined): string {
  const kind = (about?.kind ?? "").toLowerCase();
  return about?.name ? `${kind}/${about.name}` : kind;
}

function sourceText({ component, host }: EventView): string {
  return host ? `${component ?? ""}, ${host}` : (component ?? "");
}
