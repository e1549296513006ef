// How clients of the world reach its API servers: each client keeps to one server until it fails, then takes another
// that listens; a connection that is cut gives no answer. Every exchange is folded into the run's trace.
import type { Transport } from "../../client/transport.ts";
import type { Host, RandomStream } from "../../host/host.ts";
import { ConnectionError, type HttpRequest, type HttpResponse } from "../../host/http.ts";
import type { ApiServerProcess } from "./api-server.ts";

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

/** Told of every exchange that was answered, in the order of the answers. */
export type ExchangeSink = (answered: Answered) => void;

export class Network {
  readonly #host: Host;
  readonly #servers: readonly ApiServerProcess[];
  readonly #law: NetworkLaw;
  readonly #choice: RandomStream;
  readonly #sinks: ExchangeSink[] = [];
  /** Server by client; a client is who its connections say it is. */
  readonly #sticky = new Map<string, ApiServerProcess>();
  readonly #cut = new Set<string>();

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

  /** Through the load balancer: `connection` names whoever keeps to one server. */
  transport(connection: string): Transport {
    return (request) => this.#exchange(connection, request);
  }

  /** Straight to one server, as a component on the same machine. */
  direct(server: ApiServerProcess): Transport {
    return (request) => this.#told({ request, server }, () => server.handle(request));
  }

  async #exchange(connection: string, request: HttpRequest): Promise<HttpResponse> {
    const client = `${connection} ${request.peer.certificate?.commonName ?? ""}`;
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
    for (const sink of this.#sinks) sink({ request, status, server: server.process.name, tookMs });
    return response;
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
