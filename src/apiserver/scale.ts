// The Scale face of workloads (api-machinery §6): a view of the parent's replicas, and the way back. Pure.
import { encodeJson } from "../api/codec/encode-json.ts";
import { formatLabelSelector, labelSelectorOf } from "../api/meta/label-selector.ts";
import type { KubeObject } from "../api/object.ts";
import type { LabelSelector } from "../api/types/meta-v1.ts";
import { type EncodedKind, parseObject } from "./encode-object.ts";

const scaleKind: EncodedKind = {
  kind: { group: "autoscaling", version: "v1", kind: "Scale" },
  apiVersion: "autoscaling/v1",
  typeId: "autoscaling.v1.Scale",
};

interface Scalable {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector | Readonly<Record<string, string>>;
  };
  readonly status?: { readonly replicas?: number };
}

export function scaleOf(parent: Readonly<KubeObject>): KubeObject {
  const { spec, status } = parent as Scalable;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  const selector = selectorText(parent.kind, spec?.selector);
  return {
    kind: "Scale",
    apiVersion: scaleKind.apiVersion,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      creationTimestamp,
    } as KubeObject["metadata"],
    spec: { replicas: spec?.replicas ?? 0 },
    status: {
      replicas: status?.replicas ?? 0,
      ...(selector === "" ? {} : { selector }),
    },
  };
}

/** ReplicationControllers select by a plain map. */
function selectorText(
  kind: string | undefined,
  selector: LabelSelector | Readonly<Record<string, string>> | undefined,
): string {
  if (selector === undefined) return "";
  const full =
    kind === "ReplicationController"
      ? { matchLabels: selector as Record<string, string> }
      : (selector as LabelSelector);
  return formatLabelSelector(labelSelectorOf(full));
}

/** The Scale of a parent's bytes, with its kind, ready to be answered. */
export function scaleBytes(parent: Uint8Array): { kind: EncodedKind; bytes: Uint8Array } {
  return {
    kind: scaleKind,
    bytes: encodeJson(scaleKind.typeId, scaleOf(parseObject(parent))),
  };
}

/** The parent as the Scale wants it; resourceVersion and uid in the Scale stay preconditions. */
export function withScale(parent: KubeObject, scale: KubeObject): KubeObject {
  const { resourceVersion, uid } = scale.metadata;
  const metadata = { ...parent.metadata };
  if (resourceVersion === undefined) delete metadata.resourceVersion;
  else metadata.resourceVersion = resourceVersion;
  if (uid !== undefined) metadata.uid = uid;
  const replicas = (scale as Scalable).spec?.replicas ?? 0;
  return { ...parent, metadata, spec: { ...(parent["spec"] as object), replicas } };
}
