// What an API server is told where everything around it is simulated: no files, no sockets, no figures of a process.
import { Ledger } from "../accounting/ledger/ledger.ts";
import { runawayLawDefaults } from "../access/runaway-owner/law.ts";
import { noNodeMetrics } from "../api/node-metrics.ts";
import { noNodeStreams } from "../api/node-streams.ts";
import { noLabour, serverLimitDefaults } from "../apiserver/parts.ts";
import type { Host } from "../host/host.ts";
import { createSimulatedTokenSigner } from "../host/simulated/token-signer.ts";
import type { ControlPlaneOptions } from "./control-plane.ts";
import { usualFlowControl } from "./flow-control.ts";
import { newestProfile } from "./kubernetes-profile.ts";

/** A single server on an empty ground; spread what differs over it. */
export function simulatedOptions({ digest, clock }: Host): ControlPlaneOptions {
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
    ledger: new Ledger(clock),
    audit: undefined,
    flowControl: usualFlowControl,
    limits: serverLimitDefaults,
    processFigures: [],
    nodeStreams: noNodeStreams,
    nodeMetrics: noNodeMetrics,
    labour: noLabour,
  };
}
