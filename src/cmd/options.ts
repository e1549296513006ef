// What a control plane in its own Node process can be told; the same record serves `wavetank up` and the library.
import type { BackendOptions } from "../accounting/audit/audit-backend.ts";
import type { TruncateLimits } from "../accounting/audit/truncation.ts";
import type { ServerLimits } from "../apiserver/parts.ts";
import type { RateLimit } from "../client/rate-limiter.ts";
import type { ConnectionLimits } from "../host/node/connection-limits.ts";

export interface StartOptions extends GuardOptions {
  /** TCP port; 0 picks a free one. `up` defaults to 6443, the library to 0. */
  readonly port?: number;
  /** Default 127.0.0.1: nobody else can connect. */
  readonly bindAddress?: string;
  /** Folder for store, keys and kubeconfig. Absent (library): nothing is written, all dies with the process. */
  readonly dataDir?: string;
  /** Keep objects in memory also when there is a data folder. */
  readonly memory?: boolean;
  /** `relaxed` acknowledges writes before they are synced: a crash of the machine may lose the last ones. */
  readonly durability?: "sync" | "relaxed";
  readonly etcd?: EtcdOptions;
  /** `1.16` to `1.36`: the Kubernetes minor to behave as (docs/profiles.md). The API is that of 1.36 in any case. */
  readonly kubernetesVersion?: string;
  /** `false` as --enable-taint-manager=false, which Kubernetes had up to 1.26: nodes that stay away lose their pods one by one. */
  readonly taintManager?: boolean;
  /** Where to write the administrator's kubeconfig; default `<dataDir>/kubeconfig`, none without a data folder. */
  readonly kubeconfigPath?: string;
  /** CSV of token,user,uid,"group1,group2" as kube-apiserver reads it. */
  readonly tokenAuthFile?: string;
  /** Default 10.96.0.0/16. */
  readonly serviceClusterIpRange?: string;
  /** Names and addresses besides the usual ones that the server certificate shall cover. */
  readonly certificateNames?: readonly string[];
  /** Run the controllers, so that it behaves as a cluster. `up` does, the library does only when told. */
  readonly controllers?: boolean;
  /** Simulated nodes node-1 to node-N that run pods; default none. */
  readonly nodes?: number;
  /** Requests a second that each controller and the scheduler may make, and how many at once after a rest (docs/nodes.md). */
  readonly apiRateLimit?: { readonly qps: number; readonly burst: number };
  /** How many pods that never ran one owner may replace before it is slowed down; default 200, 0 = off (docs/guards.md). */
  readonly runawayOwnerLimit?: number;
  readonly audit?: AuditOptions;
  /** Rows of the ledger of costs that `wavetank top` shows; default 1000, 0 = no ledger (docs/top.md). */
  readonly ledgerRows?: number;
  /** API Priority and Fairness; default on (off before 1.20). Off: only requests in flight are limited. */
  readonly priorityAndFairness?: boolean;
  /** Requests at once that only read, default 400; with the next number the seats of Priority and Fairness. */
  readonly maxRequestsInFlight?: number;
  /** Requests at once that write, default 200. */
  readonly maxMutatingRequestsInFlight?: number;
  /** What is written on stderr; default `warn`. */
  readonly logLevel?: "info" | "warn" | "error" | "silent";
}

/** docs/guards.md */
export interface GuardOptions {
  /** How many connections, how long they may be silent, what one may hold. */
  readonly connectionLimits?: Partial<ConnectionLimits>;
  /** How long requests may take, how large they are, how many watches there may be. */
  readonly serverLimits?: Partial<ServerLimits>;
}

/** docs/audit.md */
export interface AuditOptions {
  readonly policyFile: string;
  readonly log?: AuditLogOptions;
  readonly webhook?: AuditWebhookOptions;
}

/** How events are handed to a log or a webhook. */
export interface AuditDeliveryOptions extends Pick<BackendOptions, "mode" | "batch"> {
  /** Batches a second; absent: as fast as they come. */
  readonly throttle?: RateLimit;
  /** Absent: events are as long as they are. */
  readonly truncate?: TruncateLimits;
}

export interface AuditLogOptions extends AuditDeliveryOptions {
  /** `-`: standard output. */
  readonly path: string;
  readonly format: "json" | "legacy";
  /** 0: never set aside. */
  readonly bytesMax: number;
  readonly ageDaysMax: number;
  readonly backupsMax: number;
}

export interface AuditWebhookOptions extends AuditDeliveryOptions {
  /** A kubeconfig. */
  readonly configFile: string;
  readonly initialBackoffMs: number;
}

export interface EtcdOptions {
  /** `http://127.0.0.1:2379` ... */
  readonly servers: readonly string[];
  /** Default `/registry`. */
  readonly prefix?: string;
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** A wrong option or a state of the machine that the user can change; the message says how. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
