// What the containers of a simulated node use: what an annotation says, else a part of what they request, a little more or
// less at each measurement. A function of the pod and the time, so that nothing is kept. Pure.
import type { PodUsage, Usage } from "../api/node-metrics.ts";
import { amountOf, amountsOf } from "../api/pod/amounts.ts";
import { QuantityError } from "../api/quantity.ts";
import type { Container, Node, Pod } from "../api/types/core-v1.ts";
import { parseTime } from "../api/codec/time.ts";
import { saidOf } from "./behaviour.ts";

/** How often usage is measured, and over how long. metrics-server: 15 s. */
export const usagePeriodMs = 5_000;
/** Of its request a container uses so much. */
const requestShare = 0.5;
const cpuMillisUsual = 2;
const memoryBytesUsual = 16 * 1_048_576;
/** More or less than that, by so much at most. */
const noiseShare = 0.1;
/** What the kubelet, its runtime and the system use themselves. */
const nodeItself: Usage = { cpuMillis: 60, memoryBytes: 400 * 1_048_576 };

/** The end of the last measurement. */
export function lastMeasured(now: number): number {
  return Math.floor(now / usagePeriodMs) * usagePeriodMs;
}

/** Undefined: nothing of it was running at the measurement. */
export function podUsage(pod: Pod, at: number): PodUsage | undefined {
  const { metadata, spec, status } = pod;
  const { name = "", namespace = "", labels = {} } = metadata;
  const { containers = [], initContainers = [] } = spec ?? {};
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const startedAt = new Map(
    statuses.map((one) => [one.name, msOf(one.state?.running?.startedAt)] as const),
  );
  const running = [...containers, ...initContainers].filter(
    (one) => (startedAt.get(one.name) ?? at) < at,
  );
  if (running.length === 0) return undefined;
  const used = running.map((one) => ({ name: one.name, usage: containerUsage(pod, one, at) }));
  return { name, namespace, labels, at, windowMs: usagePeriodMs, containers: used };
}

export function nodeUsage(node: Node, pods: readonly PodUsage[], at: number): Usage {
  const { name = "" } = node.metadata;
  const itself = [`${name}/cpu`, `${name}/memory`].map((what) => noise(what, at));
  const all = pods.flatMap(({ containers }) => containers.map(({ usage }) => usage));
  const sum = (of: (usage: Usage) => number): number =>
    all.reduce((total, usage) => total + of(usage), 0);
  return {
    cpuMillis: nodeItself.cpuMillis * (itself[0] ?? 1) + sum((usage) => usage.cpuMillis),
    memoryBytes: nodeItself.memoryBytes * (itself[1] ?? 1) + sum((usage) => usage.memoryBytes),
  };
}

function containerUsage(pod: Pod, container: Container, at: number): Usage {
  const requests = amountsOf(container.resources?.requests);
  const use = (resource: "cpu" | "memory", usual: number): number => {
    const said = saidAmount(resource, saidOf(pod, container.name, `${resource}-usage`));
    if (said !== undefined) return said;
    const requested = requests[resource];
    const mean = requested === undefined ? usual : requested * requestShare;
    return mean * noise(`${pod.metadata.uid ?? ""}/${container.name}/${resource}`, at);
  };
  return {
    cpuMillis: use("cpu", cpuMillisUsual),
    memoryBytes: use("memory", memoryBytesUsual),
  };
}

function saidAmount(resource: string, said: string | undefined): number | undefined {
  if (said === undefined) return undefined;
  try {
    return amountOf(resource, said);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** The same for the same thing and time: FNV-1a over both, around 1. */
function noise(what: string, at: number): number {
  let hash = 0x811c9dc5;
  for (const letter of `${what}@${at}`)
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  // Its high bits are mixed better.
  const unit = (Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 8) / 0x1000000;
  return 1 + noiseShare * (2 * unit - 1);
}

/** Undefined: not running, so later than any measurement. */
function msOf(text: string | null | undefined): number {
  return typeof text === "string" ? parseTime(text).seconds * 1_000 : Number.POSITIVE_INFINITY;
}
