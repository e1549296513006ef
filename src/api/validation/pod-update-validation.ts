// What an update may change of a pod: images, a shorter deadline, more tolerations, fewer scheduling gates; its
// subresources some more (upstream: pkg/apis/core/validation/validation.go, ValidatePodUpdate).
import { podQosClass } from "../defaults/qos-class.ts";
import { type FieldError, forbiddenField, invalidValue } from "../meta/field-error.ts";
import type { Container, Pod, PodSpec, ResourceRequirements } from "../types/core-v1.ts";
import { checkImmutable, maxInt32 } from "./checks.ts";
import { describeDifference } from "./difference.ts";
import { validatePod } from "./pod-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { getKey } from "../../std/json.ts";
import { compareQuantityTexts } from "../quantity.ts";

const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");
const containerLists = ["containers", "initContainers"] as const;
const resizable = ["cpu", "memory"];

export function validatePodUpdate(pod: Pod, old: Pod, errors: FieldError[]): void {
  const before = old.spec ?? {};
  const after = pod.spec ?? {};
  validatePod(pod, errors);
  for (const key of containerLists) {
    if ((before[key] ?? []).length === (after[key] ?? []).length) continue;
    const detail = "pod updates may not add or remove containers";
    errors.push(forbiddenField(`spec.${key}`, detail));
    return;
  }
  if (!checkDeadline(after, before, errors)) return;
  checkTolerations(after, before, errors);
  checkGates(after, before, errors);
  if (semanticallyEqual(after, before)) return;
  const munged = withoutUpdatable(after, before, errors);
  if (semanticallyEqual(munged, before)) return;
  const difference = describeDifference(before, munged);
  const detail = `pod updates may not change fields other than ${updatable}\n${difference}`;
  errors.push(forbiddenField("spec", detail));
}

export function validatePodStatusUpdate(pod: Pod, old: Pod, errors: FieldError[]): void {
  if ((pod.spec?.nodeName ?? "") !== (old.spec?.nodeName ?? "")) {
    errors.push(forbiddenField("status.nodeName", "may not be changed directly"));
  }
  const qosClass = pod.status?.qosClass ?? "";
  errors.push(...checkImmutable("status.qosClass", qosClass, old.status?.qosClass ?? ""));
  const policy = old.spec?.restartPolicy ?? "Always";
  if (policy === "Always") return;
  for (const [i, status] of (old.status?.containerStatuses ?? []).entries()) {
    const ended = status.state?.terminated;
    if (!ended || (ended.exitCode !== 0 && policy === "OnFailure")) continue;
    const now = pod.status?.containerStatuses?.find((other) => other.name === status.name);
    if (now && !now.state?.terminated) {
      const at = `status.containerStatuses[${i}].state`;
      errors.push(forbiddenField(at, "may not be transitioned to non-terminated state"));
    }
  }
}

export function validateEphemeralContainersUpdate(pod: Pod, old: Pod, errors: FieldError[]): void {
  validatePod(pod, errors);
  const now = new Map((pod.spec?.ephemeralContainers ?? []).map((one) => [one.name, one]));
  for (const container of old.spec?.ephemeralContainers ?? []) {
    const kept = now.get(container.name);
    const subject = `existing ephemeral containers ${JSON.stringify(container.name)}`;
    if (kept === undefined) {
      errors.push(forbiddenField("spec.ephemeralContainers", `${subject} may not be removed\n`));
    } else if (!semanticallyEqual(kept, container)) {
      const difference = describeDifference(container, kept);
      const detail = `${subject} may not be changed\n${difference}`;
      errors.push(forbiddenField("spec.ephemeralContainers", detail));
    }
  }
}

export function validatePodResize(pod: Pod, old: Pod, errors: FieldError[]): void {
  validatePod(pod, errors);
  const before = old.spec ?? {};
  const after = pod.spec ?? {};
  const qosClass = old.status?.qosClass ?? podQosClass(before);
  if (podQosClass(after) !== qosClass) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    errors.push(invalidValue("spec", qosClass, detail));
  }
  for (const key of containerLists) {
    for (const [i, container] of (before[key] ?? []).entries()) {
      const now = after[key]?.[i];
      if (now) checkResize(now, container, { path: `spec.${key}[${i}].resources`, errors });
    }
  }
  if (errors.length > 0) return;
  const munged: PodSpec = { ...after };
  for (const key of containerLists) {
    const list = after[key];
    if (list) munged[key] = list.map((now, i) => withOldSizes(now, before[key]?.[i]));
  }
  if (!semanticallyEqual(munged, before)) {
    errors.push(forbiddenField("spec", "only cpu and memory resources are mutable"));
  }
}

/** False ends the validation, as upstream does. */
function checkDeadline(after: PodSpec, before: PodSpec, errors: FieldError[]): boolean {
  const path = "spec.activeDeadlineSeconds";
  const was = before.activeDeadlineSeconds;
  const is = after.activeDeadlineSeconds;
  if (is === undefined) {
    if (was !== undefined) {
      const detail = "must not update from a positive integer to nil value";
      errors.push(invalidValue(path, null, detail));
    }
    return true;
  }
  if (is < 0 || is > maxInt32) {
    errors.push(invalidValue(path, is, `must be between 0 and ${maxInt32}, inclusive`));
    return false;
  }
  if (was === undefined || was >= is) return true;
  errors.push(invalidValue(path, is, "must be less than or equal to previous value"));
  return false;
}

