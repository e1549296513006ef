// Frames that several watchers of one resource are about to send: encoded once per event, kept while they are young.
// Bounded by bytes, so an initial state of any size passes through without being held twice.
import type { CachedObject } from "../watchcache/resource-cache.ts";

const keptBytesMax = 262_144;

export class FrameMemo {
  readonly #frames = new Map<CachedObject, Uint8Array>();
  #bytes = 0;

  get(object: CachedObject, encode: (object: CachedObject) => Uint8Array): Uint8Array {
    const known = this.#frames.get(object);
    if (known !== undefined) return known;
    const frame = encode(object);
    if (frame.length > keptBytesMax / 4) return frame;
    this.#frames.set(object, frame);
    this.#bytes += frame.length;
    if (this.#bytes > keptBytesMax) this.#dropOldest();
    return frame;
  }

  #dropOldest(): void {
    for (const [object, frame] of this.#frames) {
      this.#frames.delete(object);
      this.#bytes -= frame.length;
      if (this.#bytes <= keptBytesMax) return;
    }
  }
}
