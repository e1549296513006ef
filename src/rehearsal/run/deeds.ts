// What the script's deeds do to the world. Each may fail, as it may fail to people in an outage; that is told and the
// script goes on.
import { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import { AbortedError, pause } from "../../client/waiting.ts";
import { addressOfName } from "../../fleet/resource-address.ts";
import { changesOf } from "../../kubelet/node-deed.ts";
import type { EtcdCluster } from "../world/etcd-cluster.ts";
import type { Process } from "../machine/process.ts";
import type { Deed, DeleteDeed, OutageDeed } from "../scenario.ts";
import type { World } from "../world/world.ts";
import { applyManifests } from "./manifests.ts";
import { kubernetesVersion } from "../../api/kubernetes-version.ts";

/** kubectl's own limit for what is not discovery, and its page size. */
const kubectl = { rateLimit: { qps: 5, burst: 10 }, pageLimit: 500 } as const;

/** `signal`: the run is over. Rejects with whatever the deed met. */
export async function perform(world: World, deed: Deed, signal: AbortSignal): Promise<void> {
  switch (deed.kind) {
    case "restart":
      return restart(world, deed, signal);
    case "outage":
      return outage(world, deed, signal);
    case "etcd-defragment":
      return world.etcd.quota.defragment();
    case "apply":
      return applyManifests(world, deed.manifests);
    case "delete":
      return deleteAll(world, deed, signal);
    case "etcd-delete":
      return deleteKeys(world.etcd.store, deed.prefix);
    case "node":
      for (const name of deed.names) {
        const annotations = changesOf({ do: deed.deed }, new Date(world.host.clock.now()));
        const patch = { type: "merge", patch: { metadata: { annotations } } } as const;
        await world.admin("wavetank-node").resource("nodes").patch({ name }, patch);
      }
  }
}

export function describe(deed: Deed): string {
  switch (deed.kind) {
    case "restart": {
      const how = deed.order === "together" ? "together" : "one after another";
      return `${names[deed.what]} are restarted ${how}`;
    }
    case "outage": {
      const where = deed.masters.map((number) => `master-${number}`).join(", ");
      const what = deed.what === "masters" ? where : `${names[deed.what]} of ${where}`;
      return `${what}: down${deed.forSeconds === undefined ? "" : ` for ${deed.forSeconds} s`}`;
    }
    case "etcd-defragment":
      return "etcd is compacted and defragmented, its alarm disarmed";
    case "apply":
      return `applied: ${deed.manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(", ")}`;
    case "delete": {
      const name = deed.name === undefined ? " --all" : ` ${deed.name}`;
      const where = deed.namespace === undefined ? "" : ` -n ${deed.namespace}`;
      return `kubectl delete ${deed.resource}${name}${where}${deed.force ? " --force" : ""}`;
    }
    case "etcd-delete":
      return `etcdctl del ${deed.prefix} --prefix`;
    default:
      return `${deed.names.join(", ")}: ${deed.deed}`;
  }
}

const names = { "api-servers": "API servers", etcd: "etcd members", masters: "masters" } as const;

async function outage(
  world: World,
  { what, masters, forSeconds }: OutageDeed,
  signal: AbortSignal,
): Promise<void> {
  const processes = masters.flatMap((number) => processesOf(world, what, number - 1));
  for (const process of processes) process.stop("outage");
  if (forSeconds === undefined) return;
  await pause(world.host.clock, forSeconds * 1_000, signal);
  for (const process of processes) process.start();
}

async function restart(
  world: World,
  { what, order, everySeconds }: Deed & { readonly kind: "restart" },
  signal: AbortSignal,
): Promise<void> {
  const groups = world.machines.map((_, index) => processesOf(world, what, index));
  for (const [index, processes] of groups.entries()) {
    if (index > 0 && order === "rolling")
      await pause(world.host.clock, everySeconds * 1_000, signal);
    for (const process of processes) process.restart("restart");
  }
}

function processesOf(world: World, what: string, index: number): readonly Process[] {
  const etcd = world.etcd.members[index]?.process;
  const server = world.servers[index]?.process;
  const chosen = what === "etcd" ? [etcd] : what === "api-servers" ? [server] : [etcd, server];
  return chosen.filter((process) => process !== undefined);
}

async function deleteAll(world: World, deed: DeleteDeed, signal: AbortSignal): Promise<void> {
  const { host, network, administrator } = world;
  const client = new Client(host, network.transport("kubectl"), {
    userAgent: `kubectl/${kubernetesVersion}`,
    identity: administrator,
    rateLimit: kubectl.rateLimit,
  });
  const objects = client.dynamic(addressOfName(deed.resource));
  const { namespace = "" } = deed;
  const options = deed.force ? { gracePeriodSeconds: 0 } : {};
  const remove = async (ref: { name: string; namespace?: string }): Promise<void> => {
    try {
      await objects.delete(ref, options);
    } catch (error) {
      if (signal.aborted) throw new AbortedError();
      if (reasonOf(error) !== "NotFound") throw error;
    }
  };
  if (deed.name !== undefined)
    return remove({ name: deed.name, ...(namespace === "" ? {} : { namespace }) });
  const { labelSelector } = deed;
  const found = await objects.list({
    namespace,
    ...(labelSelector === undefined ? {} : { labelSelector }),
  });
  for (const { metadata } of found.items) {
    if (signal.aborted) return;
    await remove({
      name: metadata.name,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    });
  }
}

/** All in one revision, as etcd does it. */
async function deleteKeys(store: EtcdCluster["store"], prefix: string): Promise<void> {
  const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  const found = await store.range({ start: prefix, end, keysOnly: true });
  if (found.kind !== "Range" || found.kvs.length === 0) return;
  const success = found.kvs.map(({ key }) => ({ kind: "Delete", key }) as const);
  await store.transact({ compare: [], success, failure: [] });
}
