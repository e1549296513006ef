// Validation of Jobs and CronJobs: counts, policies, schedules, and what stays once a Job exists (upstream:
// pkg/apis/batch/validation/validation.go).
import { type FieldError, invalidValue, notSupported, required } from "../meta/field-error.ts";
import type { CronJob, Job, JobSpec, PodFailurePolicyRule } from "../types/batch-v1.ts";
import type { PodTemplateSpec } from "../types/core-v1.ts";
import { checkImmutable, checkNotNegative, checkOneOf, checkOptionalOneOf } from "./checks.ts";
import { ScheduleError, parseSchedule } from "../cron-schedule.ts";
import { validatePodTemplate } from "./pod-validation.ts";
import { isEmptySelector, selectsLabels, validateLabelSelector } from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { findTimeZone } from "../../std/time-zone.ts";

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;
const failureActions = ["Count", "FailIndex", "FailJob", "Ignore"];
const replacementPolicies = ["Failed", "TerminatingOrFailed"];
const concurrencyPolicies = ["Allow", "Forbid", "Replace"];
const completionModes = ["Indexed", "NonIndexed"];
const restartPolicies = ["OnFailure", "Never"];
const indexedParallelismMax = 100_000;
const failureRulesMax = 20;
/** Leaves room for the suffix of its Jobs' names. */
const cronJobNameMax = 52;

export function validateJob(job: Job, errors: FieldError[]): void {
  const spec = job.spec ?? { template: { metadata: {} } };
  validateJobSpec(spec, "spec", errors);
  const { selector } = spec;
  if (!selector) errors.push(required("spec.selector"));
  else validateLabelSelector(selector, "spec.selector", errors);
  const labels = spec.template?.metadata?.labels ?? {};
  if (selector && !isEmptySelector(selector) && !selectsLabels(selector, labels)) {
    const detail = "`selector` does not match template `labels`";
    errors.push(invalidValue("spec.template.metadata.labels", labels, detail));
  }
}

export function validateJobUpdate(job: Job, old: Job, errors: FieldError[]): void {
  const before = old.spec ?? { template: { metadata: {} } };
  const after = job.spec ?? { template: { metadata: {} } };
  validateJobSpec(after, "spec", errors);
  // Elastic indexed Jobs (KEP-3715) may change how many there are, together with how many at a time.
  const isElastic = after.completionMode === "Indexed" && after.completions === after.parallelism;
  if (!isElastic) {
    errors.push(...checkImmutable("spec.completions", after.completions, before.completions));
  }
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

export function validateCronJobCreate(cronJob: CronJob, errors: FieldError[]): void {
  validateCronJob(cronJob, errors);
  const { name = "" } = cronJob.metadata;
  if (name.length > cronJobNameMax) {
    const detail = `must be no more than ${cronJobNameMax} characters`;
    errors.push(invalidValue("metadata.name", name, detail));
  }
}

export function validateCronJob(cronJob: CronJob, errors: FieldError[]): void {
  const { spec } = cronJob;
  const schedule = spec?.schedule ?? "";
  if (schedule === "") errors.push(required("spec.schedule"));
  else {
    // What is wrong with a zone in it is said below.
    const complaint = scheduleComplaint(schedule.replace(/^(?:TZ|CRON_TZ)=\S+\s+/, ""));
    if (complaint !== undefined) errors.push(invalidValue("spec.schedule", schedule, complaint));
    if (schedule.includes("TZ")) {
      const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
      errors.push(invalidValue("spec.schedule", schedule, detail));
    }
  }
  const deadline = spec?.startingDeadlineSeconds;
  errors.push(...checkNotNegative("spec.startingDeadlineSeconds", deadline));
  validateTimeZone(spec?.timeZone, errors);
  errors.push(
    ...checkOneOf("spec.concurrencyPolicy", spec?.concurrencyPolicy, concurrencyPolicies),
  );
  const jobSpec = spec?.jobTemplate?.spec ?? { template: { metadata: {} } };
  validateJobSpec(jobSpec, "spec.jobTemplate.spec", errors);
  if (jobSpec.manualSelector === true) {
    const at = "spec.jobTemplate.spec.manualSelector";
    errors.push(notSupported(at, true, ["nil", "false"]));
  }
  for (const key of ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] as const) {
    errors.push(...checkNotNegative(`spec.${key}`, spec?.[key]));
  }
}

