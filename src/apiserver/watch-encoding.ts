// What one watch event looks like in one media type and shape. Each event is encoded once for all watchers that share
// the encoding; nothing here waits or writes.
import type { Status } from "../api/types/meta-v1.ts";
import type { CachedObject, WatchItem } from "../watchcache/resource-cache.ts";
import { FrameMemo } from "./frame-memo.ts";
import { joinBytes } from "./json-bytes.ts";
import { encodeUtf8 } from "../std/utf8.ts";

type ObjectEventType = "ADDED" | "MODIFIED" | "DELETED";

export interface WatchEncoding {
  readonly contentType: string;
  /** For WebSocket clients. */
  readonly frames: "text" | "binary";
  /** The whole frame, ready to send. `first`: nothing with rows was sent on this stream before. */
  frame(item: WatchItem, first: boolean): Uint8Array;
  /** The same bytes in pieces, where that saves a copy. */
  pieces(item: WatchItem, first: boolean): readonly Uint8Array[];
  error(status: Status): Uint8Array;
}

/** How an encoding turns its parts into bytes. */
export interface FrameParts {
  object(type: ObjectEventType, object: CachedObject, first: boolean): Uint8Array;
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array;
  error(status: Status): Uint8Array;
}

const initialEventsEndKey = "k8s.io/initial-events-end";

export function jsonFrame(type: string, object: Uint8Array): Uint8Array {
  return joinBytes([jsonHeads[type] ?? jsonHead(type), object, jsonTail]);
}

const jsonHead = (type: string): Uint8Array => encodeUtf8(`{"type":"${type}","object":`);
const jsonTail = encodeUtf8("}\n");
const jsonHeads: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"].map((type) => [type, jsonHead(type)]),
);

export function jsonError(status: Status): Uint8Array {
  return jsonFrame("ERROR", encodeUtf8(JSON.stringify(status)));
}

export function bookmarkMetadata(revision: number, initialEventsEnd: boolean): object {
  return {
    resourceVersion: String(revision),
    ...(initialEventsEnd ? { annotations: { [initialEventsEndKey]: "true" } } : {}),
  };
}

/** Stored bytes as they are. */
export function plainJsonEncoding(kind: string, apiVersion: string): WatchEncoding {
  const memo = new EventMemo({
    object: (type, object) => jsonFrame(type, object.bytes),
    bookmark: (revision, end) => {
      const object = { kind, apiVersion, metadata: bookmarkMetadata(revision, end) };
      return jsonFrame("BOOKMARK", encodeUtf8(JSON.stringify(object)));
    },
    error: jsonError,
  });
  return {
    contentType: "application/json",
    frames: "text",
    frame: (item, first) => memo.frame(item, first),
    pieces: (item, first) =>
      item.type === "BOOKMARK"
        ? [memo.frame(item, first)]
        : [jsonHeads[item.type]!, item.object.bytes, jsonTail],
    error: jsonError,
  };
}

/** Everything that has to be computed from the object: Table, PartialObjectMetadata, protobuf. */
export function computedEncoding(
  contentType: string,
  frames: "text" | "binary",
  parts: FrameParts,
): WatchEncoding {
  const memo = new EventMemo(parts);
  return {
    contentType,
    frames,
    frame: (item, first) => memo.frame(item, first),
    pieces: (item, first) => [memo.frame(item, first)],
    error: (status) => parts.error(status),
  };
}

class EventMemo {
  readonly #parts: FrameParts;
  readonly #later: Readonly<Record<ObjectEventType, FrameMemo>>;
  readonly #first: Readonly<Record<ObjectEventType, FrameMemo>>;
  #bookmark: { revision: number; end: boolean; frame: Uint8Array } | undefined;

  constructor(parts: FrameParts) {
    this.#parts = parts;
    const memos = (): Record<ObjectEventType, FrameMemo> => ({
      ADDED: new FrameMemo(),
      MODIFIED: new FrameMemo(),
      DELETED: new FrameMemo(),
    });
    this.#later = memos();
    this.#first = memos();
  }

  frame(item: WatchItem, first: boolean): Uint8Array {
    if (item.type === "BOOKMARK") return this.#bookmarkFrame(item.revision, item.initialEventsEnd);
    const { type, object } = item;
    const memo = (first ? this.#first : this.#later)[type];
    return memo.get(object, (o) => this.#parts.object(type, o, first));
  }

  #bookmarkFrame(revision: number, end: boolean): Uint8Array {
    const last = this.#bookmark;
    if (last !== undefined && last.revision === revision && last.end === end) return last.frame;
    const frame = this.#parts.bookmark(revision, end);
    this.#bookmark = { revision, end, frame };
    return frame;
  }
}
