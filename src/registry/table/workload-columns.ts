// The columns that every kind with a pod template shares.
import type { Container, PodTemplateSpec } from "../../api/types/core-v1.ts";
import { type Column, text, wide } from "./column.ts";

/** Finds the pod template; kinds nest it at different depths. */
type FindTemplate<T> = (object: T) => PodTemplateSpec | undefined;

/** Containers and Images, as workloads show them: with `-o wide` only. */
export function containerColumns<T>(template: FindTemplate<T>): Column<T>[] {
  return [wide(containersColumn(template)), wide(imagesColumn(template))];
}

export function containersColumn<T>(template: FindTemplate<T>): Column<T> {
  return text("Containers", "Names of the containers in the pod template", (object) =>
    containers(template(object))
      .map((container) => container.name)
      .join(","),
  );
}

export function imagesColumn<T>(template: FindTemplate<T>): Column<T> {
  return text("Images", "Images of the containers in the pod template", (object) =>
    containers(template(object))
      .map((container) => container.image ?? "")
      .join(","),
  );
}

function containers(template: PodTemplateSpec | undefined): readonly Container[] {
  return template?.spec?.containers ?? [];
}
