// Makes and removes a CronJob's Jobs, and writes its status.
import type { CronJob, CronJobStatus, Job } from "../../api/types/batch-v1.ts";
import type { ObjectReference } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import { hasCause, reasonOf } from "../../client/reason.ts";
import { type ObjectRef, type Served, refOf } from "../../client/served-object.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import { copyJson, equalJson } from "../../std/json.ts";
import { timestamp } from "../pods/timestamp.ts";
import { utc, zonedText } from "../../std/time-zone.ts";
import { type CronPlan, jobName, outcomeOf, zoneOf } from "./plan.ts";
import { messageOf } from "../../std/error-message.ts";

export class CronJobApplier {
  readonly #client: Client;
  readonly #events: EventRecorder;

  constructor(client: Client, events: EventRecorder) {
    this.#client = client;
    this.#events = events;
  }

  async apply(cronJob: Readonly<Served<CronJob>>, plan: CronPlan): Promise<void> {
    for (const { type, reason, message } of plan.events)
      this.#events.event(cronJob, type, reason, message);
    for (const job of plan.remove) await this.#delete(cronJob, refOf(job));
    let { status } = plan;
    if (plan.start !== undefined) {
      for (const { namespace, name = "" } of plan.replace)
        await this.#delete(cronJob, { namespace, name });
      const kept = plan.replace.length > 0 ? [] : (status.active ?? []);
      const reference = await this.#start(cronJob, plan.start);
      const active = reference === undefined ? kept : [...kept, reference];
      const { active: _, ...rest } = status;
      status = {
        ...(active.length > 0 ? { active } : {}),
        ...rest,
        lastScheduleTime: timestamp(plan.start),
      };
    }
    await this.#writeStatus(cronJob, status);
  }

  async #start(
    cronJob: Readonly<Served<CronJob>>,
    start: number,
  ): Promise<ObjectReference | undefined> {
    const jobs = this.#client.resource("jobs.batch");
    try {
      const made = await jobs.create(jobOf(cronJob, start));
      const message = `Created job ${made.metadata.name}`;
      this.#events.event(cronJob, "Normal", "SuccessfulCreate", message);
      return referenceOf(made);
    } catch (error) {
      if (hasCause(error, "NamespaceTerminating")) throw error;
      if (reasonOf(error) !== "AlreadyExists") {
        const text = messageOf(error);
        this.#events.event(cronJob, "Warning", "FailedCreate", `Error creating job: ${text}`);
        throw error;
      }
      // Made by an earlier sync whose status was not written.
      const { namespace } = cronJob.metadata;
      const there = await jobs.get({ namespace, name: jobName(cronJob, start) });
      const ours = there.metadata.ownerReferences?.some(({ uid }) => uid === cronJob.metadata.uid);
      if (ours !== true) throw error;
      return outcomeOf(there) === undefined ? referenceOf(there) : undefined;
    }
  }

  async #delete(cronJob: Readonly<Served<CronJob>>, ref: ObjectRef): Promise<void> {
    try {
      await this.#client.resource("jobs.batch").delete(ref, { propagationPolicy: "Background" });
      this.#events.event(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${ref.name}`);
    } catch (error) {
      if (reasonOf(error) === "NotFound") return;
      const text = messageOf(error);
      this.#events.event(cronJob, "Warning", "FailedDelete", `Deleted job: ${text}`);
      throw error;
    }
  }

  async #writeStatus(cronJob: Readonly<Served<CronJob>>, status: CronJobStatus): Promise<void> {
    if (equalJson(status, cronJob.status ?? {})) return;
    await this.#client.resource("cronjobs.batch").updateStatus({ ...cronJob, status });
  }
}

function jobOf(cronJob: Readonly<Served<CronJob>>, start: number): Job {
  const { namespace = "", name, uid } = cronJob.metadata;
  const template = copyJson(cronJob.spec?.jobTemplate ?? { metadata: {} });
  const { labels = {}, annotations = {} } = template.metadata ?? {};
  const controller = { controller: true, blockOwnerDeletion: true };
  return {
    metadata: {
      name: jobName(cronJob, start),
      namespace,
      labels,
      annotations: {
        ...annotations,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": zonedText(start, zoneOf(cronJob) ?? utc),
      },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "CronJob", name, uid, ...controller }],
    },
    ...(template.spec === undefined ? {} : { spec: template.spec }),
  };
}

function referenceOf({ metadata }: Served<Job>): ObjectReference {
  const { namespace = "", name, uid, resourceVersion } = metadata;
  return { kind: "Job", namespace, name, uid, apiVersion: "batch/v1", resourceVersion };
}
