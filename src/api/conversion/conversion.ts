// Between the versions in which a kind is served and the one in which it is stored. Only Event, HorizontalPodAutoscaler
// and the kinds of flow control are served more than once; every other object passes through untouched.
import type { KubeObject } from "../object.ts";
import type { GroupVersionKind } from "../schema/schema.ts";
import { eventFromStorage, eventToStorage } from "./event.ts";
import {
  flowSchemaFrom,
  flowSchemaToStorage,
  priorityLevelFrom,
  priorityLevelToStorage,
} from "./flow-control.ts";
import { autoscalerFromStorage, autoscalerToStorage } from "./horizontal-pod-autoscaler.ts";

interface Conversion {
  readonly stored: GroupVersionKind;
  toStorage(object: KubeObject): KubeObject;
  fromStorage(object: Readonly<KubeObject>): KubeObject;
}

const conversions: ReadonlyMap<string, Conversion> = new Map<string, Conversion>([
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
  ...["v1beta1", "v1beta2", "v1beta3"].flatMap(flowControlOf),
]);

function flowControlOf(version: string): readonly (readonly [string, Conversion])[] {
  const group = "flowcontrol.apiserver.k8s.io";
  const stored = (kind: string): GroupVersionKind => ({ group, version: "v1", kind });
  return [
    [
      `${group}/${version}/FlowSchema`,
      {
        stored: stored("FlowSchema"),
        toStorage: flowSchemaToStorage,
        fromStorage: flowSchemaFrom(version),
      },
    ],
    [
      `${group}/${version}/PriorityLevelConfiguration`,
      {
        stored: stored("PriorityLevelConfiguration"),
        toStorage: priorityLevelToStorage,
        fromStorage: priorityLevelFrom(version),
      },
    ],
  ];
}

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
