// The scale subresource: an autoscaling/v1 Scale over the replicas of a workload. Reading and writing it is reading and
// writing the workload, whose resourceVersion it carries (upstream: registry/apps/*/storage, ScaleREST).
import { encodeJson } from "../../api/codec/encode-json.ts";
import { conflict, invalid, staleObject } from "../../api/meta/errors.ts";
import { invalidValue } from "../../api/meta/field-error.ts";
import { formatLabelSelector, labelSelectorOf } from "../../api/meta/label-selector.ts";
import type { KubeObject } from "../../api/object.ts";
import type { LabelSelector } from "../../api/types/meta-v1.ts";
import type { UpdateCall, Written } from "../registry.ts";
import { uidConflict } from "./preconditions.ts";
import { type RegistryParts, targetOf } from "./registry-parts.ts";
import { updateObject } from "./update.ts";
import { parseObject } from "../../api/codec/parse-object.ts";

const scaleType = "autoscaling.v1.Scale";

interface Scalable {
  readonly spec?: { readonly replicas?: number; readonly selector?: LabelSelector };
  readonly status?: { readonly replicas?: number };
}

interface ScaleShape {
  readonly spec?: { readonly replicas?: number };
}

/** A new Scale. */
function scaleOf(workload: Readonly<KubeObject>): KubeObject {
  const { spec = {}, status = {} } = workload as Scalable;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = workload.metadata;
  const metadata = { name, namespace, uid, resourceVersion, creationTimestamp };
  const replicas = spec.replicas ?? 0;
  const selector = selectorText(workload);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: defined(metadata),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: status.replicas ?? 0, ...(selector === "" ? {} : { selector }) },
  };
}

function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** ReplicationControllers select by a bare map, the others by a LabelSelector. */
function selectorText(workload: Readonly<KubeObject>): string {
  const { selector } = (workload as Scalable).spec ?? {};
  if (selector === undefined) return "";
  const isBare = workload.kind === "ReplicationController";
  const labels = isBare ? { matchLabels: selector as Record<string, string> } : selector;
  return formatLabelSelector(labelSelectorOf(labels));
}

export function scaleBytes(workload: Uint8Array): Uint8Array {
  return encodeJson(scaleType, scaleOf(parseObject(workload)));
}

/** Throws what an update of the workload throws, and Invalid for a negative count. */
export async function updateScale(parts: RegistryParts, call: UpdateCall): Promise<Written> {
  const written = await updateObject(
    parts,
    {
      ...call,
      mayCreate: false,
      // updateObject has refused a missing parent already.
      change: (current) => changeScale(parts, call, current!()),
    },
    {
      show: scaleOf,
      takeBack: (shown, object) => setReplicas(object, (shown as ScaleShape).spec?.replicas ?? 0),
    },
  );
  return { bytes: scaleBytes(written.bytes), created: false };
}

function changeScale(parts: RegistryParts, call: UpdateCall, workload: KubeObject): KubeObject {
  const scale = call.change(() => scaleOf(workload));
  const target = targetOf(parts);
  const { uid = "", resourceVersion = "" } = scale.metadata;
  if (call.mayCreate && uid !== "" && uid !== workload.metadata.uid) {
    const storeKey = parts.objects.storeKey(call);
    throw uidConflict(target, call.name, {
      storeKey,
      asked: uid,
      found: workload.metadata.uid ?? "",
    });
  }
  if (resourceVersion !== "" && resourceVersion !== workload.metadata.resourceVersion) {
    throw conflict(target, call.name, staleObject);
  }
  const replicas = (scale as ScaleShape).spec?.replicas ?? 0;
  if (replicas < 0) {
    throw invalid({ group: "autoscaling", kind: "Scale" }, call.name, [
      invalidValue("spec.replicas", replicas, "must be greater than or equal to 0"),
    ]);
  }
  setReplicas(workload, replicas);
  return workload;
}

function setReplicas(workload: KubeObject, replicas: number): void {
  const spec = (workload["spec"] ??= {}) as { replicas?: number };
  spec.replicas = replicas;
}
