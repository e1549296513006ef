// Bytes between one writer and one reader. The writer waits while too many of them do.
export class ByteQueue {
  readonly #bytesMax: number;
  readonly #chunks: Uint8Array[] = [];
  #size = 0;
  #ended = false;
  #wakeReader: () => void = () => undefined;
  #wakeWriter: () => void = () => undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Resolves when more may come. What comes after the end is dropped. */
  async push(chunk: Uint8Array): Promise<void> {
    if (this.#ended || chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    this.#wakeReader();
    while (this.#size > this.#bytesMax && !this.#ended)
      await new Promise<void>((resolve) => (this.#wakeWriter = resolve));
  }

  /** The reader still gets what is there; nobody waits any more. */
  end(): void {
    this.#ended = true;
    this.#wakeReader();
    this.#wakeWriter();
  }

  /** Undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.#chunks.length === 0) {
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
    const chunk = this.#chunks.shift()!;
    this.#size -= chunk.length;
    this.#wakeWriter();
    return chunk;
  }
}
