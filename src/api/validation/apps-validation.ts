// Validation of the apps group: a selector that selects its own template, rollouts that can move, and the parts that stay
// as created (upstream: pkg/apis/apps/validation/validation.go).
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
  StatefulSetSpec,
} from "../types/apps-v1.ts";
import type { PodTemplateSpec, Volume } from "../types/core-v1.ts";
import type { LabelSelector } from "../types/meta-v1.ts";
import {
  checkCountOrPercent,
  checkImmutable,
  checkNotNegative,
  checkNotOver100Percent,
  checkOptional,
  percentOf,
} from "./checks.ts";
import { validateClaimSpec } from "./claim-validation.ts";
import { validateAnnotations, validateLabels } from "./metadata.ts";
import { dns1123Label } from "./names.ts";
import { validatePodTemplate } from "./pod-validation.ts";
import {
  isEmptySelector,
  judgeSelector,
  selectorMisses,
  validateLabelSelector,
} from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { isJsonObject } from "../../std/json.ts";

const labelsPath = "spec.template.metadata.labels";
const statefulSetIsFixed =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const statefulSetMutable: ReadonlySet<string> = new Set([
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
]);

export function validateDeployment(deployment: Deployment, errors: FieldError[]): void {
  const { spec } = deployment;
  errors.push(...checkNotNegative("spec.replicas", spec?.replicas));
  validateSelector(spec?.selector, "deployment", errors);
  validateTemplate(spec, errors);
  validateDeploymentStrategy(deployment, errors);
  errors.push(...checkNotNegative("spec.minReadySeconds", spec?.minReadySeconds));
  errors.push(...checkNotNegative("spec.revisionHistoryLimit", spec?.revisionHistoryLimit));
  const deadline = spec?.progressDeadlineSeconds;
  errors.push(...checkNotNegative("spec.progressDeadlineSeconds", deadline));
  if (deadline !== undefined && deadline <= (spec?.minReadySeconds ?? 0)) {
    const detail = "must be greater than minReadySeconds";
    errors.push(invalidValue("spec.progressDeadlineSeconds", deadline, detail));
  }
}

export function validateDeploymentUpdate(
  deployment: Deployment,
  old: Deployment,
  errors: FieldError[],
): void {
  validateDeployment(deployment, errors);
  errors.push(...checkImmutable("spec.selector", deployment.spec?.selector, old.spec?.selector));
}

export function validateReplicaSet(replicaSet: ReplicaSet, errors: FieldError[]): void {
  const { spec } = replicaSet;
  errors.push(...checkNotNegative("spec.replicas", spec?.replicas));
  errors.push(...checkNotNegative("spec.minReadySeconds", spec?.minReadySeconds));
  // Upstream's word, here too.
  validateSelector(spec?.selector, "deployment", errors);
  validateTemplate(spec, errors);
}

export function validateReplicaSetUpdate(
  replicaSet: ReplicaSet,
  old: ReplicaSet,
  errors: FieldError[],
): void {
  validateReplicaSet(replicaSet, errors);
  errors.push(...checkImmutable("spec.selector", replicaSet.spec?.selector, old.spec?.selector));
}

export function validateDaemonSet(daemonSet: DaemonSet, errors: FieldError[]): void {
  const { spec } = daemonSet;
  validateLabelSelector(spec?.selector, "spec.selector", errors);
  const template: PodTemplateSpec = spec?.template ?? { metadata: {} };
  const labels = template.metadata?.labels;
  if (judgeSelector(spec?.selector, labels) === "misses") {
    errors.push(selectorMisses(labelsPath, labels));
  }
  if (spec?.selector && isEmptySelector(spec.selector)) {
    errors.push(emptySelector(spec.selector, "daemonset"));
  }
  validatePodTemplate(template, "spec.template", errors);
  validateLastingPods(template, "DaemonSet", errors);
  errors.push(...checkNotNegative("spec.minReadySeconds", spec?.minReadySeconds));
  validateDaemonSetStrategy(daemonSet, errors);
  errors.push(...checkNotNegative("spec.revisionHistoryLimit", spec?.revisionHistoryLimit));
}

