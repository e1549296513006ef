// The body of a list: a head, the items' own stored bytes, a tail. Short lists are one buffer; longer ones leave in
// pooled chunks while others get their turns, so a list of any size costs one chunk of memory.
// It knows bytes only; what the pieces mean is decided by list-body.ts.
import type { RequestCost } from "../api/request-cost.ts";
import type { Clock } from "../host/host.ts";
import type { BodyStream } from "../host/http.ts";
import { type ChunkPool, chunkBytes } from "./chunk-pool.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import { joinBytes } from "./json-bytes.ts";

export interface ListPieces {
  readonly head: Uint8Array;
  /** One an item (or a run of items); taken lazily, once. */
  readonly pieces: Iterable<Uint8Array>;
  /** Bytes at the start of every piece that `lead` replaces: built-in items lose kind and apiVersion this way. */
  readonly skip: number;
  readonly lead: Uint8Array;
  /** Between two pieces. */
  readonly separator: Uint8Array;
  readonly tail: Uint8Array;
  /**
   * Pieces that are computed when they are taken, not just copied: others get a turn after so many. Absent: after each
   * chunk is enough.
   */
  readonly perTurn?: number;
}

export interface ListBody {
  readonly body: Uint8Array | BodyStream;
  /** Over `gzipBytesMin`: worth compressing. */
  readonly large: boolean;
}

/** Upstream compresses answers whose first write is larger than this. */
export const gzipBytesMin = 131_072;

/** What a body is written with, and where the loop's time for it is counted. */
export interface ListGround {
  readonly clock: Clock;
  readonly pool: ChunkPool;
  readonly cost: RequestCost;
}

/** Looks ahead just far enough to know whether the list is short, middling or large. */
export async function listBody(ground: ListGround, list: ListPieces): Promise<ListBody> {
  const { perTurn = Infinity } = list;
  const source = list.pieces[Symbol.iterator]();
  const ahead: Uint8Array[] = [];
  const perPiece = list.lead.length + list.separator.length - list.skip;
  let bytes = list.head.length + list.tail.length;
  let ended = false;
  while (bytes <= gzipBytesMin) {
    const next = source.next();
    if (next.done === true) {
      ended = true;
      break;
    }
    ahead.push(next.value);
    bytes += next.value.length + perPiece;
    if (ahead.length % perTurn === 0) await turnOf(ground);
  }
  if (ended && bytes <= chunkBytes) return { body: wholeList(list, ahead), large: false };
  const rest = ended ? undefined : source;
  const stream: BodyStream = (sink) =>
    streamPieces(new ChunkWriter({ ...ground, sink }), list, { ground, ahead, rest });
  return { body: stream, large: bytes > gzipBytesMin };
}

function wholeList(list: ListPieces, pieces: readonly Uint8Array[]): Uint8Array {
  const parts: Uint8Array[] = [list.head];
  for (const piece of pieces) {
    if (parts.length > 1) parts.push(list.separator);
    parts.push(list.lead, list.skip === 0 ? piece : piece.subarray(list.skip));
  }
  parts.push(list.tail);
  return joinBytes(parts);
}

/** Others run, and what they do is not this list's. */
async function turnOf({ clock, cost }: ListGround): Promise<void> {
  cost.suspend(clock.monotonic());
  await clock.turn();
  cost.resume(clock.monotonic());
}

interface Pieces {
  readonly ground: ListGround;
  readonly ahead: Uint8Array[];
  readonly rest: Iterator<Uint8Array> | undefined;
}

async function streamPieces(writer: ChunkWriter, list: ListPieces, from: Pieces): Promise<void> {
  const { clock, cost } = from.ground;
  cost.resume(clock.monotonic());
  await writer.append(list.head);
  let lead = list.lead;
  const later = joinBytes([list.separator, list.lead]);
  const { perTurn = Infinity } = list;
  let index = 0;
  let computed = 0;
  while (true) {
    const isAhead = index < from.ahead.length;
    const piece = isAhead ? from.ahead[index++] : nextPiece(from);
    if (piece === undefined) break;
    if (!isAhead && ++computed % perTurn === 0) await turnOf(from.ground);
    // Inlined from `append`: a promise per item would double the cost of small ones.
    let at = writer.copy(lead, 0);
    if (at < lead.length) {
      await writer.flush();
      writer.copy(lead, at);
    }
    at = writer.copy(piece, list.skip);
    while (at < piece.length) {
      await writer.flush();
      at = writer.copy(piece, at);
    }
    lead = later;
  }
  await writer.append(list.tail);
  await writer.end();
  cost.suspend(clock.monotonic());
}

function nextPiece(from: Pieces): Uint8Array | undefined {
  // The look-ahead is spent: let go of it, the list may be long under way.
  if (from.ahead.length > 0) from.ahead.length = 0;
  const next = from.rest?.next();
  return next === undefined || next.done === true ? undefined : next.value;
}
