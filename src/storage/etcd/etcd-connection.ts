// The way to an etcd cluster: one gRPC channel an endpoint, one of them in use until it fails. Reads are repeated on
// the next endpoint; a write that may have reached etcd is never repeated. No message is understood here.
import { readFileSync } from "node:fs";
import {
  type CallOptions,
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  Metadata,
  connectivityState,
  credentials,
} from "@grpc/grpc-js";
import type { Host, RandomStream } from "../../host/host.ts";
import { StoreUnavailableError } from "../store.ts";
import { faultOf, isServiceError, storeError } from "./etcd-errors.ts";

export interface EtcdAddress {
  /** As in --etcd-servers: `https://10.0.0.1:2379`; without a scheme the connection is plain. */
  readonly servers: readonly string[];
  /** PEM files, as in --etcd-cafile, --etcd-certfile, --etcd-keyfile. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export type EtcdStream = ClientDuplexStream<Buffer, Buffer>;

const callMsMax = 30_000;
const connectMsMax = 5_000;
const retriesMax = 4;
const backOffMsMin = 50;
const backOffMsMax = 5_000;

const channelOptions = {
  // etcd answers a range as one message: the pages are kept small, single values are bounded by etcd.
  "grpc.max_receive_message_length": 2 ** 31 - 1,
  "grpc.max_send_message_length": 2 ** 31 - 1,
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": backOffMsMax,
  "grpc.enable_retries": 0,
};

/** Streams end when their member loses its leader, instead of silently saying nothing (etcd's `WithRequireLeader`). */
const requireLeader = new Metadata();
requireLeader.set("hasleader", "true");
const noMetadata = new Metadata();

const asIs = (bytes: Buffer): Buffer => bytes;

export class EtcdConnection {
  readonly #host: Host;
  readonly #jitter: RandomStream;
  readonly #clients: readonly Client[];
  readonly #names: string;
  #current = 0;
  #closed = false;

  /** Throws when a server's address or a PEM file cannot be read. */
  constructor(host: Host, address: EtcdAddress) {
    if (address.servers.length === 0) throw new StoreUnavailableError("no etcd server was named");
    this.#host = host;
    this.#jitter = host.random.stream("storage/etcd");
    this.#names = address.servers.join(", ");
    this.#clients = address.servers.map((server) => connect(server, address));
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when a server has been reached; rejects when none was within some seconds each. */
  async ready(): Promise<void> {
    await this.#readyClient();
  }

  /** A call that changes nothing, or nothing more when repeated: other endpoints are tried when one fails. */
  async read(method: string, request: Buffer): Promise<Buffer> {
    for (let attempt = 0; ; attempt += 1) {
      const client = this.#client();
      try {
        return await this.#call(client, method, request);
      } catch (error) {
        if (!isServiceError(error) || faultOf(error) !== "Unreachable") throw error;
        this.turnAwayFrom(client);
        if (attempt >= retriesMax + this.#clients.length) throw error;
        await this.backOff(Math.floor(attempt / this.#clients.length));
      }
    }
  }

  /** A call that is made at most once. Rejects with the fault etcd or the transport gave. */
  async write(method: string, request: Buffer): Promise<Buffer> {
    const client = await this.#readyClient();
    try {
      return await this.#call(client, method, request);
    } catch (error) {
      if (isServiceError(error) && faultOf(error) === "Unreachable") this.turnAwayFrom(client);
      throw error;
    }
  }

  /** Ends by itself after `msMax`, when given. The client is for `turnAwayFrom` when the stream breaks. */
  stream(method: string, msMax?: number): { readonly stream: EtcdStream; readonly client: Client } {
    const client = this.#client();
    const options = msMax === undefined ? {} : { deadline: this.#host.clock.now() + msMax };
    const metadata = requireLeader.clone();
    const stream = client.makeBidiStreamRequest(method, asIs, asIs, metadata, options);
    return { stream, client };
  }

  /** Later calls use the next endpoint, unless someone has turned already. */
  turnAwayFrom(client: Client): void {
    if (this.#clients[this.#current] !== client) return;
    this.#current = (this.#current + 1) % this.#clients.length;
  }

  /** Waits: twice as long with each attempt, up to a bound, and never in step with others. */
  backOff(attempt: number): Promise<void> {
    const ms = Math.min(backOffMsMax, backOffMsMin * 2 ** attempt) * (0.5 + this.#jitter.unit());
    return new Promise((resolve) => {
      this.#host.clock.after(ms, resolve);
    });
  }

  close(): void {
    this.#closed = true;
    for (const client of this.#clients) client.close();
  }

  #client(): Client {
    if (this.#closed) throw new StoreUnavailableError("the store is closed");
    return this.#clients[this.#current]!;
  }

  /**
   * A client whose channel is up: what is sent on it has either arrived or may have. The first time round an endpoint
   * that refuses is passed over at once; when all did, each gets some seconds to come up.
   */
  async #readyClient(): Promise<Client> {
    const endpoints = this.#clients.length;
    const last = endpoints === 1 ? 0 : 2 * endpoints - 1;
    for (let attempt = 0; ; attempt += 1) {
      const client = this.#client();
      const patient = attempt >= endpoints || endpoints === 1;
      const cause = await waitUntilReady(client, this.#host.clock.now() + connectMsMax, patient);
      if (cause === undefined) return client;
      this.turnAwayFrom(client);
      if (attempt === last) {
        throw new StoreUnavailableError(`no etcd server answers at ${this.#names}`, { cause });
      }
    }
  }

  #call(client: Client, method: string, request: Buffer): Promise<Buffer> {
    const options: CallOptions = { deadline: this.#host.clock.now() + callMsMax };
    return new Promise((resolve, reject) => {
      client.makeUnaryRequest(method, asIs, asIs, request, noMetadata, options, (error, answer) => {
        if (error !== null) reject(error);
        else resolve(answer!);
      });
    });
  }
}

/** Undefined when the channel is up. `patient`: also after a failed attempt it may come up until the deadline. */
async function waitUntilReady(
  client: Client,
  deadline: number,
  patient: boolean,
): Promise<Error | undefined> {
  const channel = client.getChannel();
  for (;;) {
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.READY) return undefined;
    if (state === connectivityState.SHUTDOWN) return new Error("the connection is closed");
    if (state === connectivityState.TRANSIENT_FAILURE && !patient) return new Error("refused");
    const late = await new Promise<Error | undefined>((resolve) => {
      channel.watchConnectivityState(state, deadline, resolve);
    });
    if (late !== undefined) return late;
  }
}

/** Every call into the store goes through it: gRPC's errors become the store's. */
export async function translated<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw storeError(error);
  }
}

function connect(server: string, address: EtcdAddress): Client {
  const [, scheme, authority] = /^(?:(https?):\/\/)?([^/]+)\/?$/.exec(server) ?? [];
  if (authority === undefined) {
    throw new StoreUnavailableError(`"${server}" is no etcd server: say it as https://HOST:PORT`);
  }
  const secure = scheme === "https";
  const trust = secure ? tlsCredentials(address) : credentials.createInsecure();
  return new Client(authority, trust, channelOptions);
}

function tlsCredentials({ caFile, certFile, keyFile }: EtcdAddress): ChannelCredentials {
  const read = (path: string | undefined) => (path === undefined ? null : readFileSync(path));
  return credentials.createSsl(read(caFile), read(keyFile), read(certFile));
}
