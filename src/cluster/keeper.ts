// Keeps something of the server's own in step with one resource: a watch that starts over when it ends, whatever the
// reason. What to do with its items is the subject's.
import { noListOptions } from "../api/meta/list-options.ts";
import type { Host } from "../host/host.ts";
import type { Registries } from "../registry/registry.ts";
import type { Watcher, WatchItem } from "../watchcache/resource-cache.ts";

export interface KeeperSubject {
  readonly resource: readonly [group: string, resource: string];
  /** Of the watch; "" for everything. */
  readonly fieldSelector: string;
  /** A watch starts: the items to come are all there is, then what changes. */
  begin(): void;
  /** All that has happened since the last call; one call at a time. */
  sync(items: readonly WatchItem[]): Promise<void>;
}

/** After a watch ended or a write failed, before the next try. */
const retryMs = 1_000;
/** Watches of our own end and start anew like everybody's. */
const watchMs = 3_600_000;

export class Keeper {
  readonly #host: Host;
  readonly #registries: Registries;
  readonly #subject: KeeperSubject;
  #watcher: Watcher | undefined;
  #stopped = false;

  constructor(host: Host, registries: Registries, subject: KeeperSubject) {
    this.#host = host;
    this.#registries = registries;
    this.#subject = subject;
  }

  start(): void {
    this.#watch().then(
      () => this.#again(),
      (error: unknown) => this.#again(String(error)),
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#watcher?.close();
  }

  #again(error?: string): void {
    if (this.#stopped) return;
    if (error !== undefined)
      this.#host.log.warn("housekeeping has to start over", {
        resource: this.#subject.resource[1],
        error,
      });
    this.#host.clock.after(retryMs, () => {
      if (!this.#stopped) this.start();
    });
  }

  /** Resolves when the watch ended. */
  async #watch(): Promise<void> {
    const registry = this.#registries.find(...this.#subject.resource);
    const { fieldSelector } = this.#subject;
    const endsAt = this.#host.clock.monotonic() + watchMs;
    const watcher = await registry?.watch("", { ...noListOptions, fieldSelector }, endsAt);
    if (watcher === undefined) return;
    this.#watcher = watcher;
    try {
      this.#subject.begin();
      for (;;) {
        const items = await watcher.next();
        if ("end" in items) return;
        await this.#subject.sync(items);
      }
    } finally {
      watcher.close();
    }
  }
}
