// Delivers durable changes to watches: each watcher is a position in history that moves towards the durable revision,
// in bounded portions with a turn of the event loop between them, so that replay and live events are the same path
// and no gap can open where they meet.
import type { Host } from "../../host/host.ts";
import type { KeyValue, StoreEvent, StoreWatch, WatchOptions, WatchSink } from "../store.ts";
import type { MvccState } from "./mvcc-state.ts";
import { type RevisionRecord, isTombstone } from "./revision-record.ts";
import { sortKeyOf } from "./sort-key.ts";

/** After this many events a call to a sink ends with the revision it is in. */
const eventsPerCallMax = 512;
/** After this many changes, matching or not, the watcher lets others run. */
const changesPerTurnMax = 4096;

interface Watcher {
  readonly start: string;
  readonly end: string | undefined;
  readonly sink: WatchSink;
  /** First revision not delivered yet. */
  next: number;
  progressWanted: boolean;
  /** A turn is under way that will go on delivering. */
  scheduled: boolean;
}

interface Portion {
  readonly events: readonly StoreEvent[];
  /** Everything up to this revision is in `events` or before. */
  readonly revision: number;
}

export class WatcherRegistry {
  readonly #host: Host;
  readonly #state: MvccState;
  readonly #readValue: (id: number) => Uint8Array;
  readonly #watchers = new Set<Watcher>();

  constructor(host: Host, state: MvccState, readValue: (id: number) => Uint8Array) {
    this.#host = host;
    this.#state = state;
    this.#readValue = readValue;
  }

  add(options: WatchOptions, sink: WatchSink): StoreWatch {
    const watcher: Watcher = {
      start: sortKeyOf(options.start),
      end: options.end === undefined ? undefined : sortKeyOf(options.end),
      sink,
      next: options.fromRevision,
      progressWanted: false,
      scheduled: false,
    };
    this.#watchers.add(watcher);
    this.#schedule(watcher);
    return {
      requestProgress: () => {
        watcher.progressWanted = true;
        this.#schedule(watcher);
      },
      cancel: () => {
        this.#watchers.delete(watcher);
      },
    };
  }

  /** The durable revision has moved; never called from inside a call into the store. */
  deliver(): void {
    for (const watcher of this.#watchers) {
      if (!watcher.scheduled) this.#pump(watcher);
    }
  }

  endAll(cause: Error): void {
    for (const watcher of this.#watchers) this.#end(watcher, { kind: "Disconnected", cause });
  }

  #schedule(watcher: Watcher): void {
    if (watcher.scheduled) return;
    watcher.scheduled = true;
    void this.#host.clock.turn().then(() => {
      watcher.scheduled = false;
      this.#pump(watcher);
    });
  }

  #pump(watcher: Watcher): void {
    if (!this.#watchers.has(watcher)) return;
    const { compactRevision, durableRevision } = this.#state;
    if (watcher.next < compactRevision) {
      this.#end(watcher, { kind: "Compacted", compactRevision });
      return;
    }
    try {
      if (watcher.next <= durableRevision) this.#deliverPortion(watcher);
      if (watcher.next <= durableRevision) this.#schedule(watcher);
      else if (watcher.progressWanted && this.#watchers.has(watcher)) {
        watcher.progressWanted = false;
        watcher.sink.progress(durableRevision);
      }
    } catch (error) {
      // A sink that throws would otherwise stop the store for everyone.
      this.#watchers.delete(watcher);
      this.#host.log.error("watch ended: its receiver failed", { error: String(error) });
    }
  }

  #deliverPortion(watcher: Watcher): void {
    const { events, revision } = this.#portion(watcher);
    watcher.next = revision + 1;
    if (events.length > 0) watcher.sink.events(events, revision);
  }

  #portion(watcher: Watcher): Portion {
    const { history, durableRevision } = this.#state;
    const events: StoreEvent[] = [];
    let at = history.positionOf(watcher.next);
    let revision = watcher.next - 1;
    for (let seen = 0; ; seen += 1, at += 1) {
      const record = history.at(at);
      if (record === undefined || record.revision > durableRevision) {
        return { events, revision: durableRevision };
      }
      const full = events.length >= eventsPerCallMax || seen >= changesPerTurnMax;
      if (full && record.revision > revision) return { events, revision };
      revision = record.revision;
      if (covers(watcher, record)) events.push(this.#event(record));
    }
  }

  #event(record: RevisionRecord): StoreEvent {
    const type = isTombstone(record) ? "Delete" : "Put";
    const value = type === "Put" ? this.#readValue(record.id) : emptyValue;
    return { type, kv: keyValueOf(record, value) };
  }

  #end(watcher: Watcher, reason: Parameters<WatchSink["ended"]>[0]): void {
    this.#watchers.delete(watcher);
    try {
      watcher.sink.ended(reason);
    } catch (error) {
      this.#host.log.error("the end of a watch was not received", { error: String(error) });
    }
  }
}

export const emptyValue: Uint8Array = new Uint8Array(0);

function covers(watcher: Watcher, record: RevisionRecord): boolean {
  const { sortKey } = record.entry;
  if (watcher.end === undefined) return sortKey === watcher.start;
  return sortKey >= watcher.start && sortKey < watcher.end;
}

export function keyValueOf(record: RevisionRecord, value: Uint8Array): KeyValue {
  const { revision, createRevision, version, lease } = record;
  const kv = { key: record.entry.key, value, createRevision, modRevision: revision, version };
  return lease === undefined ? kv : { lease, ...kv };
}
