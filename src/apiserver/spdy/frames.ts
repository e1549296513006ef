// Frames of SPDY/3.1, as far as streams of bytes need them: read from pieces as they come, and written. Settings,
// priorities and window updates are read over: no client of Kubernetes keeps windows (moby/spdystream), so whoever reads too
// slowly is held back by the connection.
import { ByteGatherer } from "../../std/byte-gatherer.ts";
import { HeaderReader, HeaderWriter, type Headers } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";

export type Frame =
  | { readonly is: "open"; readonly id: number; readonly fin: boolean; readonly headers: Headers }
  | { readonly is: "reply"; readonly id: number; readonly fin: boolean; readonly headers: Headers }
  | { readonly is: "data"; readonly id: number; readonly fin: boolean; readonly bytes: Uint8Array }
  | { readonly is: "reset"; readonly id: number; readonly status: number }
  | { readonly is: "ping"; readonly id: number }
  | { readonly is: "go away"; readonly last: number; readonly status: number };

/** Longer frames end the connection. Clients write pieces of 32 KiB. */
const frameBytesMax = 1_048_576;
const headBytes = 8;
const version = 3;
const finFlag = 1;
const idMask = 0x7fffffff;

const type = {
  open: 1,
  reply: 2,
  reset: 3,
  ping: 6,
  goAway: 7,
  headers: 8,
} as const;

export const resetStatus = { protocolError: 1, invalidStream: 2, refusedStream: 3 } as const;
export const goAwayStatus = { ok: 0, protocolError: 1 } as const;

export class FrameReader {
  readonly #gathered = new ByteGatherer();
  readonly #headers = new HeaderReader();
  #head: Uint8Array | undefined;

  /** The frames that are whole now. Throws SpdyError, and must not be called again then. */
  *read(piece: Uint8Array): Generator<Frame> {
    this.#gathered.push(piece);
    for (;;) {
      this.#head ??= this.#gathered.take(headBytes);
      if (this.#head === undefined) return;
      const length = viewOf(this.#head).getUint32(4) & 0xffffff;
      if (length > frameBytesMax) throw new SpdyError(`a frame of ${length} bytes is too long`);
      const body = this.#gathered.take(length);
      if (body === undefined) return;
      const head = this.#head;
      this.#head = undefined;
      const frame = this.#frameOf(head, body);
      if (frame !== undefined) yield frame;
    }
  }

  #frameOf(head: Uint8Array, body: Uint8Array): Frame | undefined {
    const view = viewOf(head);
    const first = view.getUint32(0);
    const fin = ((head[4] ?? 0) & finFlag) !== 0;
    if (first >>> 31 === 0) return { is: "data", id: first, fin, bytes: body };
    if (((first >>> 16) & 0x7fff) !== version) throw new SpdyError("a frame of another version");
    return this.#control(first & 0xffff, body, fin);
  }

  #control(kind: number, body: Uint8Array, fin: boolean): Frame | undefined {
    const number = (at: number): number => {
      if (at + 4 > body.length) throw new SpdyError("a control frame is too short");
      return viewOf(body).getUint32(at);
    };
    const id = (): number => number(0) & idMask;
    switch (kind) {
      case type.open:
        return { is: "open", id: id(), fin, headers: this.#headers.read(body.subarray(10)) };
      case type.reply:
        return { is: "reply", id: id(), fin, headers: this.#headers.read(body.subarray(4)) };
      case type.headers:
        // Nobody wants them, but those that follow refer to them.
        this.#headers.read(body.subarray(4));
        return undefined;
      case type.reset:
        return { is: "reset", id: id(), status: number(4) };
      case type.ping:
        return { is: "ping", id: number(0) };
      case type.goAway:
        return { is: "go away", last: id(), status: number(4) };
      default:
        return undefined;
    }
  }
}

export class FrameWriter {
  readonly #headers = new HeaderWriter();

  /** What belongs to one connection must be sent in the order in which it was written. */
  write(frame: Frame): Uint8Array {
    switch (frame.is) {
      case "data":
        return framed([frame.id, finOf(frame)], frame.bytes);
      case "open": {
        const packed = this.#headers.write(frame.headers);
        const body = new Uint8Array(10 + packed.length);
        viewOf(body).setUint32(0, frame.id);
        body.set(packed, 10);
        return control(type.open, finOf(frame), body);
      }
      case "reply": {
        const packed = this.#headers.write(frame.headers);
        const body = new Uint8Array(4 + packed.length);
        viewOf(body).setUint32(0, frame.id);
        body.set(packed, 4);
        return control(type.reply, finOf(frame), body);
      }
      case "reset":
        return control(type.reset, 0, numbers(frame.id, frame.status));
      case "ping":
        return control(type.ping, 0, numbers(frame.id));
      default:
        return control(type.goAway, 0, numbers(frame.last, frame.status));
    }
  }
}

function finOf({ fin }: { readonly fin: boolean }): number {
  return fin ? finFlag : 0;
}

function control(kind: number, flags: number, body: Uint8Array): Uint8Array {
  return framed([((0x8000 | version) << 16) | kind, flags], body);
}

function framed([first, flags]: readonly [number, number], body: Uint8Array): Uint8Array {
  const frame = new Uint8Array(headBytes + body.length);
  const view = viewOf(frame);
  view.setUint32(0, first);
  view.setUint32(4, ((flags << 24) | body.length) >>> 0);
  frame.set(body, headBytes);
  return frame;
}

function numbers(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  values.forEach((value, index) => viewOf(bytes).setUint32(4 * index, value));
  return bytes;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
