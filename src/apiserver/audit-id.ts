// The Audit-Id of each exchange: the client's own when it looks like one, else a fresh UUIDv4.
import type { RandomStream } from "../host/host.ts";

const idBytes = 16;
/** One draw of randomness serves this many ids. */
const idsPerDraw = 64;
const clientIdMax = 64;

const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

export class AuditIds {
  readonly #random: RandomStream;
  #drawn: Uint8Array = new Uint8Array(0);
  #used = 0;

  constructor(random: RandomStream) {
    this.#random = random;
  }

  /** `sent`: the request's Audit-Id header. */
  of(sent: string | undefined): string {
    return sent !== undefined && isValid(sent) ? sent : this.#fresh();
  }

  #fresh(): string {
    if (this.#used === this.#drawn.length) {
      this.#drawn = this.#random.bytes(idBytes * idsPerDraw);
      this.#used = 0;
    }
    let id = "";
    for (let i = 0; i < idBytes; i++) {
      let byte = this.#drawn[this.#used++]!;
      if (i === 6) byte = (byte & 0x0f) | 0x40;
      else if (i === 8) byte = (byte & 0x3f) | 0x80;
      if (i === 4 || i === 6 || i === 8 || i === 10) id += "-";
      id += hex[byte]!;
    }
    return id;
  }
}

function isValid(id: string): boolean {
  return id.length > 0 && id.length <= clientIdMax && /^[\u0020-\u007E]+$/.test(id);
}
