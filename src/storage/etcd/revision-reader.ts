// The newest revision, linearizably, for many askers at the price of few reads: askers who come while a read is under
// way share the next one, which begins after they came.
import type { EtcdConnection } from "./etcd-connection.ts";
import { decodeRange, encodeRange, methods } from "./messages.ts";

/** Any key serves; this one exists nowhere. */
const request = encodeRange({
  start: "\0",
  revision: 0,
  limit: 1,
  keysOnly: false,
  countOnly: true,
});

export class RevisionReader {
  readonly #connection: EtcdConnection;
  #running = false;
  #previous: Promise<unknown> = Promise.resolve();
  #next: Promise<number> | undefined;

  constructor(connection: EtcdConnection) {
    this.#connection = connection;
  }

  read(): Promise<number> {
    if (this.#next !== undefined) return this.#next;
    if (!this.#running) return this.#start();
    this.#next = this.#previous.then(() => {
      this.#next = undefined;
      return this.#start();
    });
    return this.#next;
  }

  #start(): Promise<number> {
    this.#running = true;
    const reading = this.#read();
    this.#previous = reading.catch(() => undefined);
    return reading;
  }

  async #read(): Promise<number> {
    try {
      return decodeRange(await this.#connection.read(methods.range, request)).revision;
    } finally {
      this.#running = false;
    }
  }
}
