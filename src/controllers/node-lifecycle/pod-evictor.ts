// How a node that stays away loses its pods where no taint manager runs: one pod after the other, its status saying
// NodeLost before it is deleted; and pods that come to such a node afterwards at once (upstream: processNoTaintBaseEviction,
// evictPods and DeletePods in pkg/controller/nodelifecycle, at 1.16.8; gone since 1.27).
import type { Node, Pod } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import { type Served, refOf } from "../../client/served-object.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import { controllerOf } from "../../informer/index-functions.ts";

type ServedPod = Readonly<Served<Pod>>;

export class PodEvictor {
  readonly #client: Client;
  readonly #events: EventRecorder;
  /** Nodes whose pods were deleted since they were last ready. */
  readonly #evicted = new Set<string>();
  /** Deletions take turns, as upstream's hold a lock: those of one node hold up those of all. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(client: Client, events: EventRecorder) {
    this.#client = client;
    this.#events = events;
  }

  hasEvicted(node: string): boolean {
    return this.#evicted.has(node);
  }

  /** The node is back, or gone. */
  forget(node: string): void {
    this.#evicted.delete(node);
  }

  /** Rejects when a pod stays that should go; then the node is not taken for evicted. */
  async evictNode(node: Served<Node>, pods: readonly ServedPod[]): Promise<void> {
    await this.evictPods(node, pods);
    this.#evicted.add(node.metadata.name);
  }

  evictPods(node: Served<Node>, pods: readonly ServedPod[]): Promise<void> {
    const deleted = this.#turn.then(() => this.#deletePods(node, pods));
    this.#turn = deleted.catch(() => undefined);
    return deleted;
  }

  async #deletePods({ metadata }: Served<Node>, pods: readonly ServedPod[]): Promise<void> {
    const { name, uid } = metadata;
    if (pods.length > 0)
      this.#events.eventAbout(
        { apiVersion: "v1", kind: "Node", name, uid },
        {
          type: "Normal",
          reason: "DeletingAllPods",
          message: `Node ${name} event: Deleting all Pods from Node ${name}.`,
        },
      );
    let error: unknown;
    for (const pod of pods) {
      try {
        await this.#deletePod(pod, name);
      } catch (refusal) {
        error ??= refusal;
      }
    }
    if (error !== undefined) throw error;
  }

  async #deletePod(pod: ServedPod, node: string): Promise<void> {
    await this.#sayLost(pod, node);
    if (pod.metadata.deletionGracePeriodSeconds != null) return;
    if (controllerOf(pod)?.kind === "DaemonSet") return;
    const { name } = pod.metadata;
    const message = `Marking for deletion Pod ${name} from Node ${node}`;
    this.#events.event(pod, "Normal", "NodeControllerEviction", message);
    try {
      await this.#client.resource("pods").delete(refOf(pod));
    } catch (error) {
      if (reasonOf(error) !== "NotFound") throw error;
    }
  }

  async #sayLost(pod: ServedPod, node: string): Promise<void> {
    if (pod.status?.reason === "NodeLost") return;
    const message = `Node ${node} which was running pod ${pod.metadata.name} is unresponsive`;
    const status = { ...pod.status, reason: "NodeLost", message };
    try {
      await this.#client.resource("pods").updateStatus({ ...pod, status });
    } catch (error) {
      if (reasonOf(error) !== "NotFound") throw error;
    }
  }
}
