// One open watch. It reads in up to three phases: the snapshot it began with (lazily, batch by batch), then the window's
// chain of changes, then, once it has caught up, what the router hands it. A reader that lets its queue overflow goes
// back to the chain, which costs nothing more to keep; one that stands still, or whose place leaves the window, ends.
import type { Clock } from "../host/host.ts";
import { assert } from "../std/assert.ts";
import type { Change, ChainReader, ObjectChange } from "./change.ts";
import type { Matcher } from "./matcher.ts";
import type { WatchEnd, Watcher, WatchItem } from "./resource-cache.ts";
import type { StoredObject } from "./stored-object.ts";
import { tickMs, type WheelEntry } from "./timer-wheel.ts";
import { moveReader } from "./window.ts";

/** Items that one call of `next` gives while it reads from a snapshot or the chain, about. */
const batchItemsMax = 256;
const queueItemsMax = 512;
const queueBytesMax = 8 * 1_048_576;
/** A reader that is behind and asks for nothing this long is closed. */
const stallMs = 30_000;
/** A last bookmark leaves so long before the stream ends. Upstream: bookmarkFrequency, 2 s. */
const bookmarkBeforeEndMs = 2_000;
const bookmarkEveryMs = 60_000;

/** What a watcher needs of the resource it watches. */
export interface WatcherHome {
  readonly clock: Clock;
  /** Everything up to this revision has been offered to live watchers. */
  readonly revision: number;
  /** [0, 1), for spreading bookmarks. */
  jitter(): number;
  goLive(watcher: CacheWatcher): void;
  leaveLive(watcher: CacheWatcher): void;
  wakeAt(watcher: CacheWatcher, at: number): void;
  /** Its queue was empty and somebody waits: flush it when the present batch is through. */
  hasItems(watcher: CacheWatcher): void;
  ended(watcher: CacheWatcher, why: WatchEnd["end"]): void;
}

export interface WatcherStart {
  readonly matcher: Matcher;
  /** Only later changes are sent. */
  readonly after: number;
  /** Where on the chain it begins; what it stands on counts as read. */
  readonly place: Change;
  /** Present: send these objects as ADDED first, as of `after`. */
  readonly state?: Iterator<StoredObject>;
  readonly initialEventsEnd: boolean;
  readonly bookmarks: boolean;
  readonly endsAt: number;
}

const nothing: WatchItem[] = [];

export class CacheWatcher implements Watcher, ChainReader, WheelEntry {
  readonly matcher: Matcher;
  readonly #home: WatcherHome;
  readonly #after: number;
  readonly #bookmarks: boolean;
  readonly #endsAt: number;
  #initialEventsEnd: boolean;
  #state: Iterator<StoredObject> | undefined;
  /** Undefined: live. */
  #place: Change | undefined;
  #queue: WatchItem[] = nothing;
  #queueBytes = 0;
  /** Where in the queue the items of the newest revision begin, and that revision. */
  #mark = 0;
  #markRevision = 0;
  #wake: ((result: readonly WatchItem[] | WatchEnd) => void) | undefined;
  #reading = false;
  #lastAsked: number;
  #nextBookmark: number;
  #end: WatchEnd | undefined;
  #initialised: (() => void) | undefined;

  constructor(home: WatcherHome, start: WatcherStart) {
    const now = home.clock.monotonic();
    this.matcher = start.matcher;
    this.#home = home;
    this.#after = start.after;
    this.#bookmarks = start.bookmarks;
    this.#endsAt = start.endsAt;
    this.#initialEventsEnd = start.initialEventsEnd;
    this.#state = start.state;
    this.#lastAsked = now;
    this.#nextBookmark = this.#bookmarkAfter(now);
    this.#stand(start.place);
    if (start.state === undefined && start.place.next === undefined) this.#goLive();
    this.#setTimer(now);
  }

