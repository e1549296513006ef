// metrics.k8s.io: what nodes and pods use now. Nothing of it is stored; the nodes are asked each time (upstream: a server
// of its own, metrics-server).
import { encodeJson } from "../api/codec/encode-json.ts";
import { formatTime } from "../api/codec/time.ts";
import { methodNotAllowed, notFound } from "../api/meta/errors.ts";
import { matchesFields, parseFieldSelector } from "../api/meta/field-selector.ts";
import { matchesLabels, parseLabelSelector } from "../api/meta/label-selector.ts";
import type { NodeUsage, PodName, PodUsage, Usage } from "../api/node-metrics.ts";
import type { NodeMetrics, PodMetrics } from "../api/types/metrics-v1beta1.ts";
import type { CachedObject } from "../watchcache/resource-cache.ts";
import { listReply, objectReply, wantedBy } from "./object-reply.ts";
import type { Query } from "./query.ts";
import type { Reply } from "./reply.ts";
import type { ResourceCall } from "./resource-call.ts";

const apiVersion = "metrics.k8s.io/v1beta1";

export async function serveResourceMetrics(call: ResourceCall): Promise<Reply> {
  const { server, exchange, endpoint } = call;
  const { verb, name, namespace } = exchange.info;
  const wanted = wantedBy(server, exchange);
  if (verb === "list") {
    const items = measured(call, selected(exchange.query));
    return listReply(server, wanted, {
      endpoint,
      list: { items },
      metadata: {},
      cost: exchange.cost,
    });
  }
  if (verb !== "get") throw methodNotAllowed();
  const [found] = measured(call, (one) => one.name === name);
  if (found !== undefined)
    return objectReply(wanted, { status: 200, kind: endpoint.kind, bytes: found.bytes });
  const ofPods = endpoint.resource.namespaced;
  const resource = ofPods ? "podmetrics" : "nodemetrics";
  const shown = ofPods ? `${namespace}/${name}` : name;
  throw notFound({ group: endpoint.target.group, resource }, shown);
}

function measured(
  { server, exchange, endpoint }: ResourceCall,
  wanted: (one: PodName) => boolean,
): CachedObject[] {
  const { nodeMetrics } = server.parts;
  const now = server.host.clock.now();
  const { namespace } = exchange.info;
  if (endpoint.resource.namespaced) {
    const pods = nodeMetrics.pods(namespace === "" ? undefined : namespace, wanted);
    return pods.map((pod) => cached(pod.name, "metrics.v1beta1.PodMetrics", podObject(pod, now)));
  }
  const nodes = nodeMetrics.nodes().filter((node) => wanted({ ...node, namespace: "" }));
  return nodes.map((node) =>
    cached(node.name, "metrics.v1beta1.NodeMetrics", nodeObject(node, now)),
  );
}

function cached(key: string, type: string, object: NodeMetrics | PodMetrics): CachedObject {
  return { key, revision: 0, bytes: encodeJson(type, object) };
}

/** Throws 400. */
function selected(query: Query): (one: PodName) => boolean {
  const labels = parseLabelSelector(query.first("labelSelector") ?? "");
  const fields = parseFieldSelector(query.first("fieldSelector") ?? "");
  return (one) =>
    matchesLabels(labels, one.labels) &&
    matchesFields(fields, (path) => (path === "metadata.name" ? one.name : one.namespace));
}

function podObject(pod: PodUsage, now: number): PodMetrics {
  const { name, namespace, labels, containers } = pod;
  return {
    kind: "PodMetrics",
    apiVersion,
    metadata: { name, namespace, creationTimestamp: timeOf(now), labels: { ...labels } },
    ...spanOf(pod),
    containers: containers.map((one) => ({ name: one.name, usage: usageOf(one.usage) })),
  };
}

function nodeObject(node: NodeUsage, now: number): NodeMetrics {
  const { name, labels, usage } = node;
  return {
    kind: "NodeMetrics",
    apiVersion,
    metadata: { name, creationTimestamp: timeOf(now), labels: { ...labels } },
    ...spanOf(node),
    usage: usageOf(usage),
  };
}

function spanOf({ at, windowMs }: NodeUsage | PodUsage): {
  timestamp: string | null;
  window: string;
} {
  return { timestamp: timeOf(at), window: `${windowMs / 1_000}s` };
}

function timeOf(ms: number): string | null {
  return formatTime({ seconds: Math.floor(ms / 1_000), nanos: 0 });
}

/** In the units of metrics-server: billionths of a cpu, and Ki. */
function usageOf({ cpuMillis, memoryBytes }: Usage): Record<string, string> {
  return {
    cpu: `${Math.round(cpuMillis * 1_000_000)}n`,
    memory: `${Math.round(memoryBytes / 1_024)}Ki`,
  };
}
