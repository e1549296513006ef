// Reads a container's log as `kubectl logs` asks: from some time on, the last so many lines, cut at so many bytes.
import { formatMicroTime } from "../../api/codec/time.ts";
import type { LogOptions } from "../../api/node-streams.ts";
import { encodeUtf8 } from "../../std/utf8.ts";
import { type LogLine, linesMax } from "./container-log.ts";

const chunkBytes = 16_384;

/** Lines that were asked for. */
export function isWanted({ at, stream }: LogLine, options: LogOptions): boolean {
  return (
    (options.since === undefined || at >= options.since) &&
    (options.stream === "All" || options.stream === stream)
  );
}

/** The last of `lines`, as many as were asked for. */
export function lastOf(lines: Iterable<LogLine>, { tailLines }: LogOptions): LogLine[] {
  const max = Math.min(tailLines ?? linesMax, linesMax);
  if (max === 0) return [];
  let kept: LogLine[] = [];
  for (const line of lines) {
    kept.push(line);
    if (kept.length > 2 * max) kept = kept.slice(-max);
  }
  return kept.slice(-max);
}

export interface Chunk {
  readonly stream: LogLine["stream"];
  readonly bytes: Uint8Array;
}

/** Lines as bytes, in pieces that a sink likes; says when the byte limit is reached. */
export class LogPrinter {
  readonly #timestamps: boolean;
  #left: number;

  constructor({ timestamps, limitBytes = Number.POSITIVE_INFINITY }: LogOptions) {
    this.#timestamps = timestamps;
    this.#left = limitBytes;
  }

  get full(): boolean {
    return this.#left === 0;
  }

  *chunks(lines: Iterable<LogLine>): Generator<Chunk> {
    let text = "";
    let stream: LogLine["stream"] = "Stdout";
    for (const line of lines) {
      if (text !== "" && (text.length >= chunkBytes || line.stream !== stream)) {
        yield { stream, bytes: this.#cut(encodeUtf8(text)) };
        if (this.full) return;
        text = "";
      }
      ({ stream } = line);
      text += this.#textOf(line);
    }
    if (text !== "") yield { stream, bytes: this.#cut(encodeUtf8(text)) };
  }

  #cut(bytes: Uint8Array): Uint8Array {
    const cut = bytes.subarray(0, this.#left);
    this.#left -= cut.length;
    return cut;
  }

  #textOf({ at, text }: LogLine): string {
    return this.#timestamps ? `${timestampOf(at)} ${text}\n` : `${text}\n`;
  }
}

/** Nanoseconds, as container runtimes write them. */
function timestampOf(at: number): string {
  const nanos = Math.floor((at % 1_000) * 1_000_000);
  const micros = formatMicroTime({ seconds: Math.floor(at / 1_000), nanos }) ?? "";
  return `${micros.slice(0, -1)}000Z`;
}
