// Validation of CronJobs: schedules, time zones, and the Jobs that are made of them (upstream:
// pkg/apis/batch/validation/validation.go).
import { type FieldError, invalidValue, notSupported, required } from "../meta/field-error.ts";
import type { CronJob } from "../types/batch-v1.ts";
import { checkNotNegative, checkOneOf } from "./checks.ts";
import { ScheduleError, parseSchedule } from "../cron-schedule.ts";
import { validateJobSpec } from "./job-validation.ts";
import { findTimeZone } from "../../std/time-zone.ts";

const concurrencyPolicies = ["Allow", "Forbid", "Replace"];
/** Leaves room for the suffix of its Jobs' names. */
const cronJobNameMax = 52;

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
