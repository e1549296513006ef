// What the server itself writes into metadata: uid, creationTimestamp and generated names.
import type { Host, RandomStream } from "../../host/host.ts";
import type { ObjectMeta } from "../../api/types/meta-v1.ts";

/** Letters that spell no words; the same set and length as upstream, so that names look alike. */
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const nameLengthMax = 63;
/** How often a create with generateName tries another suffix before it gives up. */
export const generateNameAttempts = 8;

export class SystemFields {
  readonly #host: Host;
  readonly #uids: RandomStream;
  readonly #names: RandomStream;

  constructor(host: Host) {
    this.#host = host;
    this.#uids = host.random.stream("registry/uid");
    this.#names = host.random.stream("registry/generate-name");
  }

  get now(): number {
    return this.#host.clock.now();
  }

  /** Drops what clients may not set and fills in what only the server knows. In place. */
  fill(metadata: ObjectMeta): void {
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    delete metadata.selfLink;
    metadata.uid = this.#uid();
    metadata.creationTimestamp = timestamp(this.now);
  }

  generateName(base: string): string {
    let suffix = "";
    for (let i = 0; i < suffixLength; i++) {
      suffix += suffixLetters[this.#names.below(suffixLetters.length)]!;
    }
    return base.slice(0, nameLengthMax - suffixLength) + suffix;
  }

  /** UUID version 4. */
  #uid(): string {
    const bytes = this.#uids.bytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    let uid = "";
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) uid += "-";
      uid += hexOfByte[bytes[i]!]!;
    }
    return uid;
  }
}

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** RFC 3339 in UTC, whole seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