function validateJobSpec(spec: JobSpec, path: string, errors: FieldError[]): void {
  for (const key of counts) errors.push(...checkNotNegative(`${path}.${key}`, spec[key]));
  validateIndexed(spec, path, errors);
  const mode = spec.completionMode;
  errors.push(...checkOptionalOneOf(`${path}.completionMode`, mode, completionModes));
  validatePolicies(spec, path, errors);
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

function validateIndexed(spec: JobSpec, path: string, errors: FieldError[]): void {
  if (spec.completionMode === "Indexed") {
    if (spec.completions === undefined) {
      const detail = "when completion mode is Indexed";
      errors.push(required(`${path}.completions`, detail));
    }
    const parallelism = spec.parallelism ?? 0;
    if (parallelism > indexedParallelismMax) {
      const detail = `must be less than or equal to ${indexedParallelismMax} when completion mode is Indexed`;
      errors.push(invalidValue(`${path}.parallelism`, parallelism, detail));
    }
    return;
  }
  if (spec.backoffLimitPerIndex !== undefined) {
    const detail = "requires indexed completion mode";
    errors.push(invalidValue(`${path}.backoffLimitPerIndex`, spec.backoffLimitPerIndex, detail));
  }
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    const detail = "when maxFailedIndexes is specified";
    errors.push(required(`${path}.backoffLimitPerIndex`, detail));
  }
}

function validatePolicies(spec: JobSpec, path: string, errors: FieldError[]): void {
  const replacement = spec.podReplacementPolicy;
  const at = `${path}.podReplacementPolicy`;
  errors.push(...checkOptionalOneOf(at, replacement, replacementPolicies));
  if (spec.podFailurePolicy && replacement !== undefined && replacement !== "Failed") {
    errors.push(notSupported(at, replacement, ["Failed"]));
  }
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = `${path}.podFailurePolicy.rules`;
  if (rules.length > failureRulesMax) {
    errors.push({
      reason: "FieldValueTooMany",
      field: rulesPath,
      value: rules.length,
      detail: `must have at most ${failureRulesMax} items`,
    });
  }
  for (const [i, rule] of rules.entries()) {
    validateFailureRule(rule, `${rulesPath}[${i}]`, errors);
  }
  if (spec.successPolicy && spec.completionMode !== "Indexed") {
    const detail = "requires indexed completion mode";
    errors.push(invalidValue(`${path}.successPolicy`, spec.successPolicy, detail));
  }
  if (spec.successPolicy && (spec.successPolicy.rules ?? []).length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    errors.push(required(`${path}.successPolicy.rules`, detail));
  }
}

function validateFailureRule(rule: PodFailurePolicyRule, path: string, errors: FieldError[]): void {
  errors.push(...checkOneOf(`${path}.action`, rule.action, failureActions));
  const { onExitCodes, onPodConditions } = rule;
  const hasConditions = (onPodConditions ?? []).length > 0;
  if (onExitCodes && hasConditions) {
    const detail = "specifying both OnExitCodes and OnPodConditions is not supported";
    errors.push(invalidValue(path, rule, detail));
  }
  if (!onExitCodes && !hasConditions) {
    const detail = "specifying one of OnExitCodes and OnPodConditions is required";
    errors.push(invalidValue(path, rule, detail));
  }
  if (!onExitCodes) return;
  const { operator } = onExitCodes;
  // The decoder leaves null for a required list that is empty.
  const values = onExitCodes.values ?? [];
  const at = `${path}.onExitCodes`;
  errors.push(...checkOneOf(`${at}.operator`, operator, ["In", "NotIn"]));
  if (values.length === 0) {
    errors.push(invalidValue(`${at}.values`, values, "at least one value is required"));
  }
  for (const [i, value] of values.entries()) {
    if (value !== 0 || operator !== "In") continue;
    errors.push(invalidValue(`${at}.values[${i}]`, value, "must not be 0 for the In operator"));
  }
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

function scheduleComplaint(schedule: string): string | undefined {
  try {
    parseSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

/** A part of a name between slashes. */
const zonePart = /^(?!\.{1,2}$|-)[A-Za-z._0-9+-]{1,14}$/;

function validateTimeZone(timeZone: string | undefined, errors: FieldError[]): void {
  if (timeZone === undefined) return;
  const refuse = (why: string): unknown =>
    errors.push(invalidValue("spec.timeZone", timeZone, why));
  const unknown = `unknown time zone ${timeZone}`;
  if (timeZone === "") refuse("timeZone must be nil or non-empty string");
  else if (!timeZone.split("/").every((part) => zonePart.test(part))) refuse(unknown);
  else if (timeZone.toLowerCase() === "local")
    refuse("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
  else if (findTimeZone(timeZone) === undefined) refuse(unknown);
}
