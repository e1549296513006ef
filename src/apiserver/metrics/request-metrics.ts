// What the server counts about requests, under Kubernetes' own metric names (upstream: endpoints/metrics). Labels come
// from known resources only, so strangers cannot grow the page.
import { isLongRunning, type RequestInfo, scopeOf } from "../request-info.ts";
import type { Counter, Histogram, LabelledFamily, MetricRegistry } from "./metric-registry.ts";

const durationBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
  60,
];
/** Waiting for a seat is not what the server promises to be quick at. */
const sliBuckets = durationBuckets.filter((seconds) => seconds >= 0.05);
/** From 50 kB to 3.05 MB, each 100 kB more. */
const bodyBuckets = Array.from({ length: 31 }, (_, at) => 50_000 + 100_000 * at);
const sizeBuckets = [1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
const watchSizeBuckets = [1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072];

const requestLabels = ["verb", "dry_run", "group", "version", "resource", "subresource", "scope"];

interface RequestSeries {
  readonly total: Counter;
  readonly duration: Histogram;
  readonly sizes: Histogram;
  /** Absent for requests that last as long as their client wants. */
  readonly sli: Histogram | undefined;
  /** Of writes. */
  readonly bodies: Histogram | undefined;
}

export interface FinishedRequest {
  readonly info: RequestInfo;
  /** The path leads to a resource of ours; otherwise its words are not used as labels. */
  readonly known: boolean;
  readonly dryRun: boolean;
  readonly code: number;
  readonly seconds: number;
  /** Of `seconds`, those spent waiting for a seat. */
  readonly queueSeconds: number;
  readonly bodyBytes: number;
  /** Undefined when the answer is streamed. */
  readonly bytes: number | undefined;
}

export class RequestMetrics {
  readonly #total: LabelledFamily<Counter>;
  readonly #duration: LabelledFamily<Histogram>;
  readonly #sizes: LabelledFamily<Histogram>;
  readonly #sli: LabelledFamily<Histogram>;
  readonly #bodies: LabelledFamily<Histogram>;
  readonly #inflight: LabelledFamily<Counter>;
  readonly #longRunning: LabelledFamily<Counter>;
  readonly #terminations: LabelledFamily<Counter>;
  readonly #watchEvents: LabelledFamily<Counter>;
  readonly #watchSizes: LabelledFamily<Histogram>;
  /** By all labels joined: one lookup a request. Bounded by verbs x resources x codes. */
  readonly #series = new Map<string, RequestSeries>();

  constructor(registry: MetricRegistry) {
    this.#total = registry.counter(
      "apiserver_request_total",
      "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
      [...requestLabels, "component", "code"],
    );
    this.#duration = registry.histogram(
      {
        name: "apiserver_request_duration_seconds",
        help: "[STABLE] Response latency distribution in seconds.",
      },
      [...requestLabels, "component"],
      durationBuckets,
    );
    this.#sizes = registry.histogram(
      { name: "apiserver_response_sizes", help: "[STABLE] Response size distribution in bytes." },
      ["verb", "group", "version", "resource", "subresource", "scope", "component"],
      sizeBuckets,
    );
    this.#sli = registry.histogram(
      {
        name: "apiserver_request_sli_duration_seconds",
        help: "[ALPHA] Response latency distribution in seconds, without the time spent waiting for a seat.",
      },
      ["verb", "group", "version", "resource", "subresource", "scope", "component"],
      sliBuckets,
    );
    this.#bodies = registry.histogram(
      { name: "apiserver_request_body_size_bytes", help: "[ALPHA] Request body size in bytes." },
      ["resource", "verb", "group"],
      bodyBuckets,
    );
    this.#inflight = registry.gauge(
      "apiserver_current_inflight_requests",
      "[STABLE] Requests being served now, by kind.",
      ["request_kind"],
    );
    this.#longRunning = registry.gauge(
      "apiserver_longrunning_requests",
      "[STABLE] Long-running requests being served now.",
      ["verb", "group", "version", "resource", "subresource", "scope", "component"],
    );
    this.#terminations = registry.counter(
      "apiserver_request_terminations_total",
      "[ALPHA] Requests given up in self-defence.",
      ["verb", "group", "version", "resource", "subresource", "scope", "component", "code"],
    );
    this.#watchEvents = registry.counter(
      "apiserver_watch_events_total",
      "[ALPHA] Events sent to watch clients.",
      ["group", "version", "resource"],
    );
    this.#watchSizes = registry.histogram(
      { name: "apiserver_watch_events_sizes", help: "[ALPHA] Watch event sizes in bytes." },
      ["group", "version", "resource"],
      watchSizeBuckets,
    );
  }

  finished(request: FinishedRequest): void {
    const verb = metricVerb(request.info);
    const { group, version, resource, subresource } = request.known ? request.info : nothing;
    const scope = scopeOf(request.info);
    const code = String(request.code);
    const dryRun = request.dryRun ? "All" : "";
    const key = `${verb}|${dryRun}|${group}|${version}|${resource}|${subresource}|${scope}|${code}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      const where = [group, version, resource, subresource, scope, "apiserver"];
      const labels = [verb, dryRun, ...where];
      series = {
        total: this.#total.with(...labels, code),
        duration: this.#duration.with(...labels),
        sizes: this.#sizes.with(verb, ...where),
        sli: isLongRunning(request.info) ? undefined : this.#sli.with(verb, ...where),
        bodies:
          resource !== "" && writes.has(request.info.verb)
            ? this.#bodies.with(resource, request.info.verb, group)
            : undefined,
      };
      this.#series.set(key, series);
    }
    series.total.add(1);
    series.duration.observe(request.seconds);
    series.sli?.observe(request.seconds - request.queueSeconds);
    series.bodies?.observe(request.bodyBytes);
    if (request.bytes !== undefined) series.sizes.observe(request.bytes);
  }

  inflight(kind: "mutating" | "readOnly"): Counter {
    return this.#inflight.with(kind);
  }

  longRunning(info: RequestInfo): Counter {
    return this.#longRunning.with(...longRunningLabels(info));
  }

  terminated(info: RequestInfo, code: number): void {
    this.#terminations.with(...longRunningLabels(info), String(code)).add(1);
  }

  /** The two series a watch on the resource feeds. */
  watchEvents(info: RequestInfo): { readonly total: Counter; readonly sizes: Histogram } {
    const labels = [info.group, info.version, info.resource];
    return { total: this.#watchEvents.with(...labels), sizes: this.#watchSizes.with(...labels) };
  }
}

const writes: ReadonlySet<string> = new Set([
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

const nothing = { group: "", version: "", resource: "", subresource: "" };

const mainVerbs: ReadonlySet<string> = new Set([
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
]);

function metricVerb(info: RequestInfo): string {
  if (info.verb === "create") return "POST";
  if (info.verb === "update") return "PUT";
  if (mainVerbs.has(info.verb)) return info.verb.toUpperCase();
  return ["head", "post", "put", "options", "connect"].includes(info.verb)
    ? info.verb.toUpperCase()
    : "OTHER";
}

function longRunningLabels(info: RequestInfo): string[] {
  const { group, version, resource, subresource } = info;
  return [metricVerb(info), group, version, resource, subresource, scopeOf(info), "apiserver"];
}
