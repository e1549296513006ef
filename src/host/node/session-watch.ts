// HTTP/2 connections over time: one on which nothing is under way is closed after a while, however often it pings. The
// same look every few seconds drops answers that are not taken; there is no timer for each.
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { performance } from "node:perf_hooks";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { Connections } from "./connections.ts";
import type { Outbox } from "./outbox.ts";

const looksPerLimit = 6;
const lookMsMax = 5_000;

export class SessionWatch {
  readonly #limits: ConnectionLimits;
  readonly #connections: Connections;
  readonly #streams = new Map<ServerHttp2Session, Set<ServerHttp2Stream>>();
  /** Since when nothing is under way, oldest first. */
  readonly #idle = new Map<ServerHttp2Session, number>();
  readonly #outbox: Outbox;
  readonly #timer: NodeJS.Timeout;

  constructor(limits: ConnectionLimits, connections: Connections, outbox: Outbox) {
    this.#outbox = outbox;
    this.#limits = limits;
    this.#connections = connections;
    const shortest = Math.min(limits.idleMs, limits.takeMs);
    const every = Math.min(lookMsMax, shortest / looksPerLimit);
    this.#timer = setInterval(() => this.#look(), every).unref();
  }

  get sessions(): Iterable<ServerHttp2Session> {
    return this.#streams.keys();
  }

  /** Streams that are open, watches among them. */
  get streams(): number {
    let sum = 0;
    for (const { size } of this.#streams.values()) sum += size;
    return sum;
  }

  add(session: ServerHttp2Session): void {
    const streams = new Set<ServerHttp2Stream>();
    this.#streams.set(session, streams);
    this.#idle.set(session, performance.now());
    session.on("error", () => session.destroy());
    session.once("close", () => {
      this.#streams.delete(session);
      this.#idle.delete(session);
    });
    const idle = this.#idle;
    // One for all streams of the session: thousands of them may wait.
    function left(this: ServerHttp2Stream): void {
      streams.delete(this);
      if (streams.size === 0 && !session.destroyed) idle.set(session, performance.now());
    }
    session.on("stream", (stream) => {
      streams.add(stream);
      if (streams.size === 1) idle.delete(session);
      stream.on("close", left);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const [session, since] of this.#idle) {
      if (now - since < this.#limits.idleMs) break;
      this.#idle.delete(session);
      this.#connections.count("idle");
      session.close();
    }
    this.#outbox.dropOverdue();
  }
}
