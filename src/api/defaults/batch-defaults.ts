// Defaults of the batch group (upstream: pkg/apis/batch/v1/defaults.go). A CronJob's template gets pod defaults only;
// the Jobs made from it get the rest.
import type { CronJob, Job, JobSpec } from "../types/batch-v1.ts";
import { defaultPodTemplate } from "./pod-defaults.ts";

const backoffLimit = 6;
const maxInt32 = 2_147_483_647;

export function defaultJob(job: Job): void {
  const spec = (job.spec ??= { template: { metadata: {} } });
  defaultJobTemplate(spec);
  // A work queue says its parallelism and leaves completions open; a Job that says neither runs one pod once.
  if (spec.parallelism === undefined) {
    spec.completions ??= 1;
    spec.parallelism = 1;
  }
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? backoffLimit : maxInt32;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  const labels = spec.template.metadata?.labels;
  if (labels && Object.keys(job.metadata.labels ?? {}).length === 0) {
    job.metadata.labels = { ...labels };
  }
}

/** The selector and template labels a Job without manualSelector gets from its uid (upstream: batch/job strategy). */
export function defaultJobSelector(job: Job, uid: string): void {
  const { spec } = job;
  if (!spec || spec.manualSelector === true) return;
  const labels = ((spec.template.metadata ??= {}).labels ??= {});
  for (const key of ["batch.kubernetes.io/controller-uid", "controller-uid"]) labels[key] ??= uid;
  for (const key of ["batch.kubernetes.io/job-name", "job-name"]) {
    labels[key] ??= job.metadata.name ?? "";
  }
  const selector = (spec.selector ??= {});
  (selector.matchLabels ??= {})["batch.kubernetes.io/controller-uid"] ??= uid;
}

export function defaultCronJob(cronJob: CronJob): void {
  const spec = (cronJob.spec ??= { schedule: "", jobTemplate: { metadata: {} } });
  const jobTemplate = (spec.jobTemplate ??= { metadata: {} });
  defaultJobTemplate((jobTemplate.spec ??= { template: { metadata: {} } }));
  spec.concurrencyPolicy ||= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}

function defaultJobTemplate(spec: JobSpec): void {
  defaultPodTemplate((spec.template ??= { metadata: {} }));
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= "True";
  }
}
