// Chance that can be replayed: the same seed and stream name give the same draws, whatever other streams do.
import type { Random, RandomStream } from "../host.ts";

export function createSeededRandom(seed: number): Random {
  return { stream: (name) => new SeededStream(seed, name) };
}

/** sfc32: small, fast, 128 bits of state. Good for simulations, worthless for secrets. */
export class SeededStream implements RandomStream {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number, name: string) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 0x1_0000_0000) >>> 0;
    this.#c = hashText(name);
    // The first draws still resemble the seed.
    for (let i = 0; i < warmUpDraws; i++) this.#next();
  }

  unit(): number {
    return this.#next() / 0x1_0000_0000;
  }

  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count; at++) bytes[at] = this.#next() & 0xff;
    return bytes;
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }
}

const warmUpDraws = 16;

/** FNV-1a over UTF-16 units. */
export function hashText(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
