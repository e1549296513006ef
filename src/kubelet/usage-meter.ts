// Measures the simulated nodes of a process for metrics.k8s.io, each time somebody asks.
import type { NodeMetrics, NodeUsage, PodName, PodUsage } from "../api/node-metrics.ts";
import type { Node, Pod } from "../api/types/core-v1.ts";
import type { Clock } from "../host/host.ts";
import { byNodeName } from "../informer/index-functions.ts";
import type { Informer } from "../informer/informer.ts";
import { annotations, isSimulated } from "./node-object.ts";
import { lastMeasured, nodeUsage, podUsage, usagePeriodMs } from "./usage.ts";

export class UsageMeter implements NodeMetrics {
  readonly #clock: Clock;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;

  constructor(clock: Clock, nodes: Informer<Node>, pods: Informer<Pod>) {
    this.#clock = clock;
    this.#nodes = nodes;
    this.#pods = pods;
  }

  nodes(): readonly NodeUsage[] {
    const at = lastMeasured(this.#clock.now());
    return this.#nodes.lister
      .list()
      .filter(isMeasured)
      .map((node) => {
        const { name, labels = {} } = node.metadata;
        const pods = this.#pods.lister
          .by(byNodeName, name)
          .flatMap((pod) => podUsage(pod, at) ?? []);
        const usage = nodeUsage(node, pods, at);
        return { name, labels, at, windowMs: usagePeriodMs, usage };
      });
  }

  pods(namespace: string | undefined, wanted: (pod: PodName) => boolean): readonly PodUsage[] {
    const at = lastMeasured(this.#clock.now());
    const measured = new Set(
      this.#nodes.lister
        .list()
        .filter(isMeasured)
        .map(({ metadata }) => metadata.name),
    );
    return this.#pods.lister.select(namespace, []).flatMap((pod) => {
      const { name, namespace: of = "", labels = {} } = pod.metadata;
      if (!measured.has(pod.spec?.nodeName ?? "")) return [];
      return wanted({ name, namespace: of, labels }) ? (podUsage(pod, at) ?? []) : [];
    });
  }
}

/** Of dead machines, and of those that nobody reaches, nothing is known. */
function isMeasured(node: Node): boolean {
  const said = node.metadata.annotations ?? {};
  const works = said[annotations.power] !== "off" && said[annotations.network] !== "cut";
  return isSimulated(node) && works;
}
