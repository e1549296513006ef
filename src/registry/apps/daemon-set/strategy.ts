// DaemonSets count changes of their template in an annotation, where v1 shows what older versions had as a field
// (upstream: apps/daemonset/strategy.go and the conversion of apps/v1).
import type { JsonValue, KubeObject } from "../../../api/object.ts";
import { plainStrategy, type Strategy } from "../../strategy.ts";
import { equalJson } from "../../../std/json.ts";

const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSetStrategy: Strategy = {
  ...plainStrategy,
  generation: "OnChange",
  prepareForCreate: (object) => setCount(object, Math.max(1, countOf(object))),
  prepareForUpdate: (object, old) => {
    const changed = !equalJson(templateOf(object), templateOf(old));
    setCount(object, countOf(old) + (changed ? 1 : 0));
  },
};

function templateOf(object: Readonly<KubeObject>): JsonValue {
  return ((object["spec"] ?? {}) as { template?: JsonValue }).template ?? null;
}

function countOf(object: Readonly<KubeObject>): number {
  const text = object.metadata.annotations?.[templateGeneration] ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function setCount(object: KubeObject, count: number): void {
  object.metadata.annotations = {
    ...object.metadata.annotations,
    [templateGeneration]: String(count),
  };
}
