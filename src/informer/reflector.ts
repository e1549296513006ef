// Keeps a sink as true as the server allows: the state by watch-list or LIST, then every change by WATCH, from the last
// revision seen. Which revision to ask for after which failure is upstream's law (client-go/tools/cache/reflector.go);
// what the sink does with it is not known here.
import type { StatusError } from "../api/meta/errors.ts";
import { type PageSource, listAll } from "../client/pager.ts";
import { isCallFailure, isExpired, isResourceVersionTooLarge, reasonOf } from "../client/reason.ts";
import type { ListOptions, ResourceAddress, WatchOptions } from "../client/resource-client.ts";
import { type ApiObject, type Served, keyOf } from "../client/served-object.ts";
import { AbortedError, pause } from "../client/waiting.ts";
import type { WatchEvent, WatchStream } from "../client/watch.ts";
import type { Host, RandomStream } from "../host/host.ts";
import { ConnectionError } from "../host/http.ts";
import { Backoff } from "./backoff.ts";
import type { ReflectorProfile } from "./reflector-profile.ts";

/** Told synchronously and in order. */
export interface ReflectorSink<T extends ApiObject> {
  /** Everything there is. */
  replace(objects: readonly Served<T>[]): void;
  change(type: "ADDED" | "MODIFIED" | "DELETED", object: Served<T>): void;
}

/** Which of the resource's objects. */
export type Selection = Pick<ListOptions, "namespace" | "labelSelector" | "fieldSelector">;

/** What is read: a ResourceClient, or something that reads the same requests' answers in its own way. */
export interface ReflectedResource<T extends ApiObject> extends PageSource<T> {
  readonly address: ResourceAddress;
  watch(options: WatchOptions): Promise<WatchStream<T>>;
}

export interface ReflectorOptions<T extends ApiObject> {
  readonly resource: ReflectedResource<T>;
  readonly selection: Selection;
  readonly profile: ReflectorProfile;
  readonly sink: ReflectorSink<T>;
}

/** How long a watch is begun again after internal errors before everything is listed again. */
const internalErrorMsMax = 60_000;

export class Reflector<T extends ApiObject> {
  readonly #host: Host;
  readonly #options: ReflectorOptions<T>;
  readonly #chance: RandomStream;
  readonly #backoff: Backoff;
  #lastResourceVersion = "";
  /** The server has said that it cannot serve the last revision. */
  #lastIsUnavailable = false;
  /** The first LIST came in pages although it asked for revision 0: there is no cache to spare. */
  #serverPages = false;

  constructor(host: Host, options: ReflectorOptions<T>) {
    this.#host = host;
    this.#options = options;
    const { resource, group } = options.resource.address;
    this.#chance = host.random.stream(`reflector/${resource}.${group}`);
    this.#backoff = new Backoff(host.clock, this.#chance, options.profile.backoff);
  }

  /** The newest revision that the sink has been told of. */
  get resourceVersion(): string {
    return this.#lastResourceVersion;
  }