export function validateDaemonSetUpdate(
  daemonSet: DaemonSet,
  old: DaemonSet,
  errors: FieldError[],
): void {
  errors.push(...checkImmutable("spec.selector", daemonSet.spec?.selector, old.spec?.selector));
  validateDaemonSet(daemonSet, errors);
}

export function validateStatefulSet(statefulSet: StatefulSet, errors: FieldError[]): void {
  validateStatefulSetSpec(statefulSet.spec, errors, freshStatefulSet);
}

/** What never changes is judged when it comes. */
interface StatefulSetScope {
  /** volumeClaimTemplates and serviceName. */
  readonly fixedParts: boolean;
  readonly template: boolean;
}

const freshStatefulSet: StatefulSetScope = { fixedParts: true, template: true };

function validateStatefulSetSpec(
  spec: StatefulSetSpec | undefined,
  errors: FieldError[],
  scope: StatefulSetScope,
): void {
  const management = spec?.podManagementPolicy ?? "";
  if (management === "") errors.push(required("spec.podManagementPolicy"));
  else if (management !== "OrderedReady" && management !== "Parallel") {
    const detail = `must be 'OrderedReady' or 'Parallel'`;
    errors.push(invalidValue("spec.podManagementPolicy", management, detail));
  }
  validateStatefulSetStrategy(spec, errors);
  for (const key of ["whenDeleted", "whenScaled"] as const) {
    const policy = spec?.persistentVolumeClaimRetentionPolicy?.[key];
    const at = `spec.persistentVolumeClaimRetentionPolicy.${key}`;
    if (policy !== undefined && policy !== "Retain" && policy !== "Delete") {
      errors.push(notSupported(at, policy, ["Retain", "Delete"]));
    }
  }
  if (scope.fixedParts) {
    for (const [i, claim] of (spec?.volumeClaimTemplates ?? []).entries()) {
      validateClaimSpec(claim.spec, `spec.volumeClaimTemplates[${i}].spec`, errors);
    }
  }
  errors.push(...checkNotNegative("spec.replicas", spec?.replicas));
  errors.push(...checkNotNegative("spec.minReadySeconds", spec?.minReadySeconds));
  errors.push(...checkNotNegative("spec.ordinals.start", spec?.ordinals?.start));
  if (scope.fixedParts) {
    errors.push(...checkOptional("spec.serviceName", spec?.serviceName, dns1123Label));
  }
  validateSelector(spec?.selector, "statefulset", errors);
  validateStatefulSetTemplate(spec, errors, scope);
}

export function validateStatefulSetUpdate(
  statefulSet: StatefulSet,
  old: StatefulSet,
  errors: FieldError[],
): void {
  // A template that was bad before may stay.
  const before: FieldError[] = [];
  const kept: StatefulSetScope = { fixedParts: false, template: true };
  validateStatefulSetSpec(old.spec, before, kept);
  const scope = { ...kept, template: before.length === 0 };
  validateStatefulSetSpec(statefulSet.spec, errors, scope);
  if (semanticallyEqual(fixedParts(statefulSet.spec), fixedParts(old.spec))) return;
  errors.push(forbiddenField("spec", statefulSetIsFixed));
}

export function validateControllerRevision(
  revision: ControllerRevision,
  errors: FieldError[],
): void {
  errors.push(...checkNotNegative("revision", revision.revision));
  const { data } = revision;
  if (data === undefined || data === null) errors.push(required("data", "data is mandatory"));
  else if (!isJsonObject(data)) errors.push(required("data", "data must be a valid JSON object"));
}

export function validateControllerRevisionUpdate(
  revision: ControllerRevision,
  old: ControllerRevision,
  errors: FieldError[],
): void {
  errors.push(...checkNotNegative("revision", revision.revision));
  errors.push(...checkImmutable("data", revision.data, old.data));
}

