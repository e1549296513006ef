// Counts events of a watch without decoding their objects, so that the observer takes little of the shared processor.
import type { ClientHttp2Stream } from "node:http2";
import type { LoadClient } from "./load-client.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const newline = 10;
/** `{"type":"` is before an event's type. */
const typeAt = 9;

export class EventCount {
  readonly #stream: ClientHttp2Stream;
  readonly #type: EventType;
  #seen = 0;
  /** The beginning of the present line, as far as it is needed. */
  #start = "";
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => undefined;

  private constructor(stream: ClientHttp2Stream, type: EventType) {
    this.#stream = stream;
    this.#type = type;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
  }

  /** Counts from now on. `path` with its query, which has a selector or not. */
  static async open(client: LoadClient, path: string, type: EventType): Promise<EventCount> {
    const list = await client.expect(200, "GET", withQuery(path, "limit=1"), { keep: true });
    const { metadata } = JSON.parse(list.body.toString()) as {
      metadata: { resourceVersion: string };
    };
    const query = `watch=true&resourceVersion=${metadata.resourceVersion}`;
    const stream = client.open("GET", withQuery(path, query), metadataOnly);
    await new Promise<void>((resolve, reject) => {
      stream.once("error", reject);
      stream.once("response", () => resolve());
    });
    return new EventCount(stream, type);
  }

  get seen(): number {
    return this.#seen;
  }

  /** Resolves when `count` events were seen since the beginning. */
  async reach(count: number): Promise<void> {
    if (this.#seen >= count) return;
    this.#wanted = count;
    await new Promise<void>((resolve) => (this.#reached = resolve));
  }

  stop(): void {
    this.#stream.close();
  }

  #take(chunk: Buffer): void {
    const enough = typeAt + this.#type.length;
    for (let at = 0; at < chunk.length;) {
      const missing = enough - this.#start.length;
      if (missing > 0) this.#start += chunk.toString("latin1", at, at + missing).split("\n")[0];
      const end = chunk.indexOf(newline, at);
      if (end < 0) return;
      if (this.#start.startsWith(this.#type, typeAt)) this.#seen++;
      this.#start = "";
      at = end + 1;
    }
    if (this.#seen >= this.#wanted) this.#reached();
  }
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}${query}`;
}
