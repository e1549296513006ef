// Starts Jobs at their times. Woken by its own timer, by changes of the CronJob, and by its Jobs.
import type { Client } from "../../client/client.ts";
import { type Served, keyOf, refOf } from "../../client/served-object.ts";
import type { CronJob, Job } from "../../api/types/batch-v1.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { byController, controllerOf } from "../../informer/index-functions.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { CronJobApplier } from "./apply.ts";
import { outcomeOf, planCronJob } from "./plan.ts";

const workers = 5;

export function createCronJobController(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf("cronjob-controller");
  const applier = new CronJobApplier(client, context.recorderOf("cronjob-controller", client));
  const cronJobs = informers.of("cronjobs.batch");
  const jobs = informers.of("jobs.batch", [byController]);
  const controller = new Controller(host, {
    name: "cronjob-controller",
    workers,
    retry: retryUsual,
    async sync(key): Promise<SyncOutcome | void> {
      const known = cronJobs.lister.find(key);
      if (known === undefined) return;
      const own = jobs.lister.by(byController, known.metadata.uid);
      // A Job that is not in the list was started by a sync whose status the informer does not show yet.
      const cronJob = hasUnlisted(known, own)
        ? await client.resource("cronjobs.batch").find(refOf(known))
        : known;
      if (cronJob?.metadata.uid !== known.metadata.uid) return;
      const missing = await missingOf(client, cronJob, own);
      const now = host.clock.now();
      const plan = planCronJob({ cronJob, jobs: own, missing, now });
      await applier.apply(cronJob, plan);
      const { requeueAfterMs } = plan;
      if (requeueAfterMs !== undefined) return { requeueAfterMs };
    },
  });
  controller.watch(cronJobs, ({ object }) => [keyOf(object)]);
  controller.watch(jobs, ({ object }) => {
    const owner = controllerOf(object);
    return owner?.kind === "CronJob" ? [`${object.metadata.namespace ?? ""}/${owner.name}`] : [];
  });
  return controller;
}

function hasUnlisted({ status }: CronJob, jobs: readonly Readonly<Served<Job>>[]): boolean {
  const listed = new Set((status?.active ?? []).map(({ uid }) => uid));
  return jobs.some((job) => outcomeOf(job) === undefined && !listed.has(job.metadata.uid));
}

/** UIDs in status.active of Jobs that are gone, not only late in the informer. */
async function missingOf(
  client: Client,
  cronJob: Readonly<Served<CronJob>>,
  jobs: readonly Readonly<Served<Job>>[],
): Promise<ReadonlySet<string>> {
  const known = new Set(jobs.map(({ metadata }) => metadata.uid));
  const missing = new Set<string>();
  for (const { namespace, name = "", uid = "" } of cronJob.status?.active ?? []) {
    if (known.has(uid)) continue;
    const live = await client.resource("jobs.batch").find({ namespace, name });
    if (live?.metadata.uid !== uid) missing.add(uid);
  }
  return missing;
}