function validateSelector(
  selector: LabelSelector | undefined,
  kind: string,
  errors: FieldError[],
): void {
  if (!selector) {
    errors.push(required("spec.selector"));
    return;
  }
  validateLabelSelector(selector, "spec.selector", errors);
  if (isEmptySelector(selector)) {
    errors.push(emptySelector(selector, kind));
  }
}

function emptySelector(selector: LabelSelector, kind: string): FieldError {
  return invalidValue("spec.selector", selector, `empty selector is invalid for ${kind}`);
}

interface Templated {
  readonly selector?: LabelSelector;
  readonly template?: PodTemplateSpec;
}

function validateTemplate(spec: Templated | undefined, errors: FieldError[]): void {
  const { selector, template = { metadata: {} } } = spec ?? {};
  const labels = template.metadata?.labels;
  const verdict = judgeSelector(selector, labels);
  if (verdict === "malformed") {
    errors.push(invalidValue("spec.selector", selector, "invalid label selector"));
    return;
  }
  if (verdict === "misses") errors.push(selectorMisses(labelsPath, labels));
  validatePodTemplate(template, "spec.template", errors);
  validateLastingPods(template, "ReplicaSet", errors);
}

function validateStatefulSetTemplate(
  spec: StatefulSetSpec | undefined,
  errors: FieldError[],
  scope: StatefulSetScope,
): void {
  const template: PodTemplateSpec = spec?.template ?? { metadata: {} };
  const { labels, annotations } = template.metadata ?? {};
  const verdict = judgeSelector(spec?.selector, labels);
  if (verdict === "malformed") errors.push(invalidValue("spec.selector", spec?.selector, ""));
  else {
    if (verdict === "misses") errors.push(selectorMisses(labelsPath, labels));
    if (scope.template) validatePodTemplate(podOfSet(spec, template), "spec.template", errors);
    else {
      validateLabels(labels, "spec.template.labels", errors);
      validateAnnotations(annotations, "spec.template.annotations", errors);
    }
  }
  validateLastingPods(template, "StatefulSet", errors);
}

/** The template as pods get it: claims have become volumes, and the controller names the pod. */
function podOfSet(
  set: StatefulSetSpec | undefined,
  { metadata, spec }: PodTemplateSpec,
): PodTemplateSpec {
  const { hostname: _, subdomain: __, ...rest } = spec ?? {};
  const claims = new Map(
    (set?.volumeClaimTemplates ?? []).map(({ metadata: { name = "" } }): [string, Volume] => [
      name,
      { name, persistentVolumeClaim: { claimName: name } },
    ]),
  );
  const others = (rest.volumes ?? []).filter(({ name }) => !claims.has(name));
  return {
    ...(metadata === undefined ? {} : { metadata }),
    spec: { ...rest, containers: rest.containers ?? [], volumes: [...claims.values(), ...others] },
  } as PodTemplateSpec;
}

/** Pods of these workloads are replaced, never finished. */
function validateLastingPods(template: PodTemplateSpec, kind: string, errors: FieldError[]): void {
  const { restartPolicy = "", activeDeadlineSeconds } = template.spec ?? {};
  if (restartPolicy !== "Always") {
    errors.push(notSupported("spec.template.spec.restartPolicy", restartPolicy, ["Always"]));
  }
  if (activeDeadlineSeconds !== undefined) {
    const at = "spec.template.spec.activeDeadlineSeconds";
    errors.push(forbiddenField(at, `activeDeadlineSeconds in ${kind} is not Supported`));
  }
}

