// Bytes that come in pieces, taken in the lengths that the reader wants; each is copied at most once.
import { concatBytes } from "./concat-bytes.ts";

export class ByteGatherer {
  #pieces: Uint8Array[] = [];
  #size = 0;

  push(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  /** Undefined, and nothing is taken, while there are fewer. */
  take(count: number): Uint8Array | undefined {
    if (this.#size < count) return undefined;
    const first = this.#pieces[0];
    if (first === undefined) return new Uint8Array(0);
    const all = first.length >= count ? first : this.#joined();
    this.#size -= count;
    const rest = all.subarray(count);
    if (rest.length > 0) this.#pieces[0] = rest;
    else this.#pieces.shift();
    return all.subarray(0, count);
  }

  #joined(): Uint8Array {
    const all = concatBytes(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}
