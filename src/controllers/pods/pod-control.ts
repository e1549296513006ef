// Makes and deletes pods for an owner and says so in Events on the owner (upstream: RealPodControl in
// pkg/controller/controller_utils.go).
import type { Pod, PodTemplateSpec } from "../../api/types/core-v1.ts";
import { hasCause, reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type ApiObject, type Served, refOf } from "../../client/served-object.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import { controllerRefTo } from "./controller-ref.ts";
import { messageOf } from "../../std/error-message.ts";

/** The pod as the template says, named after and controlled by the owner. */
export function podFromTemplate(template: PodTemplateSpec | undefined, owner: ApiObject): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    metadata: {
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace ?? "",
      labels: { ...labels },
      annotations: { ...annotations },
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerRefTo(owner)],
    },
    spec: template?.spec ?? {},
  };
}

/** The namespace is going away: nothing can be made in it any more, and trying again is useless. */
export function isNamespaceTerminating(error: unknown): boolean {
  return hasCause(error, "NamespaceTerminating");
}

export class PodControl {
  readonly #pods: ResourceClient<Pod>;
  readonly #recorder: EventRecorder;

  constructor(pods: ResourceClient<Pod>, recorder: EventRecorder) {
    this.#pods = pods;
    this.#recorder = recorder;
  }

  async create(pod: Pod, owner: ApiObject): Promise<Served<Pod>> {
    try {
      const made = await this.#pods.create(pod);
      this.#recorder.event(
        owner,
        "Normal",
        "SuccessfulCreate",
        `Created pod: ${made.metadata.name}`,
      );
      return made;
    } catch (error) {
      if (!isNamespaceTerminating(error))
        this.#recorder.event(
          owner,
          "Warning",
          "FailedCreate",
          `Error creating: ${messageOf(error)}`,
        );
      throw error;
    }
  }

  /** False when it was gone already. */
  async delete(pod: Served<Pod>, owner: ApiObject): Promise<boolean> {
    try {
      await this.#pods.delete(refOf(pod), { preconditions: { uid: pod.metadata.uid } });
      this.#recorder.event(
        owner,
        "Normal",
        "SuccessfulDelete",
        `Deleted pod: ${pod.metadata.name}`,
      );
      return true;
    } catch (error) {
      // Conflict: another pod has the name by now.
      if (reasonOf(error) === "NotFound" || reasonOf(error) === "Conflict") return false;
      this.#recorder.event(owner, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
      throw error;
    }
  }
}