function validateDeploymentStrategy({ spec }: Deployment, errors: FieldError[]): void {
  const strategy = spec?.strategy ?? {};
  const path = "spec.strategy.rollingUpdate";
  if (strategy.type === "Recreate") {
    if (!strategy.rollingUpdate) return;
    const detail = "may not be specified when strategy `type` is 'Recreate'";
    errors.push(forbiddenField(path, detail));
  } else if (strategy.type === "RollingUpdate") {
    const { maxUnavailable, maxSurge } = strategy.rollingUpdate ?? {};
    if (!strategy.rollingUpdate) {
      const detail = "this should be defaulted and never be nil";
      errors.push(required(path, detail));
      return;
    }
    errors.push(...checkCountOrPercent(`${path}.maxUnavailable`, maxUnavailable));
    errors.push(...checkCountOrPercent(`${path}.maxSurge`, maxSurge));
    if (isNone(maxUnavailable) && isNone(maxSurge)) {
      const detail = "may not be 0 when `maxSurge` is 0";
      errors.push(invalidValue(`${path}.maxUnavailable`, maxUnavailable, detail));
    }
    errors.push(...checkNotOver100Percent(`${path}.maxUnavailable`, maxUnavailable));
  } else {
    const types = ["Recreate", "RollingUpdate"];
    errors.push(notSupported("spec.strategy", strategy, types));
  }
}

function validateDaemonSetStrategy({ spec }: DaemonSet, errors: FieldError[]): void {
  const strategy = spec?.updateStrategy ?? {};
  const path = "spec.updateStrategy.rollingUpdate";
  if (strategy.type === "OnDelete") return;
  if (strategy.type !== "RollingUpdate") {
    const types = ["OnDelete", "RollingUpdate"];
    errors.push(notSupported("spec.updateStrategy.type", strategy.type ?? "", types));
    return;
  }
  if (!strategy.rollingUpdate) {
    errors.push(required(path));
    return;
  }
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate;
  errors.push(...checkCountOrPercent(`${path}.maxUnavailable`, maxUnavailable));
  errors.push(...checkCountOrPercent(`${path}.maxSurge`, maxSurge));
  errors.push(...checkNotOver100Percent(`${path}.maxUnavailable`, maxUnavailable));
  errors.push(...checkNotOver100Percent(`${path}.maxSurge`, maxSurge));
  if (!isNone(maxUnavailable) && !isNone(maxSurge)) {
    const detail = "may not be set when maxUnavailable is non-zero";
    errors.push(invalidValue(`${path}.maxSurge`, maxSurge, detail));
  } else if (isNone(maxUnavailable) && isNone(maxSurge)) {
    const detail = "cannot be 0 when maxSurge is 0";
    errors.push(required(`${path}.maxUnavailable`, detail));
  }
}

function validateStatefulSetStrategy(
  spec: StatefulSetSpec | undefined,
  errors: FieldError[],
): void {
  const path = "spec.updateStrategy";
  const { type = "", rollingUpdate } = spec?.updateStrategy ?? {};
  if (type === "") errors.push(required(path));
  else if (type === "OnDelete") {
    if (!rollingUpdate) return;
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    errors.push(invalidValue(`${path}.rollingUpdate`, rollingUpdate, detail));
  } else if (type === "RollingUpdate") {
    const at = `${path}.rollingUpdate`;
    errors.push(...checkNotNegative(`${at}.partition`, rollingUpdate?.partition));
    const maxUnavailable = rollingUpdate?.maxUnavailable;
    errors.push(...checkCountOrPercent(`${at}.maxUnavailable`, maxUnavailable));
    if (maxUnavailable !== undefined && isNone(maxUnavailable)) {
      errors.push(invalidValue(`${at}.maxUnavailable`, maxUnavailable, "cannot be 0"));
    }
    errors.push(...checkNotOver100Percent(`${at}.maxUnavailable`, maxUnavailable));
  } else {
    const detail = "must be 'RollingUpdate' or 'OnDelete'";
    errors.push(invalidValue(path, spec?.updateStrategy, detail));
  }
}

function isNone(value: number | string | undefined): boolean {
  return (typeof value === "string" ? percentOf(value) : (value ?? 0)) === 0;
}

function fixedParts(spec: StatefulSetSpec | undefined): Record<string, unknown> {
  const entries = Object.entries(spec ?? {}).filter(([key]) => !statefulSetMutable.has(key));
  return Object.fromEntries(entries);
}
