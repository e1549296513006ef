// Strategy Cache: a GET when what is known is older than the time that the node's annotation gives, or after a pod has
// registered the object anew (upstream: cache_based_manager.go). The first GET asks for the newest state, later ones
// take what the server's cache has.
import type { Clock } from "../../host/host.ts";
import { type Readable, readOnce } from "./get-source.ts";
import {
  type ObjectName,
  type ObjectSource,
  type Reading,
  notRegistered,
  sourceKey,
} from "./object-source.ts";

interface Entry {
  references: number;
  reading: Reading | undefined;
  readAt: number;
  /** Readers at the same time share one GET. */
  asking: Promise<Reading> | undefined;
}

export class CacheSource implements ObjectSource {
  readonly watches = 0;
  readonly starts = 0;
  readonly #clock: Clock;
  readonly #resource: Readable;
  readonly #ttlMs: () => number;
  readonly #entries = new Map<string, Entry>();
  #stopping = new AbortController();

  /** `ttlMs` is asked at each read: the annotation changes with the size of the cluster. */
  constructor(clock: Clock, resource: Readable, ttlMs: () => number) {
    this.#clock = clock;
    this.#resource = resource;
    this.#ttlMs = ttlMs;
  }

  reference(name: ObjectName): void {
    const key = sourceKey(name);
    const entry = this.#entries.get(key) ?? freshEntry();
    entry.references++;
    entry.reading = undefined;
    this.#entries.set(key, entry);
  }

  release(name: ObjectName): void {
    const entry = this.#entries.get(sourceKey(name));
    if (entry !== undefined && --entry.references === 0) this.#entries.delete(sourceKey(name));
  }

  read(name: ObjectName): Reading | Promise<Reading> {
    const entry = this.#entries.get(sourceKey(name));
    if (entry === undefined) return notRegistered(name);
    const { reading, readAt } = entry;
    if (reading !== undefined && this.#clock.monotonic() < readAt + this.#ttlMs()) return reading;
    return (entry.asking ??= this.#ask(name, entry).finally(() => (entry.asking = undefined)));
  }

  async #ask(name: ObjectName, entry: Entry): Promise<Reading> {
    const known = entry.reading;
    const { signal } = this.#stopping;
    const options = known?.is === "found" ? { resourceVersion: "0", signal } : { signal };
    const reading = await readOnce(this.#resource, name, options);
    // A server that does not answer takes nothing away from what is known.
    if (reading.is === "failed") return known ?? reading;
    entry.readAt = this.#clock.monotonic();
    entry.reading = isOlder(reading, known) ? known : reading;
    return entry.reading ?? reading;
  }

  suspend(): void {
    this.#stopping.abort();
  }

  resume(): void {
    this.#stopping = new AbortController();
  }

  clear(): void {
    this.suspend();
    this.#entries.clear();
    this.resume();
  }
}

function freshEntry(): Entry {
  return { references: 0, reading: undefined, readAt: 0, asking: undefined };
}

function isOlder(reading: Reading, known: Reading | undefined): boolean {
  if (reading.is !== "found" || known?.is !== "found") return false;
  return Number(reading.object.resourceVersion) < Number(known.object.resourceVersion);
}
