// Between the versions in which a kind is served and the one in which it is stored. Only Event and
// HorizontalPodAutoscaler are served twice; every other object passes through untouched.
import type { KubeObject } from "../object.ts";
import type { GroupVersionKind } from "../schema/schema.ts";
import { eventFromStorage, eventToStorage } from "./event.ts";
import { autoscalerFromStorage, autoscalerToStorage } from "./horizontal-pod-autoscaler.ts";

interface Conversion {
  readonly stored: GroupVersionKind;
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: Readonly<KubeObject>): KubeObject;
}

const conversions: ReadonlyMap<string, Conversion> = new Map([
  [
    "events.k8s.io/v1/Event",
    {
      stored: { group: "", version: "v1", kind: "Event" },
      toStorage: eventToStorage,
      fromStorage: eventFromStorage,
    },
  ],
  [
    "autoscaling/v1/HorizontalPodAutoscaler",
    {
      stored: { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler" },
      toStorage: autoscalerToStorage,
      fromStorage: autoscalerFromStorage,
    },
  ],
]);

function find(gvk: GroupVersionKind): Conversion | undefined {
  return conversions.get(`${gvk.group}/${gvk.version}/${gvk.kind}`);
}

/** The kind under which objects of `gvk` are stored; mostly itself. */
export function storedKind(gvk: GroupVersionKind): GroupVersionKind {
  return find(gvk)?.stored ?? gvk;
}

/** The same object when it needs no conversion, else a new one that may share parts with it. */
export function toStorage(gvk: GroupVersionKind, object: KubeObject): KubeObject {
  return find(gvk)?.toStorage(object) ?? object;
}

/** The opposite; `gvk` is the kind wanted. */
export function fromStorage(gvk: GroupVersionKind, object: KubeObject): KubeObject {
  return find(gvk)?.fromStorage(object) ?? object;
}
