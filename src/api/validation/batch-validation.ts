// Validation of Jobs and CronJobs: counts, policies, schedules, and what stays once a Job exists (upstream:
// pkg/apis/batch/validation/validation.go).
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  invalidWithoutValue,
  notSupported,
  required,
  tooMany,
} from "../meta/field-error.ts";
import type {
  CronJob,
  Job,
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "../types/batch-v1.ts";
import type { PodTemplateSpec } from "../types/core-v1.ts";
import {
  checkImmutable,
  checkNotNegative,
  checkOneOf,
  checkOptionalOneOf,
  invalidEach,
} from "./checks.ts";
import { ScheduleError, parseSchedule } from "../cron-schedule.ts";
import { validatePodTemplate } from "./pod-validation.ts";
import { dns1123Label, qualifiedName } from "./names.ts";
import { judgeSelector, selectorMisses, validateLabelSelector } from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { getKey } from "../../std/json.ts";
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
const completionModes = ["NonIndexed", "Indexed"];
const conditionStatuses = ["False", "True", "Unknown"];
const restartPolicies = ["OnFailure", "Never"];
const indexesMax = 100_000;
/** Of those that go beyond: how many pods at a time, how many failed indexes. */
const largeJobMax = 10_000;
/** Of a policy; of the conditions of a rule, too. */
const rulesMax = 20;
const exitCodesMax = 255;
const uidLabel = "batch.kubernetes.io/controller-uid";
const jobNameLabel = "batch.kubernetes.io/job-name";
/** From before labels of Kubernetes had a prefix. */
const legacyLabels = ["controller-uid", "job-name"];
const ownLabels = [...legacyLabels, uidLabel, jobNameLabel];
/** Leaves room for the suffix of its Jobs' names. */
const cronJobNameMax = 52;

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

const atMost = (max: number): string => `must be less than or equal to ${max}`;

function validatePolicies(spec: JobSpec, path: string, errors: FieldError[]): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = `${path}.podFailurePolicy.rules`;
  if (rules.length > rulesMax) errors.push(tooMany(rulesPath, rules.length, rulesMax));
  for (const [i, rule] of rules.entries()) {
    validateFailureRule(rule, `${rulesPath}[${i}]`, { spec, errors });
  }
  if (spec.successPolicy && spec.completionMode !== "Indexed") {
    const detail = "requires indexed completion mode";
    errors.push(invalidValue(`${path}.successPolicy`, spec.successPolicy, detail));
  } else if (spec.successPolicy) {
    validateSuccessRules(spec, `${path}.successPolicy.rules`, errors);
  }
  const allowed = spec.podFailurePolicy ? ["Failed"] : replacementPolicies;
  const at = `${path}.podReplacementPolicy`;
  errors.push(...checkOptionalOneOf(at, spec.podReplacementPolicy, allowed));
}

function validateSuccessRules(spec: JobSpec, path: string, errors: FieldError[]): void {
  const rules = spec.successPolicy?.rules ?? [];
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    errors.push(required(path, detail));
  }
  if (rules.length > rulesMax) errors.push(tooMany(path, rules.length, rulesMax));
  for (const [i, { succeededCount, succeededIndexes }] of rules.entries()) {
    const at = `${path}[${i}]`;
    if (succeededCount === undefined && succeededIndexes === undefined) {
      const detail = "at least one of succeededCount or succeededIndexes must be specified";
      errors.push(required(at, detail));
    }
    errors.push(...checkNotNegative(`${at}.succeededCount`, succeededCount));
    const completions = spec.completions ?? 0;
    if (succeededCount !== undefined && succeededCount > completions) {
      const detail = `${atMost(completions)} (the number of specified completions)`;
      errors.push(invalidValue(`${at}.succeededCount`, succeededCount, detail));
    }
  }
}

interface FailureScope {
  readonly spec: JobSpec;
  readonly errors: FieldError[];
}

function validateFailureRule(
  rule: PodFailurePolicyRule,
  path: string,
  { spec, errors }: FailureScope,
): void {
  errors.push(...checkListed(`${path}.action`, rule.action, failureActions));
  if (rule.action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    const detail = "requires the backoffLimitPerIndex to be set";
    errors.push(invalidValue(`${path}.action`, rule.action, detail));
  }
  const { onExitCodes, onPodConditions = [] } = rule;
  if (onExitCodes) validateExitCodes(onExitCodes, `${path}.onExitCodes`, { spec, errors });
  if (onPodConditions.length > rulesMax) {
    errors.push(tooMany(`${path}.onPodConditions`, onPodConditions.length, rulesMax));
  }
  for (const [i, { type, status }] of onPodConditions.entries()) {
    const at = `${path}.onPodConditions[${i}]`;
    errors.push(...invalidEach(`${at}.type`, type, qualifiedName(type)));
    errors.push(...checkListed(`${at}.status`, status, conditionStatuses));
  }
  if (onExitCodes && onPodConditions.length > 0) {
    const detail = "specifying both OnExitCodes and OnPodConditions is not supported";
    errors.push(invalidWithoutValue(path, detail));
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    const detail = "specifying one of OnExitCodes and OnPodConditions is required";
    errors.push(invalidWithoutValue(path, detail));
  }
}

function validateExitCodes(
  { containerName, operator, ...codes }: PodFailurePolicyOnExitCodesRequirement,
  path: string,
  { spec, errors }: FailureScope,
): void {
  // The decoder leaves null for a required list that is empty.
  const values = codes.values ?? [];
  errors.push(...checkListed(`${path}.operator`, operator, ["In", "NotIn"]));
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const isKnown = [...(containers ?? []), ...initContainers].some(
    ({ name }) => name === containerName,
  );
  if (containerName !== undefined && !isKnown) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.push(invalidValue(`${path}.containerName`, containerName, detail));
  }
  if (values.length === 0) {
    errors.push(invalidValue(`${path}.values`, values, "at least one value is required"));
  }
  if (values.length > exitCodesMax) {
    errors.push(tooMany(`${path}.values`, values.length, exitCodesMax));
  }
  const seen = new Set<number>();
  for (const [i, value] of values.entries()) {
    const at = `${path}.values[${i}]`;
    if (value === 0 && operator === "In") {
      errors.push(invalidValue(at, value, "must not be 0 for the In operator"));
    }
    if (seen.has(value)) errors.push(duplicateValue(at, value));
    seen.add(value);
  }
  if (values.some((value, i) => i > 0 && values[i - 1]! > value)) {
    errors.push(invalidValue(`${path}.values`, values, "must be ordered"));
  }
}

/** Required, and one of `allowed`, which are named also when nothing is there. */
function checkListed(
  path: string,
  text: string | undefined,
  allowed: readonly string[],
): readonly FieldError[] {
  if (text !== undefined && text !== "") return checkOneOf(path, text, allowed);
  const list = allowed.map((word) => JSON.stringify(word)).join(" ");
  return [required(path, `valid values: [${list}]`)];
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
