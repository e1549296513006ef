// Everything the server holds for its lifetime, built once from the parts and passed to filters and verbs.
import { LoopMeter } from "../api/request-cost.ts";
import type { Clock, Host, RandomStream } from "../host/host.ts";
import { WatchBudget } from "../flowcontrol/watch-budget.ts";
import { ListTurns } from "./list-turns.ts";
import { sharedTurns } from "../watchcache/shared-turns.ts";
import { ChunkPool } from "./chunk-pool.ts";
import { Deadlines } from "../flowcontrol/deadlines.ts";
import { DiscoveryDocuments } from "./discovery/discovery-documents.ts";
import { EndpointTable } from "./endpoint.ts";
import { InFlight } from "./in-flight.ts";
import { watchBudgetGauges } from "./metrics/watch-budget-gauges.ts";
import { MetricRegistry } from "./metrics/metric-registry.ts";
import { RequestMetrics } from "./metrics/request-metrics.ts";
import { Negotiator, builtInOffer, plainOffer } from "./negotiation.ts";
import { OpenApiBytes } from "./openapi-bytes.ts";
import type { ServerParts } from "./parts.ts";

export class ServerState {
  readonly host: Host;
  readonly parts: ServerParts;
  readonly endpoints: EndpointTable;
  readonly discovery: DiscoveryDocuments;
  readonly openApi: OpenApiBytes;
  readonly meter: LoopMeter = new LoopMeter();
  readonly pool: ChunkPool = new ChunkPool();
  readonly inFlight: InFlight = new InFlight();
  readonly deadlines: Deadlines;
  readonly auditIds: RandomStream;
  readonly metrics: MetricRegistry = new MetricRegistry();
  readonly requestMetrics: RequestMetrics;
  /** For objects and lists of built-in kinds. */
  readonly negotiator: Negotiator = new Negotiator(builtInOffer);
  /** For Statuses and everything else that has no Table. */
  readonly plainNegotiator: Negotiator = new Negotiator(plainOffer);
  readonly watchLengths: RandomStream;
  readonly watchBudget: WatchBudget;
  /** LISTs begin one by one, between the pieces of those that are being sent. */
  readonly listStarts: Clock;
  /** Their pieces. */
  readonly listTurns: ListTurns;

  constructor(host: Host, parts: ServerParts) {
    this.host = host;
    this.parts = parts;
    this.endpoints = new EndpointTable(parts.schema.resources, parts.registries);
    this.discovery = new DiscoveryDocuments(host.digest, parts);
    this.openApi = new OpenApiBytes(host, parts.schema);
    this.deadlines = new Deadlines(host.clock);
    this.auditIds = host.random.stream("audit-id");
    this.requestMetrics = new RequestMetrics(this.metrics);
    this.watchLengths = host.random.stream("watch-length");
    this.listStarts = sharedTurns(host.clock);
    this.listTurns = new ListTurns(host.clock);
    this.watchBudget = new WatchBudget(parts.options.watches);
    for (const source of watchBudgetGauges(this.watchBudget)) this.metrics.source(source);
    for (const source of parts.gauges) this.metrics.source(source);
    for (const source of parts.histograms) this.metrics.histogramSource(source);
  }
}
