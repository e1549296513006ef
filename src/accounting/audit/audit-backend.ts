// One of the places that keep audit events, as its flags want it: in which words, how long an event may be, and whether
// the request waits until it is kept.
import type { AuditEvent } from "./event.ts";
import { EventBatcher, type BatchLimits, type BatcherParts } from "./event-batcher.ts";
import { type EventFormat, type TruncateLimits, fittingText } from "./truncation.ts";

/**
 * batch: handed over, sent soon. blocking: the request goes on when the event is kept or lost. blocking-strict: it is
 * refused when the event of its arrival is lost.
 */
export type AuditMode = "batch" | "blocking" | "blocking-strict";

export interface BackendOptions {
  readonly mode: AuditMode;
  /** Of mode batch. */
  readonly batch: Omit<BatchLimits, "bytesMax">;
  /** Undefined: events are as long as they are. */
  readonly truncate: TruncateLimits | undefined;
}

export class AuditBackend {
  readonly #format: EventFormat;
  readonly #bytesMax: number;
  readonly #strict: boolean;
  readonly #parts: BatcherParts;
  readonly #batcher: EventBatcher | undefined;

  constructor(parts: BatcherParts, format: EventFormat, options: BackendOptions) {
    const { mode, batch, truncate } = options;
    this.#parts = parts;
    this.#format = format;
    this.#bytesMax = truncate?.eventBytesMax ?? Infinity;
    this.#strict = mode === "blocking-strict";
    const bytesMax = truncate?.batchBytesMax ?? Infinity;
    this.#batcher = mode === "batch" ? new EventBatcher(parts, { ...batch, bytesMax }) : undefined;
  }

  /** False: it is lost and must not be. */
  put(event: AuditEvent): boolean | Promise<boolean> {
    const text = fittingText(event, this.#format, this.#bytesMax);
    if (text === undefined) {
      this.#parts.lost.add("truncate", 1, "event is too large even after truncating");
      return true;
    }
    if (this.#batcher === undefined) return this.#write(text);
    this.#batcher.put(text);
    return true;
  }

  /** Resolves when nothing waits any more. */
  async close(): Promise<void> {
    await (this.#batcher ?? this.#parts.outlet).close();
  }

  #write(text: string): boolean | Promise<boolean> {
    const kept = this.#parts.outlet.write([text]);
    if (this.#strict) return kept;
    return kept instanceof Promise ? kept.then(() => true) : true;
  }
}
