// The containers of a pod in the order in which they start, and what each is for.
import { isSidecar } from "../api/pod/amounts.ts";
import type { Container, Pod } from "../api/types/core-v1.ts";
import { equalJson } from "../std/json.ts";
import { envNeedsOf } from "./inputs/env-need.ts";
import { type Behaviour, type ContainerRole, behaviourOf } from "./behaviour.ts";

export interface PodPart {
  readonly container: Container;
  readonly kind: ContainerRole["kind"];
  readonly behaviour: Behaviour;
  /** Its environment is made of Secrets or ConfigMaps. */
  readonly hasReferences: boolean;
  /** `spec.containers{web}`, as events name it. */
  readonly fieldPath: string;
}

/** The parts of one pod, worked out anew only when the object says something else about its containers. */
export class RememberedParts {
  #seen: Pod | undefined;
  #parts: readonly PodPart[] = [];

  of(pod: Pod): readonly PodPart[] {
    if (this.#seen === undefined || !hasSameParts(this.#seen, pod)) this.#parts = partsOf(pod);
    this.#seen = pod;
    return this.#parts;
  }
}

/** A server that counts no generations says nothing of the spec. */
function hasSameParts(before: Pod, after: Pod): boolean {
  const { generation, annotations, ownerReferences } = before.metadata;
  return (
    before === after ||
    (generation !== undefined &&
      generation === after.metadata.generation &&
      equalJson(annotations, after.metadata.annotations) &&
      equalJson(ownerReferences, after.metadata.ownerReferences))
  );
}

export function partsOf(pod: Pod): PodPart[] {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const part = (container: Container, kind: PodPart["kind"], list: string): PodPart => ({
    container,
    kind,
    behaviour: behaviourOf(pod, container, { kind }),
    hasReferences: envNeedsOf(container).length > 0,
    fieldPath: `spec.${list}{${container.name}}`,
  });
  return [
    ...initContainers.map((one) =>
      part(one, isSidecar(one) ? "sidecar" : "init", "initContainers"),
    ),
    ...containers.map((one) => part(one, "main", "containers")),
  ];
}

/** Whether the container is started again after it ended so. */
export function restarts(pod: Pod, { container, kind }: PodPart, exitCode: number): boolean {
  if (kind === "sidecar") return true;
  if (kind === "init" && exitCode === 0) return false;
  switch (container.restartPolicy ?? pod.spec?.restartPolicy ?? "Always") {
    case "Never":
      return false;
    case "OnFailure":
      return exitCode !== 0;
    default:
      return true;
  }
}
