// A watch as its reader sees it: events in order, as an async iterator. It reads only as fast as it is asked, so a slow
// reader slows the server's stream (and may lose it); a connection that breaks ends the watch like one that ran out.
import { receivedError, type StatusError } from "../api/meta/errors.ts";
import type { Status } from "../api/types/meta-v1.ts";
import type { BodySink, ResponseBody } from "../host/http.ts";
import { parseJson } from "../std/json.ts";
import type { ApiObject, Served } from "./served-object.ts";
import { concatBytes } from "../std/concat-bytes.ts";
import { decodeUtf8, encodeUtf8 } from "../std/utf8.ts";

export type WatchEvent<T extends ApiObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Served<T> }
  | {
      readonly type: "BOOKMARK";
      readonly resourceVersion: string;
      /** Everything that existed when the watch began has been told (only after sendInitialEvents). */
      readonly initialEventsEnd: boolean;
    }
  /** The server gave up, most often 410 Expired; nothing follows. */
  | { readonly type: "ERROR"; readonly error: StatusError };

const initialEventsEndAnnotation = "k8s.io/initial-events-end";
const newline = 10;

/** What a reader of events needs of them; `stop` ends the watch and tells the server. */
export interface WatchStream<T extends ApiObject> extends AsyncIterableIterator<WatchEvent<T>> {
  stop(): void;
}

export class Watch<T extends ApiObject> implements WatchStream<T> {
  readonly #controller: AbortController;
  /** Complete lines that were not asked for yet, from one chunk at a time. */
  readonly #lines: string[] = [];
  /** The beginning of a line whose end has not come. */
  #rest: Uint8Array = noBytes;
  /** Nothing more comes from the server; lines may be left. */
  #ended = false;
  /** The reader wants nothing more. */
  #stopped = false;
  #wakeReader: () => void = () => undefined;
  #wakeWriter: () => void = () => undefined;

  /** `controller` is the call's own: aborting it ends the request. */
  constructor(body: ResponseBody, controller: AbortController) {
    this.#controller = controller;
    void this.#pull(body);
  }

  /** One event and the end, for a watch that was refused with 410 before it began. */
  static ofError<T extends ApiObject>(status: Status): Watch<T> {
    const line = JSON.stringify({ type: "ERROR", object: status });
    return new Watch(`${line}\n`, new AbortController());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent<T>>> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined && !this.#stopped) return { done: false, value: decodeEvent<T>(line) };
      if (this.#ended || this.#stopped) return { done: true, value: undefined };
      this.#wakeWriter();
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
  }

  /** What `break` in a for-await loop calls. */
  return(): Promise<IteratorResult<WatchEvent<T>>> {
    this.stop();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the watch: its reader gets nothing more and the server is told. */
  stop(): void {
    this.#stopped = true;
    this.#controller.abort();
    this.#wakeReader();
    this.#wakeWriter();
  }

  async #pull(body: ResponseBody): Promise<void> {
    const { signal } = this.#controller;
    const sink: BodySink = { signal, write: (chunk) => this.#take(chunk) };
    const stop = (): void => this.stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      if (typeof body === "function") await body(sink);
      else if (body !== undefined) this.#split(typeof body === "string" ? encodeUtf8(body) : body);
    } catch {
      // A broken connection: the reader resumes from its last resourceVersion, as after any end.
    }
    this.#ended = true;
    // Whoever linked a signal of its own to this call may let go of it.
    signal.removeEventListener("abort", stop);
    this.#controller.abort();
    this.#wakeReader();
  }

  async #take(chunk: Uint8Array): Promise<void> {
    if (this.#stopped) throw new Error("reader is gone");
    this.#split(chunk);
    if (this.#lines.length === 0) return;
    this.#wakeReader();
    await new Promise<void>((resolve) => (this.#wakeWriter = resolve));
  }

  #split(chunk: Uint8Array): void {
    const end = chunk.lastIndexOf(newline);
    if (end < 0) {
      this.#rest = concatBytes([this.#rest, chunk]);
      return;
    }
    const text = decodeUtf8(concatBytes([this.#rest, chunk.subarray(0, end)]));
    this.#rest = chunk.slice(end + 1);
    for (const line of text.split("\n")) if (line !== "") this.#lines.push(line);
  }
}

const noBytes = new Uint8Array(0);

function decodeEvent<T extends ApiObject>(line: string): WatchEvent<T> {
  const { type, object } = parseJson(line) as { type: string; object: unknown };
  if (type === "ERROR") {
    const status = object as Status;
    return { type, error: receivedError(status.code ?? 500, status, "") };
  }
  const served = object as Served<T>;
  if (type !== "BOOKMARK")
    return { type: type as "ADDED" | "MODIFIED" | "DELETED", object: served };
  const { resourceVersion, annotations } = served.metadata;
  const initialEventsEnd = annotations?.[initialEventsEndAnnotation] === "true";
  return { type, resourceVersion, initialEventsEnd };
}
