// How many pods there are and which nodes are not Ready, read from the store itself: an observer costs the servers nothing.
import type { Node, Pod } from "../../api/types/core-v1.ts";
import { parseJson } from "../../std/json.ts";
import type { StoreEvent } from "../../storage/store.ts";
import type { EtcdCluster } from "../world/etcd-cluster.ts";
import type { Observation } from "./observation.ts";
import { decodeUtf8 } from "../../std/utf8.ts";

const pods = { start: "/registry/pods/", end: "/registry/pods0" } as const;
const nodes = { start: "/registry/minions/", end: "/registry/minions0" } as const;

/** Ask for it when everything that was prepared is there. */
export async function observeObjects(store: EtcdCluster["store"]): Promise<Observation> {
  const present = new Set<string>();
  const running = new Set<string>();
  const deleted = new Set<string>();
  const notReady = new Set<string>();
  let podsPeak = 0;
  let runningPeak = 0;
  let notReadyPeak = 0;
  const take = ({ type, kv }: StoreEvent): void => {
    if (kv.key.startsWith(pods.start)) {
      if (type === "Put") present.add(kv.key);
      else present.delete(kv.key);
      podsPeak = Math.max(podsPeak, present.size);
      const pod = type === "Put" ? podOf(kv.value) : undefined;
      if (pod?.status?.phase === "Running") running.add(kv.key);
      else running.delete(kv.key);
      if (pod?.metadata.deletionTimestamp != null) deleted.add(pod.metadata.uid ?? "");
      runningPeak = Math.max(runningPeak, running.size);
      return;
    }
    if (type === "Put" && !isReady(kv.value)) notReady.add(kv.key);
    else notReady.delete(kv.key);
    notReadyPeak = Math.max(notReadyPeak, notReady.size);
  };
  for (const range of [pods, nodes]) await follow(store, range, take);
  notReadyPeak = notReady.size;
  return {
    gauges: [
      { chart: "Pods", name: "pods", unit: "count", kind: "asIs", read: () => present.size },
      { chart: "Pods", name: "running", unit: "count", kind: "asIs", read: () => running.size },
      {
        chart: "Nodes that are not Ready",
        name: "nodes",
        unit: "count",
        kind: "asIs",
        read: () => notReady.size,
      },
    ],
    figures: () => ({
      "pods.peak": podsPeak,
      "pods.deleted": deleted.size,
      "pods.end": present.size,
      "pods.running.peak": runningPeak,
      "pods.running.end": running.size,
      "nodes.notReady.end": notReady.size,
      "nodes.notReady.peak": notReadyPeak,
    }),
  };
}

async function follow(
  store: EtcdCluster["store"],
  range: { readonly start: string; readonly end: string },
  take: (event: StoreEvent) => void,
): Promise<void> {
  const now = await store.range(range);
  if (now.kind !== "Range") throw new Error("the newest state is always there");
  for (const kv of now.kvs) take({ type: "Put", kv });
  store.watch(
    { ...range, fromRevision: now.revision + 1 },
    {
      events: (events) => {
        for (const event of events) take(event);
      },
      progress: () => undefined,
      ended: () => undefined,
    },
  );
}

function podOf(value: Uint8Array): Pod {
  return parseJson(decodeUtf8(value)) as Pod;
}

function isReady(value: Uint8Array): boolean {
  const { status } = parseJson(decodeUtf8(value)) as Node;
  return (
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true
  );
}
