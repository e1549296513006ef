// Reads answers as they pass, without keeping them: of a LIST its revision and continue token, of a watch the type and
// revision of each event. Servers write metadata in front of what is large, so the first kilobytes say it all.
import { decodeUtf8 } from "../std/utf8.ts";

/** So much of a list's or an object's beginning is looked at. */
const headBytesMax = 64 * 1024;
const newline = 10;

export interface ListHead {
  readonly resourceVersion: string;
  readonly continue: string;
}

export class ListScanner {
  #head = "";

  take(chunk: Uint8Array): void {
    if (this.#head.length >= headBytesMax) return;
    this.#head += decodeUtf8(chunk.subarray(0, headBytesMax - this.#head.length));
    // Items may name revisions too, and none of theirs is the list's.
    const items = this.#head.indexOf('"items":');
    if (items >= 0) this.#head = this.#head.slice(0, items).padEnd(headBytesMax);
  }

  get head(): ListHead {
    return {
      resourceVersion: field(this.#head, "resourceVersion"),
      continue: field(this.#head, "continue"),
    };
  }
}

export interface EventHead {
  readonly type: string;
  readonly resourceVersion: string;
  readonly initialEventsEnd: boolean;
  /** The whole line, of an ERROR. */
  readonly text: string;
}

/** Chunks in, heads of events out, in order. */
export class WatchScanner {
  #head = "";

  take(chunk: Uint8Array): EventHead[] {
    const events: EventHead[] = [];
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(newline, from);
      this.#keep(end < 0 ? chunk.subarray(from) : chunk.subarray(from, end));
      if (end < 0) return events;
      if (this.#head !== "") events.push(eventOf(this.#head));
      this.#head = "";
      from = end + 1;
    }
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0 || this.#head.length >= headBytesMax) return;
    const wanted = Math.min(part.length, headBytesMax - this.#head.length);
    // Most of an event is of no interest once its revision is known.
    const first = part.subarray(0, Math.min(wanted, firstLook));
    const text = decodeUtf8(first);
    if (this.#head === "" && wanted > firstLook && isEnough(text)) {
      this.#head = text.padEnd(headBytesMax);
      return;
    }
    this.#head += decodeUtf8(part.subarray(0, wanted));
  }
}

const firstLook = 2_048;

function isEnough(text: string): boolean {
  return !text.startsWith('{"type":"BOOKMARK"') && text.includes('"resourceVersion":"');
}

function eventOf(line: string): EventHead {
  const type = field(line, "type");
  return {
    type,
    resourceVersion: field(line, "resourceVersion"),
    initialEventsEnd: type === "BOOKMARK" && line.includes('"k8s.io/initial-events-end":"true"'),
    text: type === "ERROR" ? line : "",
  };
}

/** The first string value of that name; an object's own revision stands before any other. */
function field(text: string, name: string): string {
  const key = `"${name}":`;
  const at = text.indexOf(key);
  if (at < 0) return "";
  const open = text.indexOf('"', at + key.length);
  return open < 0 ? "" : text.slice(open + 1, text.indexOf('"', open + 1));
}
