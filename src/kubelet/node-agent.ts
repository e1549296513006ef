// One simulated node: its heartbeats, its power and its network, and the pods that are bound to it. What it should be
// like it reads from its Node object's annotations (docs/nodes.md).
import type { Node, Pod } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import { type ResourceClient } from "../client/resource-client.ts";
import type { Served } from "../client/served-object.ts";
import type { Cancel, Host, RandomStream } from "../host/host.ts";
import { AbortedError } from "../client/waiting.ts";
import type { EventRecorder } from "../informer/event-recorder.ts";
import { type Occupied, type Rejection, refusalOf } from "./admission.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import {
  annotations,
  internalAddress,
  isAsSaid,
  msSaid,
  nodeStatusOf,
  nodeStatusPatch,
} from "./node-object.ts";
import { NodeObjects } from "./objects/node-objects.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { PodAgent, type PodSite } from "./pod-agent.ts";
import type { KubeletProfile } from "./profile.ts";
import { isCallFailure } from "../client/reason.ts";

export interface NodeParts {
  readonly profile: KubeletProfile;
  readonly index: number;
  /** For pods and what they need; has the kubelet's rate limit. */
  readonly client: Client;
  /** For Lease and node status, which nothing holds back. */
  readonly heartbeat: Client;
  /** Made when first something is said. */
  readonly recorder: () => EventRecorder;
  /** The node's pods as the server has them now. */
  readonly listPods: () => readonly Readonly<Served<Pod>>[];
}

export class NodeAgent {
  readonly #host: Host;
  readonly #parts: NodeParts;
  readonly #nodes: ResourceClient<Node>;
  readonly #lease: LeaseKeeper;
  readonly #chance: RandomStream;
  readonly #site: PodSite;
  readonly #objects: NodeObjects;
  readonly #pods = new Map<string, PodAgent>();
  readonly #addresses: PodAddresses;
  #node: Readonly<Served<Node>>;
  #powered: boolean;
  #connected: boolean;
  #boots = 0;
  #beats = 0;
  #reboot: string;
  #toldAt = Number.NEGATIVE_INFINITY;
  #beat: Cancel = () => undefined;
  /** Undefined: no pod is here to be looked at. */
  #sync: Cancel | undefined;
  /** What the Node object says of heartbeats. */
  #beatMs: number | undefined;
  /** Ends the heartbeat under way; one serves many beats, for making one costs as much as a good part of a beat. */
  #beating = new AbortController();
  #isBeating = false;
  #stopped = false;

