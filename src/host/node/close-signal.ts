// That whoever asked is gone: aborted when one of some emitters closes. A request that waits holds one of these: 650 bytes
// with its listener, where an AbortController takes 1,500.
import type { EventEmitter } from "node:events";
import type { ClientSignal } from "../http.ts";

/** Shared: every exchange aborts in the end, and an error made for each would cost more than the small ones do. */
export const clientGone = new Error("client is gone");

export class CloseSignal implements ClientSignal {
  #aborted = false;
  #closing: readonly EventEmitter[];
  #listeners: (() => void)[] | undefined;

  /**
   * For HTTP/1 these are the answer and its socket: an answer that still waits for its turn, or that came to a closed socket,
   * never closes by itself.
   */
  constructor(closing: readonly EventEmitter[]) {
    this.#closing = closing;
    for (const emitter of closing) emitter.on("close", this.#abort);
  }

  /** Of a client that was gone before. */
  static aborted(): CloseSignal {
    const signal = new CloseSignal([]);
    signal.#abort();
    return signal;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#aborted ? clientGone : undefined;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.#aborted || this.#listeners?.includes(listener)) return;
    // Nearly always the only one: pushed to an empty array it would reserve room for seventeen.
    if (this.#listeners === undefined) this.#listeners = [listener];
    else this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.#listeners?.indexOf(listener) ?? -1;
    if (at >= 0) this.#listeners?.splice(at, 1);
  }

  throwIfAborted(): void {
    if (this.#aborted) throw clientGone;
  }

  readonly #abort = (): void => {
    this.#aborted = true;
    for (const emitter of this.#closing) emitter.off("close", this.#abort);
    this.#closing = [];
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  };
}
