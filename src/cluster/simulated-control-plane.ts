// A control plane on a simulated Host, for tests and rehearsals of the client tower: its clients reach it in process, it
// can be restarted on the same store, and while it is down connections are refused as a closed port refuses them.
import { ledgerDefaults } from "../accounting/ledger/ledger.ts";
import { runawayLawDefaults } from "../access/runaway-owner/law.ts";
import type { ClientOptions } from "../client/api-caller.ts";
import { Client } from "../client/client.ts";
import { type Identity, userIdentity } from "../client/identity.ts";
import type { Transport } from "../client/transport.ts";
import { noNodeMetrics } from "../api/node-metrics.ts";
import { noNodeStreams } from "../api/node-streams.ts";
import { noLabour } from "../apiserver/parts.ts";
import type { Digest } from "../host/host.ts";
import { ConnectionError } from "../host/http.ts";
import { type DrainPromises, Driver } from "../host/simulated/driver.ts";
import { type SimulatedHost, createSimulatedHost } from "../host/simulated/simulated-host.ts";
import { createSimulatedTokenSigner } from "../host/simulated/token-signer.ts";
import { createMemoryStore } from "../storage/memory/memory-store.ts";
import type { Store } from "../storage/store.ts";
import { usualFlowControl } from "./flow-control.ts";
import {
  type ControlPlane,
  type ControlPlaneOptions,
  createControlPlane,
} from "./control-plane.ts";
import { newestProfile } from "./kubernetes-profile.ts";

/** What a simulation must take from the real engine. */
export interface Engine {
  readonly digest: Digest;
  readonly drain: DrainPromises;
}

const bootMsMax = 60_000;

export class SimulatedControlPlane {
  readonly host: SimulatedHost;
  readonly driver: Driver;
  readonly #store: Store;
  readonly #options: Partial<ControlPlaneOptions>;
  #controlPlane: ControlPlane | undefined;

  /** Not running yet: call `start`. `options`: what differs from the usual. */
  constructor(seed: number, engine: Engine, options: Partial<ControlPlaneOptions> = {}) {
    this.#options = options;
    this.host = createSimulatedHost(seed, engine.digest);
    this.driver = new Driver(this.host.clock, engine.drain);
    this.#store = createMemoryStore(this.host);
  }

  /** The running server, whichever that is at the time of a call. */
  readonly transport: Transport = (request) => {
    if (this.#controlPlane === undefined)
      return Promise.reject(new ConnectionError("connection refused", true));
    return this.#controlPlane.handle(request);
  };

  /** `options` absent: an administrator without a rate limit. */
  client(userAgent: string, options: Partial<ClientOptions> = {}): Client {
    const identity = this.admin();
    return new Client(this.host, this.transport, {
      userAgent,
      identity,
      rateLimit: undefined,
      ...options,
    });
  }

  admin(): Identity {
    return userIdentity(this.host.digest, "kubernetes-admin", ["system:masters"]);
  }

  async start(): Promise<void> {
    const options = { ...optionsOf(this.host.digest), ...this.#options };
    const booted = createControlPlane(this.host, this.#store, options);
    this.#controlPlane = await this.driver.run(booted, bootMsMax);
  }

  /** As SIGTERM: accepted requests are answered, watches end. */
  async stop(): Promise<void> {
    const stopping = this.#controlPlane;
    this.#controlPlane = undefined;
    if (stopping === undefined) return;
    await this.driver.run(stopping.drain(), bootMsMax);
    await this.driver.run(stopping.close(), bootMsMax);
  }
}

function optionsOf(digest: Digest): ControlPlaneOptions {
  return {
    profile: newestProfile,
    tokenSigner: createSimulatedTokenSigner(digest, "simulated"),
    caBundle: "",
    externalAddress: "127.0.0.1:6443",
    advertiseAddress: undefined,
    advertisePort: 6443,
    hostname: "simulated",
    serviceClusterIpRange: "10.96.0.0/16",
    storagePrefix: "/registry",
    sharedStore: false,
    tokens: "",
    controllersBeside: false,
    runawayOwnerLimit: runawayLawDefaults.limit,
    ledgerRows: ledgerDefaults.rowsMax,
    audit: undefined,
    flowControl: usualFlowControl,
    processFigures: [],
    nodeStreams: noNodeStreams,
    nodeMetrics: noNodeMetrics,
    labour: noLabour,
  };
}
