// Watches over nodes: who is silent too long becomes Unknown, who is not ready is tainted - against new pods at once,
// against those it has at the rate of its zone. Evicting is the taint eviction controller's affair.
import type { Lease } from "../../api/types/coordination-v1.ts";
import type { Node, Pod } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import { type Served, keyOf } from "../../client/served-object.ts";
import { AbortedError, pause } from "../../client/waiting.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext, ComponentFactory } from "../../informer/component.ts";
import { Controller } from "../../informer/controller.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import { byNodeName } from "../../informer/index-functions.ts";
import type { Change, Informer } from "../../informer/informer.ts";
import type { WorkMeter } from "../../informer/work-meter.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { timestamp } from "../pods/timestamp.ts";
import { changeTaints, isGone, markNotReady, writeConditions } from "./apply.ts";
import { type Heard, awayMs, isSilent, nextHeard, unknownConditions } from "./health.ts";
import { PodEvictor } from "./pod-evictor.ts";
import { type NodeLifecycleProfile, nodeLifecycleProfile136 } from "./profile.ts";
import {
  noExecuteKeyOf,
  notReadyKey,
  readinessOf,
  unreachableKey,
  withNoExecute,
  withNoSchedule,
} from "./taints.ts";
import { ZoneQueue } from "./zone-queue.ts";
import { planZones, zoneOf } from "./zones.ts";

const controllerName = "node-lifecycle-controller";
const workers = 8;
/** Nodes that are looked at in one turn of the event loop. */
const sliceMax = 100;
const podWorkers = 4;
const leaseNamespace = "kube-node-lease";
/** How often waiting nodes are offered their turn. */
const taintPassMs = 100;

export const createNodeLifecycleController: ComponentFactory =
  nodeLifecycleController(nodeLifecycleProfile136);

export function nodeLifecycleController(profile: NodeLifecycleProfile): ComponentFactory {
  return (context) => new NodeLifecycleController(context, profile);
}

class NodeLifecycleController implements Component {
  readonly #host: Host;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #profile: NodeLifecycleProfile;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #leases: Informer<Lease>;
  /** Keeps each node's NoSchedule taints right. */
  readonly #tainting: Controller;
  /** Pods that come to nodes whose pods were evicted; undefined where a taint manager evicts. */
  readonly #lateComers: Controller | undefined;
  readonly #evictor: PodEvictor;
  readonly #meter: WorkMeter;
  readonly #heard = new Map<string, Heard>();
  readonly #known = new Map<string, string>();
  readonly #zones = new Map<string, ZoneQueue>();
  readonly #stopping = new AbortController();
  #blind = false;
  #running: Promise<void> | undefined;