  async next(): Promise<readonly WatchItem[] | WatchEnd> {
    assert(!this.#reading, "a watcher has one reader");
    this.#lastAsked = this.#home.clock.monotonic();
    const ready = this.#take();
    if (ready !== undefined) return ready;
    this.#reading = true;
    try {
      return this.#place === undefined ? await this.#wait() : await this.#catchUp();
    } finally {
      this.#reading = false;
    }
  }

  close(): void {
    this.end("Closed");
  }

  onceInitialised(done: () => void): void {
    if (this.#state === undefined) done();
    else this.#initialised = done;
  }

  /** Of CacheReset alone the reader first gets what is queued. */
  end(why: WatchEnd["end"]): void {
    if (this.#end !== undefined) return;
    this.#end = { end: why };
    if (this.#place === undefined) this.#home.leaveLive(this);
    moveReader(this, this.#place, undefined);
    this.#place = undefined;
    this.#dropState();
    if (why !== "CacheReset") this.#queue = nothing;
    this.#home.ended(this, why);
    this.flush();
  }

  fellBehind(): void {
    this.end("TooSlow");
  }

  /** A live watcher hears of a change; `before` is the change ahead of the one that this step belongs to. */
  offer(step: ObjectChange, before: Change): void {
    if (step.revision <= this.#after) return;
    const item = step.seenBy(this.matcher);
    if (item === undefined) return;
    if (this.#markRevision !== step.revision) {
      this.#markRevision = step.revision;
      this.#mark = this.#queue.length;
    }
    this.#push(item);
    if (this.#queue.length === 1 && this.#wake !== undefined) this.#home.hasItems(this);
    this.#queueBytes += item.type === "BOOKMARK" ? 0 : item.object.bytes.length;
    if (this.#queue.length <= queueItemsMax && this.#queueBytes <= queueBytesMax) return;
    // The whole revision is read again from the chain, so that none of it is sent twice.
    this.#queue.length = this.#mark;
    this.#home.leaveLive(this);
    this.#stand(before);
    this.#setTimer(this.#home.clock.monotonic());
  }

  flush(): void {
    const wake = this.#wake;
    if (wake === undefined) return;
    const ready = this.#take() ?? (this.#place === undefined ? undefined : nothing);
    if (ready === undefined) return;
    this.#wake = undefined;
    wake(ready);
  }

  tick(now: number): number | undefined {
    if (this.#end !== undefined) return undefined;
    const behind = this.#place !== undefined && !this.#reading;
    if (behind && now - this.#lastAsked >= stallMs) {
      this.end("TooSlow");
      return undefined;
    }
    if (this.#bookmarks && now + tickMs > this.#nextBookmark) {
      this.#nextBookmark = this.#bookmarkAfter(now);
      if (this.#place === undefined) {
        this.#push({ type: "BOOKMARK", revision: this.#home.revision, initialEventsEnd: false });
        this.flush();
      }
    }
    return this.#nextTick(now);
  }

  #stand(place: Change): void {
    moveReader(this, this.#place, place);
    this.#place = place;
  }

  #goLive(): void {
    moveReader(this, this.#place, undefined);
    this.#place = undefined;
    this.#home.goLive(this);
  }

  #push(item: WatchItem): void {
    if (this.#queue === nothing) this.#queue = [];
    this.#queue.push(item);
  }

  #take(): readonly WatchItem[] | WatchEnd | undefined {
    if (this.#queue.length === 0) return this.#end;
    const items = this.#queue;
    this.#queue = nothing;
    this.#queueBytes = 0;
    this.#mark = 0;
    return items;
  }

  /** An empty answer means that it fell out of the live phase without items. */
  async #wait(): Promise<readonly WatchItem[] | WatchEnd> {
    const ready = await new Promise<readonly WatchItem[] | WatchEnd>((resolve) => {
      this.#wake = resolve;
    });
    return "end" in ready || ready.length > 0 ? ready : await this.#catchUp();
  }

  /** Reads from the snapshot and the chain until there is something to give. */
  async #catchUp(): Promise<readonly WatchItem[] | WatchEnd> {
    for (;;) {
      if (this.#end !== undefined) return this.#end;
      const items: WatchItem[] = [];
      if (this.#state !== undefined) this.#readState(this.#state, items);
      else this.#readChain(items);
      if (items.length > 0) return items;
      if (this.#place === undefined) return await this.#wait();
      await this.#home.clock.turn();
    }
  }

  #readState(state: Iterator<StoredObject>, items: WatchItem[]): void {
    const slice = this.matcher.objectsPerMs;
    for (let seen = 0; seen < slice && items.length < batchItemsMax; seen++) {
      const { done, value } = state.next();
      if (done === true) {
        this.#dropState();
        if (this.#initialEventsEnd) {
          items.push({ type: "BOOKMARK", revision: this.#after, initialEventsEnd: true });
        }
        return;
      }
      if (this.matcher.matches(value)) items.push({ type: "ADDED", object: value });
    }
  }

  #dropState(): void {
    this.#state = undefined;
    this.#initialised?.();
    this.#initialised = undefined;
  }

  #readChain(items: WatchItem[]): void {
    const slice = this.matcher.objectsPerMs;
    for (let seen = 0; seen < slice && items.length < batchItemsMax;) {
      const change = this.#place!.next;
      if (change === undefined) {
        this.#goLive();
        return;
      }
      for (const step of change.steps) {
        const item = step.revision <= this.#after ? undefined : step.seenBy(this.matcher);
        if (item !== undefined) items.push(item);
      }
      seen += 1 + change.steps.length;
      this.#stand(change);
    }
  }

  #bookmarkAfter(now: number): number {
    const regular = now + bookmarkEveryMs * (1 + this.#home.jitter() / 4);
    const last = this.#endsAt - bookmarkBeforeEndMs;
    return last > now + tickMs && last < regular ? last : regular;
  }

  /** Undefined: a live watcher without bookmarks needs no timer. */
  #nextTick(now: number): number | undefined {
    const bookmark = this.#bookmarks ? this.#nextBookmark : Infinity;
    if (this.#place !== undefined) return Math.min(bookmark, now + stallMs);
    return this.#bookmarks ? bookmark : undefined;
  }

  #setTimer(now: number): void {
    const at = this.#nextTick(now);
    if (at !== undefined) this.#home.wakeAt(this, at);
  }
}
