// What every controller and every other part of the client tower is given, and what it gives back. A component knows
// the server only through this.
import type { Client } from "../client/client.ts";
import type { Identity } from "../client/identity.ts";
import type { RateLimit } from "../client/rate-limiter.ts";
import type { Host } from "../host/host.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { InformerSet } from "./informer-set.ts";
import type { WorkMeter } from "./work-meter.ts";

export interface ComponentContext {
  readonly host: Host;
  /** Views shared by all components of one process; ask for what is needed before `start`. */
  readonly informers: InformerSet;
  /**
   * A client of its own: `name` is its user agent and, as ServiceAccount of kube-system, who it acts as. `share` is for
   * controllers to which upstream gives more than one controller's rate.
   */
  clientOf(name: string, share?: RateShare): Client;
  /** The one client, and rate limit, of all who ask for it by this name; otherwise as `clientOf`. */
  sharedClientOf(name: string): Client;
  /** A client under another identity: the scheduler's user, a node's. */
  clientAs(name: string, identity: Identity, terms: ClientTerms): Client;
  /** What the operator asked for; undefined: everyone's usual limit. */
  readonly rateLimit: RateLimit | undefined;
  /**
   * Records Events as `component`, e.g. `deployment-controller`, with the component's own client. `onNode`: what runs on
   * one. `series`: as events.k8s.io, as the scheduler does.
   */
  recorderOf(
    component: string,
    client: Client,
    options?: { readonly onNode?: string; readonly series?: boolean },
  ): EventRecorder;
  /** Told by those whose syncs look at more objects than they change. */
  readonly meter: WorkMeter;
}

export interface ClientTerms {
  readonly rateLimit: RateLimit | undefined;
  /** Clients of one line wait for each other when the process has much to do, lines take turns. Default: the name. */
  readonly line?: string;
  /** Of what is begun while much waits, half is for urgent lines. Default: no. */
  readonly urgent?: boolean;
}

export interface Component {
  /** Starting twice is the same as once. Called after all components were made, before the informers are synced. */
  start(): void;
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
}

export type ComponentFactory = (context: ComponentContext) => Component;

/** Factors of a controller's rate limit. */
export interface RateShare {
  readonly qps: number;
  readonly burst: number;
}

/** kube-controller-manager's --kube-api-qps and --kube-api-burst, which each of its controllers has for itself. */
export const controllerRateLimit: RateLimit = { qps: 20, burst: 30 };
