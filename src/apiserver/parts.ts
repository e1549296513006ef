// What the server is made of besides itself. cluster/ builds the parts; createApiServer only calls them.
import type { Auditor } from "../accounting/audit/auditor.ts";
import type { Accountant } from "../accounting/accountant.ts";
import type { Access } from "../access/build.ts";
import type { NodeMetrics } from "../api/node-metrics.ts";
import type { NodeStreams } from "../api/node-streams.ts";
import type { RequestCost } from "../api/request-cost.ts";
import type { Schema } from "../api/schema/schema.ts";
import { type WatchLimits, watchLimitDefaults } from "../flowcontrol/watch-budget.ts";
import type { Gate } from "../flowcontrol/flow-pass.ts";
import type { ResourceRegistry } from "../registry/registry.ts";
import type { GaugeSource, HistogramSource } from "./metrics/metric-registry.ts";

/** Access: who may do what; its impersonator is asked only when an Impersonate-* header is there. */
export interface ServerParts extends Access {
  /** Which resources are served, in discovery order. */
  readonly schema: Schema;
  readonly registries: RegistrySource;
  readonly version: VersionDocument;
  /** Told what each request cost. */
  readonly accountant: Accountant;
  /** Writes the audit log; undefined: there is none. */
  readonly auditor: Auditor | undefined;
  /** What `/debug/wavetank/ledger` shows: at most so many rows. Undefined: there is no ledger. */
  readonly ledger: ((rowsMax: number) => object) | undefined;
  /** Beyond `ping` and `shutdown`, which the server adds itself. */
  readonly healthChecks: readonly HealthCheck[];
  /** Lets requests in: Priority and Fairness, or limits of requests in flight. */
  readonly gate: Gate;
  /** Texts that administrators may read under a path, made when they are asked for. */
  readonly debugPages: readonly DebugPage[];
  /** What `componentstatuses` shows. */
  readonly components: () => readonly ComponentHealth[];
  /** More families for `/metrics`: storage, watch cache, process. */
  readonly gauges: readonly GaugeSource[];
  /** What the kubelets serve: logs, exec, attach, port-forward. */
  readonly nodeStreams: NodeStreams;
  /** What metrics.k8s.io shows. */
  readonly nodeMetrics: NodeMetrics;
  readonly histograms: readonly HistogramSource[];
  readonly labour: Labour;
  readonly options: ServerOptions;
}

/** Where work takes time by declaration. On a real machine it has taken its time already (`noLabour`). */
export interface Labour {
  /** Called before the request is looked at: what any request costs comes before what it does, so that an overloaded
   * server also writes late. */
  receive(): Promise<void> | undefined;
  /** Called when the answer is made and before it leaves; the request holds its seats until it resolves. */
  spend(cost: RequestCost): Promise<void> | undefined;
}

export const noLabour: Labour = { receive: () => undefined, spend: () => undefined };

export interface RegistrySource {
  /** The registry behind a served resource; undefined for what is not stored (reviews, bindings). */
  find(group: string, resource: string, version?: string): ResourceRegistry | undefined;
}

/** `/version`, field for field. */
export type VersionDocument = Readonly<Record<string, string>>;

export interface HealthCheck {
  readonly name: string;
  /** Which endpoints ask it. */
  readonly on: readonly ("livez" | "readyz")[];
  /** Undefined when healthy, else why not: for the log, never for the client. */
  check(): Promise<string | undefined>;
}

export interface DebugPage {
  /** `/debug/…` */
  readonly path: string;
  /** `query`: the value of a parameter. */
  text(query: (name: string) => string | undefined): string;
}

export interface ComponentHealth {
  readonly name: string;
  readonly healthy: boolean;
  /** Shown when healthy; an error otherwise. */
  readonly message: string;
}

export interface ServerOptions extends ServerLimits {
  /** `host:port` under which clients reach this server; shown by `/api`. */
  readonly externalAddress: string;
}

/** How long requests may take and how much they may hold (docs/guards.md). */
export interface ServerLimits {
  /** Deadline of ordinary requests; `?timeout` may shorten it. Upstream: 60 s. */
  readonly requestTimeoutMs: number;
  /** Shortest random life of a watch; the longest is twice that. Upstream: 1800 s. */
  readonly minRequestTimeoutMs: number;
  /** Upstream: 3145728. */
  readonly bodyBytesMax: number;
  readonly watches: WatchLimits;
}

export const serverLimitDefaults: ServerLimits = {
  requestTimeoutMs: 60_000,
  minRequestTimeoutMs: 1_800_000,
  bodyBytesMax: 3_145_728,
  watches: watchLimitDefaults,
};
