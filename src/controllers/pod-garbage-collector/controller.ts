// Every 20 s, clears away pods that no kubelet will: marks them failed, then deletes them at once.
import type { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import { type Served, keyOf, refOf } from "../../client/served-object.ts";
import { AbortedError, pause } from "../../client/waiting.ts";
import type { Node, Pod, PodStatus } from "../../api/types/core-v1.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import type { Informer } from "../../informer/informer.ts";
import { disruptionOf, patchPodStatus } from "../pod-status.ts";
import {
  type AnyPod,
  type Collectable,
  missingNodes,
  orphanedPods,
  outOfServicePods,
  surplusEnded,
  unscheduledTerminating,
} from "./plan.ts";

const periodMs = 20_000;
/** A node that just vanished may come back, or the informer may lag. */
const quarantineMs = 40_000;
/** kube-controller-manager's --terminated-pod-gc-threshold. */
const endedMax = 12_500;
/** Pods cleared away at once. */
const concurrency = 50;

export function createPodGarbageCollector(context: ComponentContext): Component {
  return new PodGarbageCollector(context);
}

class PodGarbageCollector implements Component {
  readonly #host: Host;
  readonly #client: Client;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #stopping = new AbortController();
  /** Node -> monotonic ms since when it is missed. */
  readonly #missedSince = new Map<string, number>();
  #running: Promise<void> | undefined;

  constructor(context: ComponentContext) {
    const { host, informers } = context;
    this.#host = host;
    this.#client = context.clientOf("pod-garbage-collector");
    this.#pods = informers.of("pods");
    this.#nodes = informers.of("nodes");
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await this.#pods.whenSynced(signal);
      await this.#nodes.whenSynced(signal);
      for (;;) {
        await this.#collect();
        await pause(this.#host.clock, periodMs, signal);
      }
    } catch (error) {
      if (!(error instanceof AbortedError)) throw error;
    }
  }

  async #collect(): Promise<void> {
    const pods = this.#pods.lister.list();
    const findNode = (name: string): Node | undefined => this.#nodes.lister.find(name);
    await this.#clear(surplusEnded(pods, endedMax));
    await this.#clear(outOfServicePods(pods, findNode));
    await this.#clear(orphanedPods(pods, await this.#goneNodes(missingNodes(pods, findNode))));
    await this.#clear(unscheduledTerminating(pods));
  }

  /** Those missed for long enough that the server does not know either. */
  async #goneNodes(missing: ReadonlySet<string>): Promise<Set<string>> {
    const now = this.#host.clock.monotonic();
    for (const name of this.#missedSince.keys())
      if (!missing.has(name)) this.#missedSince.delete(name);
    const gone = new Set<string>();
    for (const name of missing) {
      const since = this.#missedSince.get(name) ?? now;
      this.#missedSince.set(name, since);
      if (now - since >= quarantineMs && (await this.#isGone(name))) gone.add(name);
    }
    return gone;
  }

  async #isGone(name: string): Promise<boolean> {
    try {
      return (await this.#client.resource("nodes").find({ name })) === undefined;
    } catch (error) {
      this.#host.log.warn("node could not be looked up", { node: name, error: String(error) });
      return false;
    }
  }

  async #clear(all: readonly Collectable[]): Promise<void> {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < all.length && !this.#stopping.signal.aborted)
        await this.#clearOne(all[next++]!);
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, worker));
  }

  async #clearOne({ pod, disruption }: Collectable): Promise<void> {
    const { uid } = pod.metadata;
    try {
      if (!isEnded(pod)) await patchPodStatus(this.#client, pod, this.#failed(pod, disruption));
      await this.#client
        .resource("pods")
        .delete(refOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (["NotFound", "Conflict"].includes(reasonOf(error))) return;
      this.#host.log.warn("pod was not cleared away", { pod: keyOf(pod), error: String(error) });
    }
  }

  #failed(pod: Readonly<Served<Pod>>, disruption: Collectable["disruption"]): PodStatus {
    const condition =
      disruption === undefined ? undefined : disruptionOf(pod, disruption, this.#host.clock.now());
    return { phase: "Failed", ...(condition === undefined ? {} : { conditions: [condition] }) };
  }
}

function isEnded({ status }: AnyPod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