  constructor(context: ComponentContext, profile: NodeLifecycleProfile) {
    const { host, informers } = context;
    this.#host = host;
    this.#profile = profile;
    this.#client = context.sharedClientOf("node-controller");
    this.#events = context.recorderOf("node-controller", this.#client);
    this.#nodes = informers.of("nodes");
    this.#pods = informers.of("pods", [byNodeName]);
    this.#leases = informers.of("leases.coordination.k8s.io");
    this.#meter = context.meter;
    this.#evictor = new PodEvictor(this.#client, this.#events);
    this.#tainting = new Controller(host, {
      name: controllerName,
      workers,
      retry: retryUsual,
      sync: (name) => this.#taintNoSchedule(name),
    });
    this.#tainting.watch(this.#nodes, ({ type, object }) =>
      type === "deleted" ? [] : [object.metadata.name],
    );
    this.#lateComers = profile.podEviction === undefined ? undefined : this.#watchLateComers();
  }

  #watchLateComers(): Controller {
    const lateComers = new Controller(this.#host, {
      name: `${controllerName}/pods`,
      workers: podWorkers,
      retry: retryUsual,
      sync: (key) => this.#evictLate(key),
    });
    lateComers.watch(this.#pods, arrivals);
    return lateComers;
  }

  start(): void {
    this.#tainting.start();
    this.#lateComers?.start();
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#tainting.stop(), this.#lateComers?.stop()]);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for (const informer of [this.#nodes, this.#pods, this.#leases])
        await informer.whenSynced(signal);
      await Promise.all([this.#monitorForEver(signal), this.#taintForEver(signal)]);
    } catch (error) {
      if (!(error instanceof AbortedError)) throw error;
    }
  }

  async #monitorForEver(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#monitor();
      await pause(this.#host.clock, this.#profile.monitorPeriodMs, signal);
    }
  }

  /** Looks at the zones' queues only while somebody waits there. */
  async #taintForEver(signal: AbortSignal): Promise<void> {
    for (;;) {
      const turn = [...this.#zones.values()].flatMap((zone) => zone.take());
      await Promise.all(turn.map((name) => this.#giveUp(name)));
      const waiting = [...this.#zones.values()].some(({ size }) => size > 0);
      await pause(this.#host.clock, waiting ? taintPassMs : taintPassMs * 10, signal);
    }
  }

  async #monitor(): Promise<void> {
    const nodes = this.#nodes.lister.list();
    this.#noteArrivals(nodes);
    const judged = await this.#inSlices(nodes, (node) => this.#judgeSafely(node));
    this.#planZones(judged);
    await this.#inSlices(judged, (node) => this.#follow(node));
  }

  /** Thousands of nodes at once would hold up everybody else. */
  async #inSlices<Item, Result>(
    items: readonly Item[],
    work: (item: Item) => Promise<Result>,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (let from = 0; from < items.length; from += sliceMax) {
      if (from > 0) await this.#host.clock.turn();
      results.push(...(await Promise.all(items.slice(from, from + sliceMax).map(work))));
    }
    return results;
  }

  #noteArrivals(nodes: readonly Readonly<Served<Node>>[]): void {
    const gone = new Map(this.#known);
    for (const { metadata } of nodes) {
      const { name, uid } = metadata;
      gone.delete(name);
      if (this.#known.get(name) === uid) continue;
      this.#known.set(name, uid);
      this.#heard.delete(name);
      this.#say({ name, uid }, "RegisteredNode", `Registered Node ${name} in Controller`);
    }
    for (const [name, uid] of gone) {
      this.#known.delete(name);
      this.#heard.delete(name);
      this.#evictor.forget(name);
      for (const zone of this.#zones.values()) zone.remove(name);
      this.#say({ name, uid }, "RemovingNode", `Removing Node ${name} from Controller`);
    }
  }

  #say(node: { name: string; uid: string }, reason: string, what: string): void {
    const { name, uid } = node;
    this.#events.eventAbout(
      { apiVersion: "v1", kind: "Node", name, uid },
      { type: "Normal", reason, message: `Node ${name} event: ${what}` },
    );
  }

  async #judgeSafely(node: Readonly<Served<Node>>): Promise<Readonly<Served<Node>>> {
    try {
      return await this.#judge(node);
    } catch (error) {
      // The next round looks again.
      if (!isGone(error))
        this.#host.log.warn("node could not be judged", {
          node: keyOf(node),
          error: String(error),
        });
      return node;
    }
  }

  /** The node as it is now, marked if it is silent. */
  async #judge(node: Readonly<Served<Node>>): Promise<Readonly<Served<Node>>> {
    const { name, uid } = node.metadata;
    const { clock } = this.#host;
    const now = clock.monotonic();
    const lease = this.#leases.lister.find(`${leaseNamespace}/${name}`);
    const heard = nextHeard(this.#heard.get(name), node, lease, now);
    this.#heard.set(name, heard);
    const time = timestamp(clock.now());
    const silent = isSilent(node, heard, { now, profile: this.#profile });
    const conditions = silent ? unknownConditions(node, time) : undefined;
    const was = readinessOf(node);
    const current =
      conditions === undefined ? node : await writeConditions(this.#client, node, conditions);
    if (was === "True" && readinessOf(current) !== "True")
      this.#events.eventAbout(
        { apiVersion: "v1", kind: "Node", name, uid },
        {
          type: "Normal",
          reason: "NodeNotReady",
          message: `Node ${name} status is now: NodeNotReady`,
        },
      );
    if (was !== undefined && readinessOf(current) !== "True") await this.#unreadyPods(name, time);
    return current;
  }

  async #unreadyPods(nodeName: string, now: string): Promise<void> {
    for (const pod of this.#pods.lister.by(byNodeName, nodeName))
      if (await markNotReady(this.#client, pod, now))
        this.#events.event(pod, "Warning", "NodeNotReady", "Node is not ready");
  }

  #planZones(nodes: readonly Readonly<Served<Node>>[]): void {
    const { zones, blind } = planZones(nodes, this.#profile);
    for (const [zone, { rate }] of zones) this.#zone(zone).setRate(rate);
    if (blind === this.#blind) return;
    this.#blind = blind;
    this.#host.log.warn(
      blind
        ? "no node of any zone is ready; nothing is given up"
        : "some zone has ready nodes again",
    );
    // Everybody gets a full grace period anew.
    if (!blind) {
      const at = this.#host.clock.monotonic();
      for (const [name, heard] of this.#heard) this.#heard.set(name, { ...heard, at });
    }
  }

  #zone(name: string): ZoneQueue {
    const known = this.#zones.get(name);
    if (known !== undefined) return known;
    const made = new ZoneQueue(this.#host.clock, this.#profile.evictionRate);
    this.#zones.set(name, made);
    return made;
  }

  #follow(node: Readonly<Served<Node>>): Promise<void> {
    return this.#profile.podEviction === undefined
      ? this.#followTaint(node)
      : this.#followEviction(node, this.#profile.podEviction);
  }

  async #followEviction(
    node: Readonly<Served<Node>>,
    { timeoutMs }: { readonly timeoutMs: number },
  ): Promise<void> {
    const { name } = node.metadata;
    const zone = this.#zone(zoneOf(node));
    const readiness = readinessOf(node);
    if (this.#blind || readiness === "True" || readiness === undefined) {
      zone.remove(name);
      if (readiness === "True") this.#evictor.forget(name);
    } else if (this.#awayMs(node) > timeoutMs) {
      if (this.#evictor.hasEvicted(name)) await this.#evictAgain(node);
      else zone.add(name);
    }
  }

  #awayMs(node: Readonly<Served<Node>>): number {
    return awayMs(node, this.#heard.get(node.metadata.name), this.#host.clock);
  }

  /** Each round looks at all pods that the node has. */
  async #evictAgain(node: Readonly<Served<Node>>): Promise<void> {
    const pods = this.#podsOf(node.metadata.name);
    try {
      await this.#evictor.evictPods(node, pods);
    } catch (error) {
      this.#sayNotEvicted(node.metadata.name, error);
    }
  }

  #podsOf(nodeName: string): readonly Readonly<Served<Pod>>[] {
    const pods = this.#pods.lister.by(byNodeName, nodeName);
    this.#meter.count(controllerName, pods.length);
    return pods;
  }

  #sayNotEvicted(node: string, error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    this.#host.log.warn("pods of a node were not all evicted", { node, error: String(error) });
  }

  async #evictLate(key: string): Promise<void> {
    const pod = this.#pods.lister.find(key);
    const node = this.#nodes.lister.find(pod?.spec?.nodeName ?? "");
    const limit = this.#profile.podEviction?.timeoutMs;
    if (pod === undefined || node === undefined || limit === undefined) return;
    this.#meter.count(controllerName, 1);
    if (readinessOf(node) === "True" || this.#awayMs(node) <= limit) return;
    // Otherwise the node waits for its turn, and the pod with it.
    if (this.#evictor.hasEvicted(node.metadata.name)) await this.#evictor.evictPods(node, [pod]);
  }

  /** Removing the taint, or swapping one for the other, needs no turn; getting it does. */
  async #followTaint(node: Readonly<Served<Node>>): Promise<void> {
    const { name } = node.metadata;
    const zone = this.#zone(zoneOf(node));
    const key = this.#blind ? undefined : noExecuteKeyOf(readinessOf(node));
    const change = withNoExecute(node, key, timestamp(this.#host.clock.now()));
    if (change === undefined) return zone.remove(name);
    if (key !== undefined && !isGivenUp(node)) return zone.add(name);
    zone.remove(name);
    await this.#setNoExecute(node, key);
  }

  async #giveUp(name: string): Promise<void> {
    const node = this.#nodes.lister.find(name);
    if (node === undefined) return;
    if (this.#profile.podEviction === undefined)
      return this.#setNoExecute(node, noExecuteKeyOf(readinessOf(node)));
    try {
      await this.#evictor.evictNode(node, this.#podsOf(name));
    } catch (error) {
      // The next round puts it into the queue again.
      this.#sayNotEvicted(name, error);
    }
  }

  async #setNoExecute(node: Readonly<Served<Node>>, key: string | undefined): Promise<void> {
    const now = timestamp(this.#host.clock.now());
    try {
      await changeTaints(this.#client, node, (fresh) => withNoExecute(fresh, key, now));
    } catch (error) {
      const { name } = node.metadata;
      this.#host.log.warn("node could not be tainted", { node: name, error: String(error) });
    }
  }

  async #taintNoSchedule(name: string): Promise<void> {
    const node = this.#nodes.lister.find(name);
    const now = timestamp(this.#host.clock.now());
    if (node === undefined) return;
    await changeTaints(this.#client, node, (fresh) => withNoSchedule(fresh, now));
  }
}

/** Only that a pod is on a node matters, not what becomes of it there. */
function arrivals(change: Change<Pod>): readonly string[] {
  const { type, object } = change;
  const nodeName = object.spec?.nodeName ?? "";
  if (type === "deleted" || nodeName === "") return [];
  if (type === "updated" && change.previous.spec?.nodeName === nodeName) return [];
  return [keyOf(object)];
}

function isGivenUp({ spec }: Node): boolean {
  const keys = [notReadyKey, unreachableKey];
  return (spec?.taints ?? []).some(
    ({ effect, key }) => effect === "NoExecute" && keys.includes(key),
  );
}
