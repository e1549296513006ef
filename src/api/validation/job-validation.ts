// Validation of Jobs: counts, pod templates, and what stays once a Job exists (upstream:
// pkg/apis/batch/validation/validation.go).
import { type FieldError, invalidValue, notSupported, required } from "../meta/field-error.ts";
import type { Job, JobSpec } from "../types/batch-v1.ts";
import type { PodTemplateSpec } from "../types/core-v1.ts";
import { atMost, checkImmutable, checkNotNegative, checkOptionalOneOf } from "./checks.ts";
import { validateJobPolicies } from "./job-policy-validation.ts";
import { dns1123Label } from "./names.ts";
import { validatePodTemplate } from "./pod-validation.ts";
import { judgeSelector, selectorMisses, validateLabelSelector } from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { getKey } from "../../std/json.ts";

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;
const completionModes = ["NonIndexed", "Indexed"];
const restartPolicies = ["OnFailure", "Never"];
const indexesMax = 100_000;
/** Of those that go beyond: how many pods at a time, how many failed indexes. */
const largeJobMax = 10_000;
const uidLabel = "batch.kubernetes.io/controller-uid";
const jobNameLabel = "batch.kubernetes.io/job-name";
/** From before labels of Kubernetes had a prefix. */
const legacyLabels = ["controller-uid", "job-name"];
const ownLabels = [...legacyLabels, uidLabel, jobNameLabel];

export function validateJob(job: Job, errors: FieldError[]): void {
  judgeJob(job, errors, { prefixedLabels: true });
}

export function validateJobUpdate(job: Job, old: Job, errors: FieldError[]): void {
  const before = old.spec ?? { template: { metadata: {} } };
  const after = job.spec ?? { template: { metadata: {} } };
  const labels = before.template?.metadata?.labels ?? {};
  const prefixedLabels = labels[jobNameLabel] !== undefined && labels[uidLabel] !== undefined;
  judgeJob(job, errors, { prefixedLabels });
  validateCompletionsUpdate(after, before, errors);
  errors.push(...checkImmutable("spec.selector", after.selector, before.selector));
  validateTemplateUpdate(after, before, { wasStarted: old.status?.startTime != null, errors });
  for (const key of [
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
  ] as const) {
    errors.push(...checkImmutable(`spec.${key}`, after[key], before[key]));
  }
}

function judgeJob(
  job: Job,
  errors: FieldError[],
  { prefixedLabels }: { prefixedLabels: boolean },
): void {
  const spec = job.spec ?? { template: { metadata: {} } };
  const { selector } = spec;
  if (selector && spec.manualSelector !== true) {
    validateGeneratedSelector(job, prefixedLabels ? ownLabels : legacyLabels, errors);
  }
  validateJobSpec(spec, "spec", errors);
  if (!selector) errors.push(required("spec.selector"));
  else validateLabelSelector(selector, "spec.selector", errors);
  const labels = spec.template?.metadata?.labels;
  if (judgeSelector(selector, labels) === "misses") {
    errors.push(selectorMisses("spec.template.metadata.labels", labels));
  }
  validatePodNames(job, errors);
}

/** A Job that selects for itself has its uid and name on the template and in the selector. */
function validateGeneratedSelector(job: Job, names: readonly string[], errors: FieldError[]): void {
  const { uid = "", name = "" } = job.metadata;
  const labels = job.spec?.template?.metadata?.labels;
  const wanted: Record<string, string> = {};
  for (const key of names) {
    const value = key.endsWith("uid") ? uid : name;
    wanted[key] = value;
    const at = `spec.template.metadata.labels[${key}]`;
    const found = getKey(labels, key);
    if (found === undefined) errors.push(required(at, `must be '${value}'`));
    else if (found !== value) errors.push(invalidValue(at, labels, `must be '${value}'`));
  }
  if (judgeSelector(job.spec?.selector, wanted) !== "misses") return;
  errors.push(invalidValue("spec.selector", job.spec?.selector, "`selector` not auto-generated"));
}

/** The pods of an indexed Job are called by its name and their index. */
function validatePodNames({ metadata: { name = "" }, spec }: Job, errors: FieldError[]): void {
  const completions = spec?.completions ?? 0;
  if (spec?.completionMode !== "Indexed" || completions <= 0) return;
  const last = `${name}-${completions - 1}`;
  if (dns1123Label(last).length === 0) return;
  const detail = `will not able to create pod with invalid DNS label: ${last}`;
  errors.push(invalidValue("metadata.name", name, detail));
}

