// Reusable 64 KiB chunks for answers that are larger than one buffer. A fresh buffer per chunk makes newer V8s run full
// collections under load (docs/performance.md); the pool keeps a bounded number of free ones and never blocks.

export const chunkBytes = 65_536;

/** 4 MiB kept at most; more lists at once allocate and let go. */
const freeMax = 64;

export class ChunkPool {
  readonly #free: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(chunkBytes);
  }

  /** Only when nobody else holds the chunk any more. */
  give(chunk: Uint8Array): void {
    if (this.#free.length < freeMax) this.#free.push(chunk);
  }
}
