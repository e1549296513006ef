// Strategy Watch, the kubelet's default: a reflector for each object that a pod of the node uses, begun with the first
// reference and ended with the last; idle ones are ended earlier where the version does that, and read on when asked
// (upstream: watch_based_manager.go).
import type { Cancel } from "../../host/host.ts";
import {
  type ObjectName,
  type ObjectSource,
  type Reading,
  notRegistered,
  sourceKey,
} from "./object-source.ts";
import { WatchedObject, type WatchedParts } from "./watched-object.ts";

export class WatchSource implements ObjectSource {
  readonly #parts: WatchedParts;
  readonly #items = new Map<string, WatchedObject>();
  /** The recycler's beat goes on from here, whether or not there is something to look at. */
  readonly #since: number;
  #recycler: Cancel | undefined;
  #suspended = false;
  #starts = 0;

  constructor(parts: WatchedParts) {
    this.#parts = parts;
    this.#since = parts.host.clock.monotonic();
  }

  get watches(): number {
    let count = 0;
    for (const item of this.#items.values()) if (item.isWatching) count++;
    return count;
  }

  get starts(): number {
    return this.#starts;
  }

  reference(name: ObjectName): void {
    const key = sourceKey(name);
    const known = this.#items.get(key);
    if (known !== undefined) {
      known.references++;
      return;
    }
    const item = new WatchedObject(this.#parts, name);
    item.references = 1;
    if (this.#suspended) item.suspend();
    this.#items.set(key, item);
    this.#start(item);
    this.#scheduleRecycler();
  }

  release(name: ObjectName): void {
    const key = sourceKey(name);
    const item = this.#items.get(key);
    if (item === undefined || --item.references > 0) return;
    item.stop();
    this.#items.delete(key);
  }

  read(name: ObjectName): Reading | Promise<Reading> {
    const item = this.#items.get(sourceKey(name));
    if (item === undefined) return notRegistered(name);
    this.#start(item);
    return item.read();
  }

  suspend(): void {
    this.#suspended = true;
    for (const item of this.#items.values()) item.suspend();
  }

  resume(): void {
    this.#suspended = false;
    for (const item of this.#items.values()) item.resume();
  }

  clear(): void {
    for (const item of this.#items.values()) item.stop();
    this.#items.clear();
    this.#recycler?.();
    this.#recycler = undefined;
  }

  #start(item: WatchedObject): void {
    if (item.start()) this.#starts++;
  }

  #scheduleRecycler(): void {
    const { host, profile } = this.#parts;
    const { idle } = profile;
    if (idle === "never" || this.#recycler !== undefined || this.#items.size === 0) return;
    const sinceBeat = (host.clock.monotonic() - this.#since) % idle.everyMs;
    this.#recycler = host.clock.after(idle.everyMs - sinceBeat, () => {
      this.#recycler = undefined;
      const now = host.clock.monotonic();
      for (const item of this.#items.values()) item.stopIfIdle(now);
      this.#scheduleRecycler();
    });
  }
}