  /** Runs until `signal` fires; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        await this.#listAndWatch(signal).catch((error: unknown) => this.#complain(error));
        await this.#rest(signal);
      }
    } catch (error) {
      if (!(error instanceof AbortedError)) throw error;
    }
  }

  async #listAndWatch(signal: AbortSignal): Promise<void> {
    let watch = this.#options.profile.watchList ? await this.#watchList(signal) : undefined;
    if (watch === undefined) await this.#list(signal);
    try {
      for (;;) {
        const startedAt = this.#host.clock.monotonic();
        watch ??= await this.#openWatch(signal);
        const goesOn = await this.#follow(watch, startedAt, signal);
        watch = undefined;
        if (!goesOn) return;
      }
    } finally {
      watch?.stop();
    }
  }

  /** The state as a stream, and the watch that goes on after it. Undefined: LIST instead. */
  async #watchList(signal: AbortSignal): Promise<WatchStream<T> | undefined> {
    while (!signal.aborted) {
      const startedAt = this.#host.clock.monotonic();
      let watch: WatchStream<T> | undefined;
      try {
        watch = await this.#open(signal, {
          resourceVersion: this.#lastIsUnavailable ? "" : this.#lastResourceVersion,
          resourceVersionMatch: "NotOlderThan",
          sendInitialEvents: true,
        });
        if (await this.#takeInitial(watch, startedAt)) return watch;
        watch.stop();
      } catch (error) {
        watch?.stop();
        if (error instanceof AbortedError) throw error;
        if (isExpired(error) || isResourceVersionTooLarge(error)) this.#lastIsUnavailable = true;
        else if (isWorthWaiting(error)) await this.#rest(signal);
        else return undefined;
      }
    }
    throw new AbortedError("stopped");
  }

  /** Whether the state came to its end. */
  async #takeInitial(watch: WatchStream<T>, startedAt: number): Promise<boolean> {
    const objects = new Map<string, Served<T>>();
    let events = 0;
    for (;;) {
      const { done, value: event } = await watch.next();
      if (done === true) break;
      events++;
      if (event.type === "ERROR") throw event.error;
      if (event.type === "BOOKMARK") {
        if (!event.initialEventsEnd) continue;
        this.#replace([...objects.values()], event.resourceVersion);
        return true;
      }
      if (event.type === "DELETED") objects.delete(keyOf(event.object));
      else objects.set(keyOf(event.object), event.object);
    }
    this.#checkLength(startedAt, events);
    return false;
  }

  async #list(signal: AbortSignal): Promise<void> {
    const first = this.#relistVersion();
    try {
      const { paged } = await this.#listFrom(first, signal);
      if (first === "0" && paged) this.#serverPages = true;
    } catch (error) {
      if (!isExpired(error) && !isResourceVersionTooLarge(error)) throw error;
      this.#lastIsUnavailable = true;
      await this.#listFrom(this.#relistVersion(), signal);
    }
  }

  async #listFrom(resourceVersion: string, signal: AbortSignal): Promise<{ paged: boolean }> {
    const { resource, selection, profile } = this.#options;
    // Pages after a given revision would come from the store; without them the cache answers.
    const fromCache = resourceVersion !== "" && resourceVersion !== "0" && !this.#serverPages;
    const limit = fromCache ? 0 : profile.pageLimit;
    const match = resourceVersion === "0" ? profile.listMatch : undefined;
    const list = await listAll(resource, {
      ...selection,
      resourceVersion,
      ...(match === undefined ? {} : { resourceVersionMatch: match }),
      limit,
      signal,
    });
    this.#replace(list.items, list.resourceVersion);
    return list;
  }

  #relistVersion(): string {
    const { firstList, relist } = this.#options.profile;
    if (this.#lastIsUnavailable) return "";
    return relist === "first" || this.#lastResourceVersion === ""
      ? firstList
      : this.#lastResourceVersion;
  }

  #replace(objects: readonly Served<T>[], resourceVersion: string): void {
    this.#lastIsUnavailable = false;
    this.#lastResourceVersion = resourceVersion;
    this.#options.sink.replace(objects);
  }

  /** Waits out a server that is away: the watch can most likely go on where it was. */
  async #openWatch(signal: AbortSignal): Promise<WatchStream<T>> {
    for (;;) {
      try {
        return await this.#open(signal, { resourceVersion: this.#lastResourceVersion });
      } catch (error) {
        if (error instanceof AbortedError || !this.#watchesOn(error)) throw error;
        await this.#rest(signal);
      }
    }
  }

  /** Whether the watch is tried again from where it was, rather than everything listed anew. */
  #watchesOn(error: unknown): boolean {
    switch (this.#options.profile.watchesAgainAfter) {
      case "nothing":
        return false;
      case "refused":
        return error instanceof ConnectionError && error.refused;
      case "refused-or-busy":
        return isWorthWaiting(error);
      default:
        return !isExpired(error);
    }
  }

  #open(signal: AbortSignal, options: WatchOptions): Promise<WatchStream<T>> {
    const { resource, selection, profile } = this.#options;
    const { allowWatchBookmarks, watchTimeoutMs } = profile;
    const bookmarks = allowWatchBookmarks ? { allowWatchBookmarks } : {};
    const timeout = watchTimeoutMs === undefined ? {} : this.#drawTimeout(watchTimeoutMs);
    return resource.watch({ ...selection, ...bookmarks, ...timeout, ...options, signal });
  }

  #drawTimeout({ min, max }: { min: number; max: number }): { timeoutSeconds: number } {
    return { timeoutSeconds: Math.floor((min + (max - min) * this.#chance.unit()) / 1_000) };
  }

  /** Feeds the sink until the watch ends. Whether another watch may follow; false: list again. */
  async #follow(watch: WatchStream<T>, startedAt: number, signal: AbortSignal): Promise<boolean> {
    let events = 0;
    for await (const event of watch) {
      if (event.type === "ERROR") return this.#afterError(event.error, startedAt, signal);
      events++;
      this.#take(event);
    }
    if (signal.aborted) return false;
    this.#checkLength(startedAt, events);
    return true;
  }

  #take(event: Exclude<WatchEvent<T>, { type: "ERROR" }>): void {
    if (event.type === "BOOKMARK") {
      this.#lastResourceVersion = event.resourceVersion;
      return;
    }
    this.#options.sink.change(event.type, event.object);
    this.#lastResourceVersion = event.object.metadata.resourceVersion;
  }

  async #afterError(error: StatusError, startedAt: number, signal: AbortSignal): Promise<boolean> {
    // Expired: a list from the last revision is at least as new, so nothing is given up yet.
    if (isExpired(error)) return false;
    if (this.#watchesOn(error)) {
      await this.#rest(signal);
      return true;
    }
    const lastedMs = this.#host.clock.monotonic() - startedAt;
    const { retriesInternalErrors } = this.#options.profile;
    const internal = retriesInternalErrors && reasonOf(error) === "InternalError";
    if (internal && lastedMs < internalErrorMsMax) {
      await this.#rest(signal);
      return true;
    }
    this.#complain(error);
    return false;
  }

  #checkLength(startedAt: number, events: number): void {
    const { shortWatchMs } = this.#options.profile;
    if (events > 0 || this.#host.clock.monotonic() - startedAt >= shortWatchMs) return;
    throw new ConnectionError("very short watch: it ended within a second without events", false);
  }

  #rest(signal: AbortSignal): Promise<void> {
    return pause(this.#host.clock, this.#backoff.next(), signal);
  }

  #complain(error: unknown): void {
    if (error instanceof AbortedError) return;
    const { resource } = this.#options.resource.address;
    if (!isCallFailure(error)) throw error;
    this.#host.log.warn("reflector begins again", { resource, error: error.message });
  }
}

/** The server is away or busy; asking the same again later is right. */
function isWorthWaiting(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.refused;
  return reasonOf(error) === "TooManyRequests";
}
