// Lines to standard output: whoever reads them may leave, and that ends no process.
import type { Writable } from "node:stream";

export class StreamWriter {
  readonly #stream: Writable;
  #failure: Error | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on("error", (error) => (this.#failure = error));
  }

  /** Throws when an earlier write failed. */
  write(lines: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#stream.write(lines);
  }

  close(): void {
    // The process closes it.
  }
}
