// Leads the server to the simulated nodes of its process, which come after it and go before it.
import { type NodeStreams, noNodeStreams } from "../api/node-streams.ts";

export class NodeRoutes implements NodeStreams {
  #nodes: NodeStreams = noNodeStreams;

  /** From now on these answer. */
  lead(nodes: NodeStreams): void {
    this.#nodes = nodes;
  }

  readonly logs: NodeStreams["logs"] = (target, options) => this.#nodes.logs(target, options);
  readonly exec: NodeStreams["exec"] = (target, command) => this.#nodes.exec(target, command);
  readonly attach: NodeStreams["attach"] = (target) => this.#nodes.attach(target);
  readonly portForward: NodeStreams["portForward"] = (target) => this.#nodes.portForward(target);
}
