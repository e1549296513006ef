// Fills pooled chunks and hands them to the transport, letting everybody else have a turn after each one: a fast
// client never makes `write` wait, so waiting for it alone would starve the loop (docs/performance.md).
import type { RequestCost } from "../api/request-cost.ts";
import type { Clock } from "../host/host.ts";
import type { BodySink } from "../host/http.ts";
import type { ChunkPool } from "./chunk-pool.ts";

export interface ChunkOutlet {
  readonly clock: Clock;
  readonly pool: ChunkPool;
  readonly sink: BodySink;
  /** Whose the loop's time is between two chunks. */
  readonly cost: RequestCost;
}

export class ChunkWriter {
  readonly #outlet: ChunkOutlet;
  #chunk: Uint8Array | undefined;
  #used = 0;

  constructor(outlet: ChunkOutlet) {
    this.#outlet = outlet;
  }

  /**
   * Copies what fits of `bytes` from `from` on and returns where it stopped; short of the end, `flush` and go on.
   * Synchronous so that most items cost no promise.
   */
  copy(bytes: Uint8Array, from: number): number {
    this.#chunk ??= this.#outlet.pool.take();
    const room = this.#chunk.length - this.#used;
    const end = Math.min(bytes.length, from + room);
    this.#chunk.set(
      from === 0 && end === bytes.length ? bytes : bytes.subarray(from, end),
      this.#used,
    );
    this.#used += end - from;
    return end;
  }

  /** All of `bytes` from `from` on. */
  async append(bytes: Uint8Array, from = 0): Promise<void> {
    let at = this.copy(bytes, from);
    while (at < bytes.length) {
      await this.flush();
      at = this.copy(bytes, at);
    }
  }

  /** Rejects when the client is gone; the chunk under way is then left to the collector. */
  async flush(): Promise<void> {
    const chunk = this.#chunk;
    if (chunk === undefined || this.#used === 0) return;
    const { clock, pool, sink, cost } = this.#outlet;
    cost.suspend(clock.monotonic());
    await sink.write(this.#used === chunk.length ? chunk : chunk.subarray(0, this.#used));
    this.#used = 0;
    // Whoever waits for a turn holds no memory meanwhile.
    this.#chunk = undefined;
    pool.give(chunk);
    await clock.turn();
    cost.resume(clock.monotonic());
  }

  /** Sends what is left. */
  end(): Promise<void> {
    return this.flush();
  }
}
