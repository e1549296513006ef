// The numbers that a run yields, by name: what checks are about and verdicts quote. Each is computed in the run.
import type { Unit } from "./outcome.ts";

export interface FigureKind {
  readonly unit: Unit | "ratio";
  readonly what: string;
}

export const figureKinds: Readonly<Record<string, FigureKind>> = {
  "etcd.memory.base": {
    unit: "bytes",
    what: "memory of an etcd member at the start, the greatest",
  },
  "etcd.memory.peak": { unit: "bytes", what: "the most memory that one etcd member ever had" },
  "etcd.memory.ratio": { unit: "ratio", what: "that peak to the base" },
  "etcd.deaths": { unit: "count", what: "lives of etcd members that ended against their will" },
  "etcd.ranges.full": { unit: "count", what: "range reads that brought 1,000 objects and more" },
  "etcd.ranges.peak": { unit: "count", what: "such reads under way at one time on one member" },
  "etcd.size.end": { unit: "bytes", what: "etcd's database file at the end, by its values" },
  "etcd.writes.refused": { unit: "count", what: "writes that etcd refused for want of space" },
  "etcd.ranges.bytes": { unit: "bytes", what: "values that range reads brought" },
  "apiserver.memory.base": {
    unit: "bytes",
    what: "memory of an API server at the start, the greatest",
  },
  "apiserver.memory.peak": { unit: "bytes", what: "the most memory that one API server ever had" },
  "apiserver.memory.ratio": { unit: "ratio", what: "that peak to the base" },
  "apiserver.deaths": { unit: "count", what: "lives of API servers that ended against their will" },
  "masters.down": { unit: "count", what: "masters on which something died against its will" },
  "requests.total": { unit: "count", what: "requests that were answered" },
  "requests.refused": { unit: "count", what: "answers 429" },
  "requests.failed": { unit: "count", what: "answers 500 and above" },
  "requests.lists": { unit: "count", what: "LISTs that were answered" },
  "requests.bytes": { unit: "bytes", what: "that API servers sent" },
  "objects.scanned": { unit: "count", what: "objects that requests made the servers look at" },
  "objects.returned": { unit: "count", what: "objects that they got for it" },
  "pods.created": { unit: "count", what: "pods that were created" },
  "pods.rate": { unit: "perSecond", what: "pods created, from the first to the last of them" },
  "pods.peak": { unit: "count", what: "the most pods at one time" },
  "pods.deleted": { unit: "count", what: "pods that somebody deleted, whether or not they went" },
  "pods.end": { unit: "count", what: "pods at the end" },
  "pods.running.peak": { unit: "count", what: "the most pods that were Running" },
  "pods.running.end": { unit: "count", what: "pods that were Running at the end" },
  "watches.peak": { unit: "count", what: "the most watches at one time" },
  "watches.end": { unit: "count", what: "watches at the end" },
  "watches.objects.peak": { unit: "count", what: "of single Secrets and ConfigMaps, the most" },
  "watches.objects.end": { unit: "count", what: "of single Secrets and ConfigMaps, at the end" },
  "watches.objects.node": { unit: "count", what: "of one node alone, the most" },
  "lists.objects": { unit: "count", what: "LISTs of single Secrets and ConfigMaps" },
  "nodes.notReady.end": { unit: "count", what: "nodes that were not Ready at the end" },
  "nodes.notReady.peak": { unit: "count", what: "the most nodes that were not Ready" },
};

/** One a population, as `population.<name>.<what>`. */
export const populationFigures: Readonly<Record<string, FigureKind>> = {
  requests: { unit: "count", what: "requests it began" },
  refused: { unit: "count", what: "of them refused" },
  failed: { unit: "count", what: "of them broken or given up" },
  synced: { unit: "count", what: "members that saw all they wanted" },
  finished: { unit: "count", what: "members that came to their end" },
  p50: { unit: "ms", what: "median latency of its main verb" },
  p99: { unit: "ms", what: "99th percentile of it" },
  max: { unit: "ms", what: "the slowest" },
};

/** Undefined: there is no such figure in a run with these populations. */
export function figureKind(name: string, populations: readonly string[]): FigureKind | undefined {
  const own = figureKinds[name];
  if (own !== undefined) return own;
  const [, population, what] = /^population\.([a-z0-9-]+)\.([a-z0-9]+)$/.exec(name) ?? [];
  if (population === undefined || what === undefined || !populations.includes(population))
    return undefined;
  return populationFigures[what];
}
