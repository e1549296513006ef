// What the server is in the middle of: how many ordinary requests, which watches. Shutting down means refusing new
// work, ending the watches and waiting for the rest (upstream: the wait group filter).
import type { Cancel } from "../host/host.ts";

/** Up to so many requests at once nobody needs to be held back for anybody. */
const calmMax = 4;

export class InFlight {
  #draining = false;
  #requests = 0;
  readonly #watches = new Set<() => void>();
  readonly #idle: (() => void)[] = [];

  get draining(): boolean {
    return this.#draining;
  }

  get watches(): number {
    return this.#watches.size;
  }

  /** So many requests are under way that those with much to do should let the others pass. */
  get busy(): boolean {
    return this.#requests - this.#watches.size > calmMax;
  }

  begin(): void {
    this.#requests++;
  }

  end(): void {
    this.#requests--;
    if (this.#requests === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** `close` is called when the server drains, at once if it already does. */
  addWatch(close: () => void): Cancel {
    if (this.#draining) close();
    this.#watches.add(close);
    return () => this.#watches.delete(close);
  }

  /** Resolves when every request that was accepted has been answered to its last byte. */
  async drain(): Promise<void> {
    this.#draining = true;
    for (const close of this.#watches) close();
    if (this.#requests > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
