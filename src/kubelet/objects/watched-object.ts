// One Secret or ConfigMap that a node watches by name (upstream: objectCacheItem in watch_based_manager.go): the reflector
// that keeps it, who waits for its first word, and when the watch may end although pods still use the object.
import type { ConfigMap, Secret } from "../../api/types/core-v1.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { Cancel, Host } from "../../host/host.ts";
import { Reflector } from "../../informer/reflector.ts";
import type { ObjectProfile } from "./object-profile.ts";
import {
  type HeldObject,
  type ObjectKind,
  type ObjectName,
  type Reading,
  heldOf,
} from "./object-source.ts";

export interface WatchedParts {
  readonly host: Host;
  readonly resource: ResourceClient<Secret | ConfigMap>;
  readonly kind: ObjectKind;
  readonly profile: ObjectProfile;
}

export class WatchedObject {
  references = 0;
  readonly #parts: WatchedParts;
  readonly #name: string;
  readonly #reflector: Reflector<Secret | ConfigMap>;
  #held: HeldObject | undefined;
  /** The reflector has told what there is, if anything. */
  #synced = false;
  #immutable = false;
  /** Undefined: it does not watch. */
  #running: AbortController | undefined;
  /** Two runs of one reflector never overlap. */
  #run: Promise<void> = Promise.resolve();
  #suspended = false;
  #readAt = Number.NEGATIVE_INFINITY;
  readonly #waiting = new Set<() => void>();

  constructor(parts: WatchedParts, { namespace, name }: ObjectName) {
    this.#parts = parts;
    this.#name = name;
    this.#reflector = new Reflector(parts.host, {
      resource: parts.resource,
      selection: { namespace, fieldSelector: `metadata.name=${name}` },
      profile: parts.profile.reflector,
      sink: {
        replace: ([object]) => this.#learn(object),
        change: (type, object) => this.#learn(type === "DELETED" ? undefined : object),
      },
    });
  }

  get isWatching(): boolean {
    return this.#running !== undefined;
  }

  /** Whether this begins a watch that did not stand. */
  start(): boolean {
    if (this.#running !== undefined || this.#immutable || this.#suspended) return false;
    const running = new AbortController();
    this.#running = running;
    this.#run = this.#run.then(() => this.#reflector.run(running.signal));
    return true;
  }

  stop(): void {
    if (this.#running === undefined) return;
    this.#running.abort();
    this.#running = undefined;
    // What does not change stays good without a watch.
    if (!this.#immutable) this.#synced = false;
  }

  suspend(): void {
    this.#suspended = true;
    this.#running?.abort();
  }

  resume(): void {
    this.#suspended = false;
    if (this.#running === undefined) return;
    this.#running = undefined;
    this.start();
  }

  /** `start` was called for it before. */
  read(): Reading | Promise<Reading> {
    const { host, profile } = this.#parts;
    if (profile.idle !== "never" && profile.idle.reads === "asked")
      this.#readAt = host.clock.monotonic();
    return this.#synced ? this.#answer() : this.#wait();
  }

  /** The recycler came by. */
  stopIfIdle(now: number): void {
    const { idle } = this.#parts.profile;
    if (idle === "never" || this.#suspended) return;
    if (idle.reads === "asked" && !this.#synced) return;
    if (now > this.#readAt + idle.idleMs) this.stop();
  }

  #learn(object: Secret | ConfigMap | undefined): void {
    this.#held = object === undefined ? undefined : heldOf(object);
    this.#synced = true;
    for (const wake of this.#waiting) wake();
  }

  #answer(): Reading {
    const { host, kind, profile } = this.#parts;
    if (profile.idle !== "never") this.#readAt = host.clock.monotonic();
    const object = this.#held;
    if (object === undefined)
      return { is: "missing", why: `${kind} ${JSON.stringify(this.#name)} not found` };
    if (object.immutable) {
      this.#immutable = true;
      this.stop();
    }
    return { is: "found", object };
  }

  /** As if it looked every `pollMs`, without the looking. */
  #wait(): Promise<Reading> {
    const { host, kind, profile } = this.#parts;
    const { clock } = host;
    const since = clock.monotonic();
    return new Promise((resolve) => {
      let look: Cancel = () => undefined;
      const end = (reading: Reading): void => {
        this.#waiting.delete(wake);
        look();
        giveUp();
        resolve(reading);
      };
      const wake = (): void => {
        look();
        const waited = clock.monotonic() - since;
        look = clock.after(profile.pollMs - (waited % profile.pollMs), () => {
          if (this.#synced) end(this.#answer());
        });
      };
      const giveUp = clock.after(profile.waitMs, () => {
        const why = `failed to sync ${kind} cache: timed out waiting for the condition`;
        end(this.#synced ? this.#answer() : { is: "failed", why });
      });
      this.#waiting.add(wake);
    });
  }
}
