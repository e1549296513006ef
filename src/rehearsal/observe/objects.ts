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
  const present = new Tally();
  const running = new Tally();
  const notReady = new Tally();
  const deleted = new Set<string>();
  await follow(store, pods, ({ type, kv }) => {
    const pod = type === "Put" ? podOf(kv.value) : undefined;
    present.put(kv.key, pod !== undefined);
    running.put(kv.key, pod?.status?.phase === "Running");
    if (pod?.metadata.deletionTimestamp != null) deleted.add(pod.metadata.uid ?? "");
  });
  await follow(store, nodes, ({ type, kv }) =>
    notReady.put(kv.key, type === "Put" && !isReady(kv.value)),
  );
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
      "pods.peak": present.peak,
      "pods.deleted": deleted.size,
      "pods.end": present.size,
      "pods.running.peak": running.peak,
      "pods.running.end": running.size,
      "nodes.notReady.end": notReady.size,
      "nodes.notReady.peak": notReady.peak,
    }),
  };
}

/** Keys of which something holds, and the most there were. */
class Tally {
  peak = 0;
  readonly #keys = new Set<string>();

  get size(): number {
    return this.#keys.size;
  }

  put(key: string, holds: boolean): void {
    if (holds) this.#keys.add(key);
    else this.#keys.delete(key);
    this.peak = Math.max(this.peak, this.size);
  }
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
