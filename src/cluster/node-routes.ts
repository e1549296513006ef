// Leads the server to the simulated nodes of its process, which come after it and go before it.
import { type NodeMetrics, noNodeMetrics } from "../api/node-metrics.ts";
import { type NodeStreams, noNodeStreams } from "../api/node-streams.ts";

export class NodeRoutes implements NodeStreams, NodeMetrics {
  #nodes: NodeStreams = noNodeStreams;
  #metrics: NodeMetrics = noNodeMetrics;

  /** From now on these answer. */
  lead(nodes: NodeStreams, metrics: NodeMetrics): void {
    this.#nodes = nodes;
    this.#metrics = metrics;
  }

  readonly logs: NodeStreams["logs"] = (target, options) => this.#nodes.logs(target, options);
  readonly exec: NodeStreams["exec"] = (target, command) => this.#nodes.exec(target, command);
  readonly attach: NodeStreams["attach"] = (target) => this.#nodes.attach(target);
  readonly portForward: NodeStreams["portForward"] = (target) => this.#nodes.portForward(target);
  readonly nodes: NodeMetrics["nodes"] = () => this.#metrics.nodes();
  readonly pods: NodeMetrics["pods"] = (namespace, wanted) => this.#metrics.pods(namespace, wanted);
}
