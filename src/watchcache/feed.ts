// The one watch on the store that feeds every resource, and the work of handing its events out: in revision order, in
// bounded slices, so that a burst never holds the event loop up. How to go on when the watch ends is decided above.
import type { Clock } from "../host/host.ts";
import type { Store, StoreEvent, StoreWatch, WatchSink } from "../storage/store.ts";
import type { CachedResource } from "./cached-resource.ts";
import { prefixEnd } from "./page.ts";
import type { Progress } from "./progress.ts";
import type { CacheWatcher } from "./watcher.ts";
import { groupBy } from "../std/group-by.ts";

/**
 * Events handed out in one turn of the event loop while no more than these wait: about 1 ms with full pods, and ten times
 * as much where informers of the same process take them in the same turn.
 */
const sliceEvents = 32;
/**
 * Of what waits, this part is handed out in one turn at least. A turn that brings many requests brings as many events, so
 * that a fixed slice would fall behind for as long as the requests come; in this way the lag stays at a few turns.
 */
const sliceOfBacklog = 1 / 4;
/** `/registry/<resource>/`, or with a group, or one more as `/registry/services/specs/`. */
const prefixDepthMax = 3;

export type FeedEnd = Parameters<WatchSink["ended"]>[0];

type Delivery =
  | { readonly events: readonly StoreEvent[]; readonly revision: number }
  | { readonly end: FeedEnd };

export class Feed {
  readonly #clock: Clock;
  readonly #store: Store;
  /** Ends in "/"; every resource's prefix begins with it. */
  readonly #prefix: string;
  readonly #resources = new Map<string, CachedResource>();
  readonly #toFlush: CacheWatcher[] = [];
  #watch: StoreWatch | undefined;
  /** Deliveries of an earlier watch are void. */
  #generation = 0;
  #backlog: Delivery[] = [];
  /** Events in `#backlog`, and of the delivery that is being handed out. */
  #waiting = 0;
  #draining = false;

  constructor(clock: Clock, store: Store, prefix: string) {
    this.#clock = clock;
    this.#store = store;
    this.#prefix = prefix;
  }

  add(resource: CachedResource): void {
    this.#resources.set(resource.layout.prefix, resource);
  }

  hasItems(watcher: CacheWatcher): void {
    this.#toFlush.push(watcher);
  }

  requestProgress(): void {
    this.#watch?.requestProgress();
  }

  /** `ended` is called once, after everything that came before the end was handed out. */
  open(fromRevision: number, progress: Progress, ended: (reason: FeedEnd) => void): void {
    this.close();
    const generation = this.#generation;
    const take = (delivery: Delivery): void => {
      if (generation !== this.#generation) return;
      this.#backlog.push(delivery);
      if ("events" in delivery) this.#waiting += delivery.events.length;
      if (!this.#draining) void this.#drain(generation, progress, ended);
    };
    this.#watch = this.#store.watch(
      { start: this.#prefix, end: prefixEnd(this.#prefix), fromRevision },
      {
        events: (events, revision) => take({ events, revision }),
        progress: (revision) => take({ events: [], revision }),
        ended: (end) => take({ end }),
      },
    );
  }

  close(): void {
    this.#generation += 1;
    this.#watch?.cancel();
    this.#watch = undefined;
    this.#backlog = [];
    this.#waiting = 0;
    this.#draining = false;
  }

  /** Does all it can at once: only a backlog beyond one slice waits for later turns. */
  async #drain(
    generation: number,
    progress: Progress,
    ended: (reason: FeedEnd) => void,
  ): Promise<void> {
    this.#draining = true;
    let slice = sliceEvents;
    for (let next = this.#backlog.shift(); next !== undefined; next = this.#backlog.shift()) {
      if ("end" in next) {
        this.close();
        ended(next.end);
        return;
      }
      for (const { revision, events } of byRevision(next.events)) {
        this.#handOut(revision, events);
        progress.advance(revision);
        this.#waiting -= events.length;
        slice -= events.length;
        if (slice > 0) continue;
        this.#flush();
        await this.#clock.turn();
        if (generation !== this.#generation) return;
        slice = Math.max(sliceEvents, Math.ceil(this.#waiting * sliceOfBacklog));
      }
      progress.advance(next.revision);
      this.#flush();
    }
    this.#draining = false;
  }

  #handOut(revision: number, events: readonly StoreEvent[]): void {
    if (events.length === 1) {
      this.#resourceOf(events[0]!.kv.key)?.apply(revision, events);
      return;
    }
    const parts = groupBy(events, ({ kv }) => this.#resourceOf(kv.key));
    for (const [resource, part] of parts) resource?.apply(revision, part);
  }

  #resourceOf(key: string): CachedResource | undefined {
    let slash = this.#prefix.length - 1;
    for (let depth = 0; depth < prefixDepthMax; depth++) {
      slash = key.indexOf("/", slash + 1);
      if (slash < 0) return undefined;
      const resource = this.#resources.get(key.slice(0, slash + 1));
      if (resource !== undefined) return resource;
    }
    return undefined;
  }

  #flush(): void {
    for (const watcher of this.#toFlush.splice(0)) watcher.flush();
  }
}

function* byRevision(
  events: readonly StoreEvent[],
): Generator<{ readonly revision: number; readonly events: readonly StoreEvent[] }> {
  let start = 0;
  for (let i = 1; i <= events.length; i++) {
    const revision = events[start]!.kv.modRevision;
    if (i < events.length && events[i]!.kv.modRevision === revision) continue;
    yield { revision, events: events.slice(start, i) };
    start = i;
  }
}
