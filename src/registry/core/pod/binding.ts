// POST pods/NAME/binding: the scheduler's verdict. Sets spec.nodeName once, marks the pod scheduled, and brings labels and
// annotations along (upstream: core/pod/storage/storage.go, BindingREST).
import { conflict, invalid, type StatusError } from "../../../api/meta/errors.ts";
import { notSupported, required } from "../../../api/meta/field-error.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { Binding, Pod } from "../../../api/types/core-v1.ts";
import type { Status } from "../../../api/types/meta-v1.ts";
import { modifyObject } from "../../generic/modify.ts";
import { checkDeletePreconditions } from "../../generic/preconditions.ts";
import { admitAction, type RegistryParts } from "../../generic/registry-parts.ts";
import type { SubresourceCreateCall } from "../../registry.ts";
import { setCondition } from "./condition.ts";
import { success } from "./success.ts";
import { timestamp } from "../../../api/meta/timestamp.ts";

const bindingKind = { group: "", version: "v1", kind: "Binding" };
const bindings = { group: "", resource: "pods/binding" };

/** Throws NotFound, Conflict, Invalid. */
export async function bindPod(
  parts: RegistryParts,
  object: KubeObject,
  call: SubresourceCreateCall,
): Promise<Status> {
  const binding = object as unknown as Binding;
  const { kind = "", name: node = "" } = binding.target;
  const errors = [
    ...(kind === "" || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", ""])]),
    ...(node === "" ? [required("target.name")] : []),
  ];
  if (errors.length > 0) throw invalid({ group: "", kind: "Binding" }, call.name, errors);
  await admitAction(parts, object, { call, kind: bindingKind });
  await modifyObject(parts, call, (pod) => assign(pod, binding, parts.system.now));
  return success;
}

function assign(pod: Pod, binding: Binding, now: number): void {
  const { name = "", deletionTimestamp } = pod.metadata;
  const { uid = "", resourceVersion = "" } = binding.metadata;
  checkDeletePreconditions(bindings, pod.metadata, {
    ...(uid === "" ? {} : { uid }),
    ...(resourceVersion === "" ? {} : { resourceVersion }),
  });
  const spec = (pod.spec ??= { containers: [] });
  const refused = (why: string): StatusError => conflict(bindings, name, `pod ${name} ${why}`);
  if (deletionTimestamp) throw refused("is being deleted, cannot be assigned to a host");
  if (spec.nodeName) throw refused(`is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if ((spec.schedulingGates ?? []).length > 0) throw refused("has non-empty .spec.schedulingGates");
  spec.nodeName = binding.target.name ?? "";
  const { annotations, labels } = binding.metadata;
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  // Labels that the pod has win.
  if (labels) pod.metadata.labels = { ...labels, ...pod.metadata.labels };
  setCondition(pod, { type: "PodScheduled", status: "True" }, timestamp(now));
}