  constructor(host: Host, node: Readonly<Served<Node>>, parts: NodeParts) {
    const { name } = node.metadata;
    this.#host = host;
    this.#parts = parts;
    this.#node = node;
    this.#powered = isPowered(node);
    this.#connected = isConnected(node);
    this.#reboot = rebootText(node);
    this.#beatMs = msSaid(node, annotations.heartbeat);
    this.#nodes = parts.heartbeat.resource("nodes");
    const leases = parts.heartbeat.resource("leases.coordination.k8s.io");
    this.#lease = new LeaseKeeper(leases, name, parts.profile.leaseDurationSeconds);
    this.#chance = host.random.stream(`kubelet/${name}`);
    this.#addresses = new PodAddresses(node);
    this.#objects = new NodeObjects(host, {
      client: parts.client,
      profile: parts.profile.objects,
      node: () => this.#node,
    });
    this.#site = this.#makeSite();
  }

  start(): void {
    // What registered just now need not be told again; after a restart of the process it must.
    if (isAsSaid(this.#node)) this.#toldAt = this.#host.clock.monotonic();
    if (this.#isWorking()) this.#sayStart();
    this.#scheduleBeat(this.#parts.profile.leasePeriodMs * this.#chance.unit() * 0.1);
    this.#takeListed();
  }

  stop(): void {
    this.#stopped = true;
    this.#beat();
    this.#sync?.();
    for (const agent of this.#pods.values()) agent.stop();
    this.#objects.clear();
  }

  /** The Node object changed: by us, by controllers, by people who pull the plug. */
  observe(node: Readonly<Served<Node>>): void {
    this.#node = node;
    const powered = isPowered(node);
    const connected = isConnected(node);
    const reboots = rebootText(node) !== this.#reboot;
    const beatMs = msSaid(node, annotations.heartbeat);
    if (beatMs !== this.#beatMs) this.#scheduleBeat(0);
    this.#beatMs = beatMs;
    this.#reboot = rebootText(node);
    if (this.#powered && (!powered || reboots)) this.#powerOff();
    if (!this.#powered && powered) this.#boot();
    if (this.#connected && !connected) this.#disconnect();
    else if (!this.#connected && connected) this.#reconnect();
  }

  /** A pod that is bound here, as the server has it now. */
  observePod(pod: Readonly<Served<Pod>>): void {
    if (!this.#isWorking()) return;
    const known = this.#pods.get(pod.metadata.uid);
    if (known === undefined) this.#adopt(pod).kick();
    else known.observe(pod);
  }

  #adopt(pod: Readonly<Served<Pod>>): PodAgent {
    const agent = new PodAgent(this.#site, pod);
    this.#pods.set(pod.metadata.uid, agent);
    this.#scheduleSync();
    return agent;
  }

  /** Who was attached to the container's own process has ended it. */
  exitContainer(uid: string, container: string, exitCode: number): void {
    if (this.#powered) this.#pods.get(uid)?.exitContainer(container, exitCode);
  }

  /** It is gone from the server, so from the node. */
  forgetPod(uid: string): void {
    if (!this.#isWorking()) return;
    this.#pods.get(uid)?.end();
    this.#pods.delete(uid);
  }

  /* ---- power and network ---- */

  #isWorking(): boolean {
    return this.#powered && this.#connected;
  }

  #powerOff(): void {
    this.#powered = false;
    this.#beat();
    for (const agent of this.#pods.values()) agent.loseContainers();
    this.#objects.clear();
  }

  #boot(): void {
    this.#powered = true;
    this.#boots++;
    this.#toldAt = Number.NEGATIVE_INFINITY;
    const { name } = this.#node.metadata;
    if (this.#connected) {
      this.#sayStart();
      const recorder = this.#parts.recorder();
      const message = `Node ${name} has been rebooted, boot id: ${name}-boot-${this.#boots}`;
      recorder.event(this.#node, "Warning", "Rebooted", message);
    }
    this.#scheduleBeat(0);
    this.#takeListed();
  }

  #sayStart(): void {
    const recorder = this.#parts.recorder();
    const { name } = this.#node.metadata;
    recorder.event(this.#node, "Normal", "Starting", "Starting kubelet.");
    recorder.event(this.#node, "Normal", "NodeReady", `Node ${name} status is now: NodeReady`);
  }

  #disconnect(): void {
    this.#connected = false;
    this.#objects.suspend();
  }

  #reconnect(): void {
    this.#connected = true;
    this.#objects.resume();
    if (!this.#powered) return;
    this.#scheduleBeat(0);
    this.#takeListed();
  }

  /** What happened on the server while nobody listened. */
  #takeListed(): void {
    if (!this.#isWorking()) return;
    const listed = this.#parts.listPods();
    const uids = new Set(listed.map(({ metadata }) => metadata.uid));
    for (const uid of this.#pods.keys()) if (!uids.has(uid)) this.forgetPod(uid);
    // All have their addresses again before the first one takes a new one.
    for (const pod of listed) {
      const known = this.#pods.get(pod.metadata.uid);
      if (known === undefined) this.#adopt(pod);
      else known.observe(pod);
    }
    for (const agent of this.#pods.values()) agent.resume();
  }

  /** All pods at once, where a real kubelet spreads them over the minute: a node costs one timer. */
  #scheduleSync(): void {
    if (this.#sync !== undefined || this.#stopped) return;
    const { syncMs, syncJitter } = this.#parts.profile;
    this.#sync = this.#host.clock.after(syncMs * (1 + syncJitter * this.#chance.unit()), () => {
      this.#sync = undefined;
      if (this.#isWorking()) for (const agent of this.#pods.values()) agent.resync();
      if (this.#pods.size > 0) this.#scheduleSync();
    });
  }

  /* ---- heartbeats ---- */

  #scheduleBeat(ms: number): void {
    this.#beat();
    if (this.#stopped || !this.#powered) return;
    this.#beat = this.#host.clock.after(ms, () => void this.#heartbeat());
  }

  async #heartbeat(): Promise<void> {
    const { leasePeriodMs: usualMs, leaseJitter } = this.#parts.profile;
    const saidMs = this.#beatMs ?? 0;
    const leasePeriodMs = saidMs > 0 ? saidMs : usualMs;
    // After the first beat a part of a period, so that nodes that came together do not beat together.
    const share = this.#beats++ === 0 ? this.#chance.unit() : 1 + leaseJitter * this.#chance.unit();
    this.#scheduleBeat(leasePeriodMs * share);
    if (!this.#connected) return;
    // One that takes a whole period has used up the 10 s that the heartbeats' client waits for an answer.
    if (this.#isBeating) {
      this.#beating.abort();
      this.#beating = new AbortController();
    }
    const beating = this.#beating;
    this.#isBeating = true;
    try {
      await this.#lease.renew(this.#node, this.#ownNow(), beating.signal);
      await this.#tellStatus(beating.signal);
    } catch (error) {
      if (!isCallFailure(error) && !(error instanceof AbortedError)) throw error;
      const { name } = this.#node.metadata;
      this.#host.log.warn("heartbeat failed", { node: name, error: error.message });
    } finally {
      if (this.#beating === beating) this.#isBeating = false;
    }
  }

  /** What the machine's clock shows. */
  #ownNow(): number {
    return this.#host.clock.now() + (msSaid(this.#node, annotations.clockOffset) ?? 0);
  }

  async #tellStatus(signal: AbortSignal): Promise<void> {
    const { profile, index } = this.#parts;
    const { clock } = this.#host;
    const sinceMs = clock.monotonic() - this.#toldAt;
    if (isAsSaid(this.#node) && sinceMs < profile.statusPeriodMs) return;
    const status = nodeStatusOf(this.#node, { index, boot: this.#boots, now: this.#ownNow() });
    const ref = { name: this.#node.metadata.name };
    const patch = { type: "strategic", patch: nodeStatusPatch(this.#node, status) } as const;
    await this.#nodes.patch(ref, patch, { subresource: "status", signal });
    this.#toldAt = clock.monotonic();
  }

  /* ---- for pods ---- */

  #makeSite(): PodSite {
    return {
      host: this.#host,
      pods: this.#parts.client.resource("pods"),
      profile: this.#parts.profile,
      objects: this.#objects,
      images: new Set(),
      recorder: this.#parts.recorder,
      isConnected: () => this.#isWorking(),
      refusal: (pod) => this.#refusal(pod),
      hostAddress: () => internalAddress(this.#node),
      takeAddress: () => this.#addresses.take(),
      claimAddress: (address) => this.#addresses.claim(address),
      giveBackAddress: (address) => this.#addresses.giveBack(address),
    };
  }

  #refusal(pod: Pod): Rejection | undefined {
    return refusalOf(pod, this.#node, this.#occupied());
  }

  #occupied(): Occupied {
    let pods = 0;
    const requests: Record<string, number> = {};
    for (const agent of this.#pods.values()) {
      if (!agent.isActive) continue;
      pods++;
      for (const name in agent.requests)
        requests[name] = (requests[name] ?? 0) + agent.requests[name]!;
    }
    return { pods, requests };
  }
}

function isPowered({ metadata }: Node): boolean {
  return metadata.annotations?.[annotations.power] !== "off";
}

function isConnected({ metadata }: Node): boolean {
  return metadata.annotations?.[annotations.network] !== "cut";
}

function rebootText({ metadata }: Node): string {
  return metadata.annotations?.[annotations.reboot] ?? "";
}
