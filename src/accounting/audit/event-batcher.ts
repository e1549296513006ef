// Keeps audit events until there are enough of them or the oldest has waited long enough, and lets batches out no faster
// than it is told. What does not fit is lost (upstream: plugin/pkg/audit/buffered).
import type { Cancel, Clock } from "../../host/host.ts";
import { utf8Length } from "../../std/utf8.ts";
import type { EventOutlet } from "./event-outlet.ts";
import type { LostEvents } from "./lost-events.ts";

export interface BatchLimits {
  /** Events that may wait; more are lost. */
  readonly bufferSize: number;
  /** Events of a batch. */
  readonly maxSize: number;
  readonly maxWaitMs: number;
  /** Bytes of a batch of more than one event. */
  readonly bytesMax: number;
}

/** What lets batches out: ms that the next one is to wait. */
export interface Throttle {
  reserve(): number;
}

export const noThrottle: Throttle = { reserve: () => 0 };

export interface BatcherParts {
  readonly clock: Clock;
  readonly outlet: EventOutlet;
  readonly throttle: Throttle;
  readonly lost: LostEvents;
}

/** Not upstream's: ten thousand events with their bodies could be gigabytes. */
const waitingBytesMax = 64 * 1_048_576;

export class EventBatcher {
  readonly #parts: BatcherParts;
  readonly #limits: BatchLimits;
  #waiting: { readonly text: string; readonly bytes: number }[] = [];
  #bytes = 0;
  /** Of the next batch: it is due, or will be. */
  #timer: Cancel | undefined;
  /** It is due and waits only for the throttle. */
  #due = false;
  #closed = false;

  constructor(parts: BatcherParts, limits: BatchLimits) {
    this.#parts = parts;
    this.#limits = limits;
  }

  put(text: string): void {
    const bytes = utf8Length(text);
    const why = this.#refusal(bytes);
    if (why !== undefined) return this.#parts.lost.add("buffered", 1, why);
    this.#waiting.push({ text, bytes });
    this.#bytes += bytes;
    if (this.#waiting.length === 1 || this.#waiting.length === this.#limits.maxSize) this.#arm();
  }

  /** Everything that waits leaves, however fast. */
  close(): void | Promise<void> {
    this.#timer?.();
    this.#closed = true;
    while (this.#waiting.length > 0) this.#release();
    return this.#parts.outlet.close();
  }

  #refusal(bytes: number): string | undefined {
    if (this.#closed) return "audit backend shut down";
    const full =
      this.#waiting.length >= this.#limits.bufferSize || this.#bytes + bytes > waitingBytesMax;
    return full ? "audit buffer queue blocked" : undefined;
  }

  /** Also a full batch leaves in a later turn: the request that filled it does not pay for sending it. */
  #arm(): void {
    if (this.#due) return;
    this.#timer?.();
    this.#due = this.#waiting.length >= this.#limits.maxSize;
    const waitMs = this.#due ? this.#parts.throttle.reserve() : this.#limits.maxWaitMs;
    this.#timer = this.#parts.clock.after(waitMs, () => this.#ripen());
  }

  /** The time of the oldest is over; if that is why, the throttle has not been asked yet. */
  #ripen(): void {
    const waitMs = this.#due ? 0 : this.#parts.throttle.reserve();
    this.#due = true;
    if (waitMs > 0) this.#timer = this.#parts.clock.after(waitMs, () => this.#ripen());
    else this.#next();
  }

  #next(): void {
    this.#release();
    this.#due = false;
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.#arm();
  }

  #release(): void {
    const batch = this.#waiting.splice(0, this.#batchLength());
    for (const { bytes } of batch) this.#bytes -= bytes;
    void this.#parts.outlet.write(batch.map(({ text }) => text));
  }

  #batchLength(): number {
    const { maxSize, bytesMax } = this.#limits;
    let bytes = 0;
    const most = Math.min(maxSize, this.#waiting.length);
    for (let length = 0; length < most; length++) {
      bytes += this.#waiting[length]!.bytes;
      if (bytes > bytesMax && length > 0) return length;
    }
    return most;
  }
}
