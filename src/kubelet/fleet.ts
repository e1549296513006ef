// All simulated nodes of a process: a Node object that is annotated as simulated is run here, for as long as it exists.
// One view of nodes and one of pods serve them all; changes of pods are routed by node, so that a node that has nothing
// to do costs its heartbeats and nothing else.
import type { NodeMetrics } from "../api/node-metrics.ts";
import type { NodeStreams } from "../api/node-streams.ts";
import type { Node, Pod } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import type { RateLimit } from "../client/rate-limiter.ts";
import { nodeIdentity } from "../client/identity.ts";
import { reasonOf } from "../client/reason.ts";
import type { Served } from "../client/served-object.ts";
import { AbortedError } from "../client/waiting.ts";
import type { Component, ComponentContext, ComponentFactory } from "../informer/component.ts";
import type { EventRecorder } from "../informer/event-recorder.ts";
import { byNodeName } from "../informer/index-functions.ts";
import type { Change, Informer } from "../informer/informer.ts";
import { NodeAgent } from "./node-agent.ts";
import { indexOf, isSimulated, newNode, nodesMax } from "./node-object.ts";
import type { KubeletProfile } from "./profile.ts";
import { StreamServer } from "./streams/stream-server.ts";
import { UsageMeter } from "./usage-meter.ts";

export interface FleetOptions {
  /** Nodes node-1 to node-N are made at the start, where they do not exist. */
  readonly nodes: number;
  readonly profile: KubeletProfile;
  /** Pods that each takes, up to the 254 addresses that it has; absent: 110. */
  readonly podsMax?: number;
  /** Given what the nodes serve to the API server, as soon as the component is made. */
  readonly lead: (streams: NodeStreams, metrics: NodeMetrics) => void;
}

export function nodeFleet(options: FleetOptions): ComponentFactory {
  return (context) => new Fleet(context, options);
}

class Fleet implements Component {
  readonly #context: ComponentContext;
  readonly #options: FleetOptions;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #agents = new Map<string, NodeAgent>();
  readonly #streams: StreamServer;
  readonly #stopping = new AbortController();
  #nextIndex: number;
  #running: Promise<void> | undefined;

  constructor(context: ComponentContext, options: FleetOptions) {
    this.#context = context;
    this.#options = options;
    this.#nextIndex = options.nodes;
    this.#nodes = context.informers.of("nodes");
    this.#pods = context.informers.of("pods", [byNodeName]);
    this.#streams = new StreamServer(context.host, {
      nodes: this.#nodes,
      pods: this.#pods,
      onExit: ({ node, container }, uid, code) =>
        this.#agents.get(node)?.exitContainer(uid, container, code),
    });
    options.lead(this.#streams, new UsageMeter(context.host.clock, this.#nodes, this.#pods));
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#streams.stop();
    for (const agent of this.#agents.values()) agent.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await Promise.all([this.#nodes.whenSynced(signal), this.#pods.whenSynced(signal)]);
      this.#nodes.addHandler((change) => this.#onNode(change));
      this.#pods.addHandler((change) => this.#onPod(change));
      await this.#registerAll();
    } catch (error) {
      if (!(error instanceof AbortedError)) throw error;
    }
  }

  #onNode({ type, object }: Change<Node>): void {
    if (this.#stopping.signal.aborted) return;
    const { name } = object.metadata;
    const agent = this.#agents.get(name);
    if (type === "deleted" || !isSimulated(object)) {
      agent?.stop();
      this.#agents.delete(name);
    } else if (agent !== undefined) agent.observe(object);
    else this.#adopt(object);
  }

  #onPod({ type, object }: Change<Pod>): void {
    const agent = this.#agents.get(object.spec?.nodeName ?? "");
    if (type === "deleted") agent?.forgetPod(object.metadata.uid);
    else agent?.observePod(object);
  }

  #adopt(node: Readonly<Served<Node>>): void {
    const context = this.#context;
    const { host } = context;
    const { profile } = this.#options;
    const { name } = node.metadata;
    const identity = nodeIdentity(host.digest, name);
    const clientFor = (line: string, rateLimit: RateLimit | undefined): Client =>
      context.clientAs("kubelet", identity, { rateLimit, line });
    let recorder: EventRecorder | undefined;
    const agent = new NodeAgent(host, node, {
      profile,
      // As the real kubelet: one for its work, one for heartbeats, one for events.
      client: clientFor("kubelet", profile.rateLimit),
      heartbeat: context.clientAs("kubelet", identity, {
        rateLimit: undefined,
        line: "kubelet heartbeats",
        urgent: true,
      }),
      index: indexOf(node) ?? this.#nextIndex++ % nodesMax,
      recorder: () =>
        (recorder ??= context.recorderOf(
          "kubelet",
          clientFor("kubelet events", profile.eventRateLimit),
          { onNode: name },
        )),
      listPods: () => this.#pods.lister.by(byNodeName, name),
    });
    this.#agents.set(name, agent);
    agent.start();
  }

  async #registerAll(): Promise<void> {
    let next = 0;
    const { nodes, profile } = this.#options;
    const register = async (): Promise<void> => {
      while (next < nodes && !this.#stopping.signal.aborted) await this.#register(next++);
    };
    await Promise.all(Array.from({ length: profile.registrationsMax }, register));
  }

  /** The informer tells of the object that this makes, and with that the node begins to live. */
  async #register(index: number): Promise<void> {
    const { host } = this.#context;
    const { podsMax } = this.#options;
    const name = `node-${index + 1}`;
    if (this.#nodes.lister.find(name) !== undefined) return;
    const client = this.#context.clientAs("kubelet", nodeIdentity(host.digest, name), {
      rateLimit: undefined,
    });
    try {
      await client
        .resource("nodes")
        .create(newNode(name, { index, now: host.clock.now(), podsMax }));
    } catch (error) {
      if (reasonOf(error) === "AlreadyExists") return;
      host.log.warn("node was not registered", { node: name, error: String(error) });
    }
  }
}
