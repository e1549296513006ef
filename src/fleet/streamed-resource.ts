// A resource whose answers are read and counted, never kept: what a reflector needs in order to ask the next right thing
// is in the head of a list and of each event. A thousand members so cost what their sockets cost.
import { StatusError, receivedError } from "../api/meta/errors.ts";
import type { Status } from "../api/types/meta-v1.ts";
import type { ApiCaller, Call, QueryValue } from "../client/api-caller.ts";
import type {
  ListOptions,
  Page,
  ResourceAddress,
  WatchOptions,
} from "../client/resource-client.ts";
import { collectionPath } from "../client/resource-path.ts";
import type { ApiObject, Served } from "../client/served-object.ts";
import { AbortedError, abortable, linkedController } from "../client/waiting.ts";
import type { WatchEvent, WatchStream } from "../client/watch.ts";
import type { Clock } from "../host/host.ts";
import { type BodySink, ConnectionError, type ResponseBody } from "../host/http.ts";
import type { ReflectedResource } from "../informer/reflector.ts";
import { parseJson } from "../std/json.ts";
import { type EventHead, ListScanner, WatchScanner } from "./body-scanner.ts";
import type { PopulationMeter } from "./meter.ts";
import { encodeUtf8 } from "../std/utf8.ts";

export interface StreamedResourceOptions {
  readonly caller: ApiCaller;
  readonly address: ResourceAddress;
  readonly clock: Clock;
  readonly meter: PopulationMeter;
  readonly listTimeoutMs: number | undefined;
}

export class StreamedResource implements ReflectedResource<ApiObject> {
  readonly address: ResourceAddress;
  readonly #options: StreamedResourceOptions;

  constructor(options: StreamedResourceOptions) {
    this.address = options.address;
    this.#options = options;
  }

  /** One page, without its items. */
  async list(options: ListOptions): Promise<Page<ApiObject>> {
    const { signal = new AbortController().signal, namespace, ...query } = options;
    const path = collectionPath(this.address, namespace);
    const head = await this.#inTime(signal, async (limited) => {
      const scanner = new ListScanner();
      const response = await this.#options.caller.answer({ method: "GET", path, query }, limited);
      await drain(response.body, limited, (chunk) => scanner.take(chunk));
      return scanner.head;
    });
    return { items: [], ...head };
  }

  async watch(options: WatchOptions): Promise<WatchStream<ApiObject>> {
    const { signal, namespace, ...rest } = options;
    const query: Record<string, QueryValue> = { watch: true, ...rest };
    const call: Call = { method: "GET", path: collectionPath(this.address, namespace), query };
    const controller = linkedController(signal);
    try {
      const response = await this.#options.caller.open(call, controller.signal);
      return new CountedWatch(response.body, controller, this.#options.meter);
    } catch (error) {
      controller.abort();
      if (!(error instanceof StatusError) || error.code !== 410) throw error;
      const line = `${JSON.stringify({ type: "ERROR", object: error.status })}\n`;
      return new CountedWatch(line, new AbortController(), this.#options.meter);
    }
  }

  /** Gives up after the client's own time for a list, as if the connection had broken. */
  async #inTime<T>(signal: AbortSignal, work: (limited: AbortSignal) => Promise<T>): Promise<T> {
    const { listTimeoutMs, clock, meter } = this.#options;
    if (listTimeoutMs === undefined) return work(signal);
    const controller = linkedController(signal);
    const cancel = clock.after(listTimeoutMs, () => controller.abort());
    try {
      return await work(controller.signal);
    } catch (error) {
      if (signal.aborted || !controller.signal.aborted) throw error;
      meter.clientTimeout(clock.monotonic());
      throw new ConnectionError("the client gave up waiting", false, error);
    } finally {
      cancel();
      controller.abort();
    }
  }
}

/** Reads a body to its end. Rejects with ConnectionError when it breaks off, AbortedError when the reader leaves. */
export async function drain(
  body: ResponseBody,
  signal: AbortSignal,
  see: (chunk: Uint8Array) => void,
): Promise<void> {
  if (typeof body !== "function") {
    if (body !== undefined) see(typeof body === "string" ? encodeUtf8(body) : body);
    return;
  }
  const write: BodySink["write"] = (chunk) => {
    if (signal.aborted) return Promise.reject(new AbortedError("aborted"));
    see(chunk);
    return Promise.resolve();
  };
  try {
    await abortable(body({ write, signal }), signal);
  } catch (cause) {
    if (signal.aborted) throw new AbortedError("aborted");
    throw new ConnectionError("the answer broke off", false, cause);
  }
}

/** Events as fast as they come, waiting for nobody: the reader only learns what it may have to resume from. */
class CountedWatch implements WatchStream<ApiObject> {
  readonly #controller: AbortController;
  readonly #meter: PopulationMeter;
  readonly #scanner = new WatchScanner();
  /** Not asked for yet. Of a run of plain changes only the newest is kept. */
  #events: WatchEvent<ApiObject>[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(body: ResponseBody, controller: AbortController, meter: PopulationMeter) {
    this.#controller = controller;
    this.#meter = meter;
    const end = (): void => {
      this.#ended = true;
      controller.abort();
      this.#wake();
    };
    controller.signal.addEventListener("abort", end, { once: true });
    // A connection that breaks ends the watch like one that ran out.
    drain(body, controller.signal, (chunk) => this.#take(chunk)).then(end, end);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<WatchEvent<ApiObject>>> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) return { done: false, value: event };
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  return(): Promise<IteratorResult<WatchEvent<ApiObject>>> {
    this.stop();
    return Promise.resolve({ done: true, value: undefined });
  }

  stop(): void {
    this.#events = [];
    this.#controller.abort();
  }

  #take(chunk: Uint8Array): void {
    for (const head of this.#scanner.take(chunk)) {
      this.#meter.eventReceived();
      const event = eventOf(head);
      if (isChange(event) && isChange(this.#events.at(-1))) this.#events.pop();
      this.#events.push(event);
    }
    if (this.#events.length > 0) this.#wake();
  }
}

function isChange(event: WatchEvent<ApiObject> | undefined): boolean {
  return event !== undefined && event.type !== "BOOKMARK" && event.type !== "ERROR";
}

function eventOf(head: EventHead): WatchEvent<ApiObject> {
  const { type, resourceVersion, initialEventsEnd } = head;
  if (type === "BOOKMARK") return { type, resourceVersion, initialEventsEnd };
  if (type === "ERROR") {
    const { object } = parseJson(head.text) as { object: Status };
    return { type, error: receivedError(object.code ?? 500, object, "") };
  }
  const object: Served<ApiObject> = {
    metadata: { name: "", uid: "", resourceVersion, creationTimestamp: "" },
  };
  return { type: type === "ADDED" || type === "DELETED" ? type : "MODIFIED", object };
}