/** Elastic indexed Jobs (KEP-3715) may change how many there are, together with how many at a time. */
function validateCompletionsUpdate(after: JobSpec, before: JobSpec, errors: FieldError[]): void {
  const { completions } = after;
  if (after.completionMode !== "Indexed") {
    errors.push(...checkImmutable("spec.completions", completions, before.completions));
    return;
  }
  if (completions === undefined || completions === before.completions) return;
  if (completions === after.parallelism) return;
  const detail = "can only be modified in tandem with spec.parallelism";
  errors.push(invalidValue("spec.completions", completions, detail));
}

export function validateJobSpec(spec: JobSpec, path: string, errors: FieldError[]): void {
  for (const key of counts) errors.push(...checkNotNegative(`${path}.${key}`, spec[key]));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    const detail = "when maxFailedIndexes is specified";
    errors.push(required(`${path}.backoffLimitPerIndex`, detail));
  }
  const mode = spec.completionMode;
  errors.push(...checkOptionalOneOf(`${path}.completionMode`, mode, completionModes));
  if (mode === "Indexed") validateIndexed(spec, path, errors);
  if (mode === undefined || mode === "NonIndexed") {
    for (const key of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[key] === undefined) continue;
      errors.push(invalidValue(`${path}.${key}`, spec[key], "requires indexed completion mode"));
    }
  }
  validateJobPolicies(spec, path, errors);
  const template: PodTemplateSpec = spec.template ?? { metadata: {} };
  validatePodTemplate(template, `${path}.template`, errors);
  const { restartPolicy = "" } = template.spec ?? {};
  const at = `${path}.template.spec.restartPolicy`;
  if (restartPolicy === "" || restartPolicy === "Always") {
    // Always is what a template gets when it says nothing, so its author hears that something is missing.
    errors.push(required(at, 'valid values: "OnFailure", "Never"'));
  } else if (!restartPolicies.includes(restartPolicy)) {
    errors.push(notSupported(at, restartPolicy, restartPolicies));
  } else if (spec.podFailurePolicy && restartPolicy !== "Never") {
    const detail = 'only "Never" is supported when podFailurePolicy is specified';
    errors.push(invalidValue(at, restartPolicy, detail));
  }
}

/** How large indexed Jobs may be: what they track of their indexes must fit into their status. */
function validateIndexed(spec: JobSpec, path: string, errors: FieldError[]): void {
  const { completions, parallelism = 0, maxFailedIndexes = -1 } = spec;
  const refuse = (key: "parallelism" | "maxFailedIndexes", detail: string): unknown =>
    errors.push(invalidValue(`${path}.${key}`, spec[key], detail));
  if (completions === undefined) {
    errors.push(required(`${path}.completions`, "when completion mode is Indexed"));
  }
  if (parallelism > indexesMax) {
    refuse("parallelism", `${atMost(indexesMax)} when completion mode is Indexed`);
  }
  if (completions !== undefined && maxFailedIndexes > completions) {
    refuse("maxFailedIndexes", "must be less than or equal to completions");
  }
  if (maxFailedIndexes > indexesMax) refuse("maxFailedIndexes", atMost(indexesMax));
  if ((completions ?? 0) <= indexesMax || spec.backoffLimitPerIndex === undefined) return;
  if (spec.maxFailedIndexes === undefined) {
    const detail = `must be specified when completions is above ${indexesMax}`;
    errors.push(required(`${path}.maxFailedIndexes`, detail));
  }
  const why = `${atMost(largeJobMax)} when completions are above ${indexesMax} and used with backoff limit per index`;
  if (parallelism > largeJobMax) refuse("parallelism", why);
  if (maxFailedIndexes > largeJobMax) refuse("maxFailedIndexes", why);
}

/** While it has never run, a suspended Job's pods may still be steered elsewhere (KEP-2926). */
function validateTemplateUpdate(
  after: JobSpec,
  before: JobSpec,
  { wasStarted, errors }: { wasStarted: boolean; errors: FieldError[] },
): void {
  const isSteerable = before.suspend === true && !wasStarted;
  const now = isSteerable ? withoutSteering(after.template) : after.template;
  const was = isSteerable ? withoutSteering(before.template) : before.template;
  if (semanticallyEqual(now, was)) return;
  errors.push(...checkImmutable("spec.template", after.template, before.template));
}

function withoutSteering(template: PodTemplateSpec): unknown {
  const { metadata, spec } = template;
  const { labels: _, annotations: __, ...meta } = metadata ?? {};
  if (!spec) return { metadata: meta };
  const {
    nodeSelector: _selector,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ...rest
  } = spec;
  const { affinity, ...others } = rest;
  const { nodeAffinity: _affinity, ...steady } = affinity ?? {};
  return { metadata: meta, spec: { ...others, affinity: steady } };
}