function checkTolerations(after: PodSpec, before: PodSpec, errors: FieldError[]): void {
  const now = after.tolerations ?? [];
  const isKept = (before.tolerations ?? []).every((old) =>
    now.some((toleration) => {
      const { tolerationSeconds: _, ...rest } = toleration;
      const { tolerationSeconds: __, ...oldRest } = old;
      return semanticallyEqual(rest, oldRest);
    }),
  );
  if (isKept) return;
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  errors.push(forbiddenField("spec.tolerations", detail));
}

function checkGates(after: PodSpec, before: PodSpec, errors: FieldError[]): void {
  const known = new Set((before.schedulingGates ?? []).map((gate) => gate.name));
  for (const [i, { name }] of (after.schedulingGates ?? []).entries()) {
    if (known.has(name)) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbiddenField(`spec.schedulingGates[${i}].name`, detail));
  }
}

/** The new spec as if nothing that may change had changed. */
function withoutUpdatable(after: PodSpec, before: PodSpec, errors: FieldError[]): PodSpec {
  const munged: PodSpec = { ...after };
  for (const key of containerLists) {
    const list = after[key];
    if (list) munged[key] = list.map((now, i) => withOldImage(now, before[key]?.[i]));
  }
  keepOld(munged, before, "activeDeadlineSeconds");
  keepOld(munged, before, "schedulingGates");
  keepOld(munged, before, "tolerations");
  const grace = before.terminationGracePeriodSeconds ?? 0;
  if (grace < 0 && munged.terminationGracePeriodSeconds === 1) {
    keepOld(munged, before, "terminationGracePeriodSeconds");
  }
  // A pod that waits for its gates may still be narrowed to fewer nodes.
  if ((before.schedulingGates ?? []).length > 0) {
    checkNodeSelector(after, before, errors);
    keepOld(munged, before, "nodeSelector");
    const nodeAffinity = before.affinity?.nodeAffinity;
    if (munged.affinity) {
      const { nodeAffinity: _, ...others } = munged.affinity;
      munged.affinity = nodeAffinity ? { ...others, nodeAffinity } : others;
    } else if (nodeAffinity) munged.affinity = { nodeAffinity };
  }
  return munged;
}

function checkNodeSelector(after: PodSpec, before: PodSpec, errors: FieldError[]): void {
  for (const [key, value] of Object.entries(before.nodeSelector ?? {})) {
    if (getKey(after.nodeSelector, key) === value) continue;
    const detail = "only additions to nodeSelector are allowed (no mutations or deletions)";
    errors.push(invalidValue("spec.nodeSelector", after.nodeSelector ?? null, detail));
    return;
  }
}

function keepOld(munged: PodSpec, before: PodSpec, key: keyof PodSpec): void {
  if (before[key] === undefined) delete munged[key];
  else Object.assign(munged, { [key]: before[key] });
}

function withOldImage(now: Container, old: Container | undefined): Container {
  const { image: _, ...rest } = now;
  return old?.image === undefined ? rest : { ...rest, image: old.image };
}

function withOldSizes(now: Container, old: Container | undefined): Container {
  const sized = (key: "limits" | "requests"): Record<string, string> => {
    const list = { ...now.resources?.[key] };
    for (const name of resizable) {
      const value = old?.resources?.[key]?.[name];
      if (value === undefined) delete list[name];
      else list[name] = value;
    }
    return list;
  };
  return {
    ...now,
    resources: { ...now.resources, limits: sized("limits"), requests: sized("requests") },
  };
}

function checkResize(
  now: Container,
  old: Container,
  { path, errors }: { path: string; errors: FieldError[] },
): void {
  if (isReduced(now.resources, old.resources, "requests")) {
    errors.push(forbiddenField(`${path}.requests`, "resource requests cannot be removed"));
  }
  if (isReduced(now.resources, old.resources, "limits")) {
    errors.push(forbiddenField(`${path}.limits`, "resource limits cannot be removed"));
  }
  const was = old.resources?.limits?.["memory"];
  const is = now.resources?.limits?.["memory"];
  const policy = now.resizePolicy?.find((one) => one.resourceName === "memory")?.restartPolicy;
  if (is === undefined || (policy ?? "NotRequired") !== "NotRequired") return;
  const at = `${path}.limits[memory]`;
  if (was !== undefined && compareQuantityTexts(is, was) < 0) {
    const detail = "memory limits cannot be decreased unless resizePolicy is RestartContainer";
    errors.push(forbiddenField(at, detail));
  }
}

function isReduced(
  now: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
  key: "limits" | "requests",
): boolean {
  return Object.keys(old?.[key] ?? {}).some((name) => getKey(now?.[key], name) === undefined);
}
