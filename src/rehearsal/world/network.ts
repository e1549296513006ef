// How clients of the world reach its API servers: each client keeps to one server until it fails, then takes another
// that listens; a connection that is cut gives no answer. Every exchange is folded into the run's trace.
import type { Transport } from "../../client/transport.ts";
import type { Host, RandomStream } from "../../host/host.ts";
import { ConnectionError, type HttpRequest, type HttpResponse } from "../../host/http.ts";
import type { ApiServerProcess } from "./api-server.ts";
import { StreamSlots } from "./stream-slots.ts";

export interface NetworkLaw {
  /** One way. */
  readonly latencyMs: number;
}

export interface Answered {
  readonly request: HttpRequest;
  readonly status: number;
  /** Name of the server's process. */
  readonly server: string;
  readonly tookMs: number;
}

/**
 * Told of every exchange that was answered, in the order of the answers; what it gives back is told when the body of a
 * streamed answer has ended.
 */
export type ExchangeSink = (answered: Answered) => (() => void) | undefined;

export class Network {
  readonly #host: Host;
  readonly #servers: readonly ApiServerProcess[];
  readonly #law: NetworkLaw;
  readonly #choice: RandomStream;
  readonly #sinks: ExchangeSink[] = [];
  /** Server by client; a client is who its connections say it is. */
  readonly #sticky = new Map<string, ApiServerProcess>();
  readonly #cut = new Set<string>();
  /** By client, where one connection is all it opens. */
  readonly #slots = new Map<string, StreamSlots>();

  constructor(host: Host, servers: readonly ApiServerProcess[], law: NetworkLaw) {
    this.#host = host;
    this.#servers = servers;
    this.#law = law;
    this.#choice = host.random.stream("rehearsal/network");
  }

  onExchange(sink: ExchangeSink): void {
    this.#sinks.push(sink);
  }

  /** Nothing of this client arrives any more, until `heal`. */
  cut(client: string): void {
    this.#cut.add(client);
  }

  heal(client: string): void {
    this.#cut.delete(client);
  }

  /**
   * Through the load balancer: `connection` names whoever keeps to one server. `streamsMax`: what its one connection
   * carries at a time; absent: it opens another.
   */
  transport(connection: string, streamsMax?: number): Transport {
    if (streamsMax === undefined) return (request) => this.#exchange(connection, request);
    return (request) => this.#inStream(connection, { request, streamsMax });
  }

  /** Straight to one server, as a component on the same machine. */
  direct(server: ApiServerProcess): Transport {
    return (request) => this.#told({ request, server }, () => server.handle(request));
  }

  async #inStream(
    connection: string,
    { request, streamsMax }: { readonly request: HttpRequest; readonly streamsMax: number },
  ): Promise<HttpResponse> {
    const client = clientOf(connection, request);
    const slots = this.#slots.get(client) ?? new StreamSlots(streamsMax);
    this.#slots.set(client, slots);
    const giveBack = await slots.take(request.signal);
    try {
      return withEnd(await this.#exchange(connection, request), [giveBack]);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async #exchange(connection: string, request: HttpRequest): Promise<HttpResponse> {
    const client = clientOf(connection, request);
    await this.#travel();
    if (this.#cut.has(connection)) throw new ConnectionError("no route to host", true);
    const server = this.#serverOf(client);
    try {
      return await this.#told({ request, server }, async () => {
        const response = await server.handle(request);
        await this.#travel();
        return response;
      });
    } catch (error) {
      this.#sticky.delete(client);
      throw error;
    }
  }

  async #told(
    { request, server }: { readonly request: HttpRequest; readonly server: ApiServerProcess },
    ask: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const { clock } = this.#host;
    const asked = clock.monotonic();
    const response = await ask();
    const tookMs = clock.monotonic() - asked;
    const { status } = response;
    const answered = { request, status, server: server.process.name, tookMs };
    const ends = this.#sinks.flatMap((sink) => sink(answered) ?? []);
    return ends.length === 0 ? response : withEnd(response, ends);
  }

  #serverOf(client: string): ApiServerProcess {
    const known = this.#sticky.get(client);
    if (known !== undefined && known.ready) return known;
    const ready = this.#servers.filter((server) => server.ready);
    const server = ready[this.#choice.below(Math.max(1, ready.length))];
    if (server === undefined) throw new ConnectionError("connection refused", true);
    this.#sticky.set(client, server);
    return server;
  }

  #travel(): Promise<void> {
    const { latencyMs } = this.#law;
    if (latencyMs === 0) return Promise.resolve();
    return new Promise((resolve) => this.#host.clock.after(latencyMs, resolve));
  }
}

function clientOf(connection: string, { peer }: HttpRequest): string {
  return `${connection} ${peer.certificate?.commonName ?? ""}`;
}

function withEnd(response: HttpResponse, ends: readonly (() => void)[]): HttpResponse {
  const { body } = response;
  const end = (): void => {
    for (const tell of ends) tell();
  };
  if (typeof body !== "function") {
    end();
    return response;
  }
  return { ...response, body: (sink) => body(sink).finally(end) };
}
