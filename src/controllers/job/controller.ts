// Runs Jobs to their end. Here is the wiring: what wakes a Job, and what is gathered for a sync. plan.ts and counting.ts
// say what a Job is; presence.ts what it was before 1.25.
import { labelSelectorOf, matchesLabels } from "../../api/meta/label-selector.ts";
import { unknownError } from "../../api/meta/errors.ts";
import type { Job } from "../../api/types/batch-v1.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import { type Served, keyOf } from "../../client/served-object.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext, ComponentFactory } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { byController, byNamespace, controllerOf } from "../../informer/index-functions.ts";
import type { Change, Informer } from "../../informer/informer.ts";
import type { WorkMeter } from "../../informer/work-meter.ts";
import { equalJson } from "../../std/json.ts";
import { orphans } from "../pods/controller-ref.ts";
import { JobApplier, removeTracking } from "./apply.ts";
import { claimPods } from "./claim.ts";
import { isFinished } from "./conditions.ts";
import { JobMemory } from "./memory.ts";
import { planJob } from "./plan.ts";
import { isTracked } from "./pods.ts";
import { planByPresence } from "./presence.ts";
import { type JobProfile, builtInManager, jobProfile136 } from "./profile.ts";

const workers = 5;

export const createJobController: ComponentFactory = jobController(jobProfile136);

export function jobController(profile: JobProfile): ComponentFactory {
  return (context) => new JobController(context, profile);
}

class JobController implements Component {
  readonly #host: Host;
  readonly #client: Client;
  readonly #profile: JobProfile;
  readonly #memory: JobMemory;
  readonly #meter: WorkMeter;
  readonly #applier: JobApplier;
  readonly #jobs: Informer<Job>;
  readonly #pods: Informer<Pod>;
  readonly #controller: Controller;
  /** Keys of pods that wait for a Job which is gone or finished. */
  readonly #orphans: Controller;

  constructor(context: ComponentContext, profile: JobProfile) {
    const { host, informers } = context;
    this.#host = host;
    this.#meter = context.meter;
    this.#profile = profile;
    this.#client = context.clientOf("job-controller");
    this.#memory = new JobMemory(host.clock);
    this.#applier = new JobApplier(this.#client, {
      events: context.recorderOf("job-controller", this.#client),
      memory: this.#memory,
      profile,
    });
    this.#jobs = informers.of("jobs.batch");
    this.#pods = informers.of("pods", [byController, orphans]);
    const { retry } = profile;
    this.#controller = new Controller(host, {
      name: "job-controller",
      workers,
      retry,
      sync: (key) => this.#sync(key),
    });
    this.#orphans = new Controller(host, {
      name: "job-controller/orphans",
      workers: 1,
      retry,
      sync: (key) => this.#releaseOrphan(key),
    });
    this.#watch();
  }

  start(): void {
    this.#controller.start();
    this.#orphans.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#controller.stop(), this.#orphans.stop()]);
  }

  #watch(): void {
    this.#controller.watch(this.#jobs, (change) => this.#wakenByJob(change));
    this.#controller.watch(this.#pods, (change) => this.#wakenByPod(change));
    this.#orphans.needs(this.#jobs);
    this.#orphans.needs(this.#pods);
  }

  #wakenByJob(change: Change<Job>): readonly string[] {
    const key = keyOf(change.object);
    if (change.type === "deleted" || isFinished(change.object)) this.#orphan(change.object);
    const quiet = change.type === "updated" && equalJson(change.object.spec, change.previous.spec);
    if (!quiet) return [key];
    this.#controller.queue.addAfter(key, this.#profile.batchMs);
    return [];
  }

  #orphan(job: Served<Job>): void {
    for (const pod of this.#pods.lister.by(byController, job.metadata.uid))
      if (isTracked(pod)) this.#orphans.queue.add(keyOf(pod));
  }

  #wakenByPod(change: Change<Pod>): readonly string[] {
    const { object: pod } = change;
    const job = this.#jobOf(pod);
    this.#observe(change);
    if (job === undefined) {
      if (isTracked(pod) && change.type !== "deleted") this.#orphans.queue.add(keyOf(pod));
      return controllerOf(pod) === undefined ? this.#adopters(pod) : [];
    }
    const key = keyOf(job);
    this.#controller.queue.addAfter(key, this.#delayMs(key, change));
    return [];
  }

  /** Before 1.25 a failed pod made its Job wait as long as the failures of its key demand. */
  #delayMs(key: string, { type, object }: Change<Pod>): number {
    const { tracking, batchMs, backoff } = this.#profile;
    if (tracking === "finalizers") return batchMs;
    if (type !== "updated" || object.status?.phase !== "Failed") return batchMs;
    const requeues = this.#controller.queue.requeues(key);
    return requeues === 0 ? 0 : Math.min(backoff.maxMs, backoff.initialMs * 2 ** (requeues - 1));
  }

  #observe({ type, object: pod }: Change<Pod>): void {
    const owner = controllerOf(pod);
    if (owner?.kind !== "Job") return;
    const key = `${pod.metadata.namespace ?? ""}/${owner.name}`;
    const { uid } = pod.metadata;
    if (type === "added" && pod.metadata.deletionTimestamp == null)
      this.#memory.expectations.creationObserved(key);
    else if (type === "deleted" || pod.metadata.deletionTimestamp != null)
      this.#memory.expectations.deletionObserved(key, uid);
    if (type === "deleted" || !isTracked(pod)) this.#memory.releaseObserved(key, uid);
  }

  #jobOf(pod: Served<Pod>): Readonly<Served<Job>> | undefined {
    const owner = controllerOf(pod);
    if (owner?.kind !== "Job") return undefined;
    const job = this.#jobs.lister.find(`${pod.metadata.namespace ?? ""}/${owner.name}`);
    return job?.metadata.uid === owner.uid ? job : undefined;
  }

  #adopters({ metadata }: Served<Pod>): string[] {
    return this.#jobs.lister
      .select(metadata.namespace, [])
      .filter(({ spec }) => matchesLabels(labelSelectorOf(spec?.selector), metadata.labels))
      .map(keyOf);
  }

  async #sync(key: string): Promise<SyncOutcome | void> {
    const job = this.#jobs.lister.find(key);
    if (job === undefined) return this.#memory.forget(key);
    if ((job.spec?.managedBy ?? builtInManager) !== builtInManager) return;
    if (isFinished(job)) return this.#memory.setBackoff(key, { failures: 0, lastFailureAt: 0 });
    // Asked before the pods are read: what they show then is at least as new.
    const caughtUp = this.#memory.expectations.satisfied(key);
    const namespace = job.metadata.namespace ?? "";
    const controlled = this.#pods.lister.by(byController, job.metadata.uid);
    const uncontrolled = this.#pods.lister.by(orphans, namespace);
    this.#meter.count(
      "job-controller",
      this.#profile.looksThrough === "namespace"
        ? this.#pods.lister.count(byNamespace, namespace)
        : controlled.length + uncontrolled.length,
    );
    const pods = await claimPods(this.#client, job, {
      controlled,
      uncontrolled,
      tracked: this.#profile.tracking === "finalizers",
    });
    const releasing = this.#memory.releasing(key);
    const view = { job, pods, releasing, caughtUp, now: this.#host.clock.now() };
    if (this.#profile.tracking === "presence") return this.#syncByPresence(key, view);
    const profile = this.#profile;
    const plan = planJob({ ...view, backoff: this.#memory.backoff(key), profile });
    await this.#applier.apply(view, plan);
    return plan.requeueAfterMs === undefined ? undefined : { requeueAfterMs: plan.requeueAfterMs };
  }

  async #syncByPresence(
    key: string,
    view: Parameters<JobApplier["applyByPresence"]>[0],
  ): Promise<SyncOutcome> {
    const plan = planByPresence(view, this.#controller.queue.requeues(key));
    const { changed } = await this.#applier.applyByPresence(view, plan);
    if (changed && plan.newFailures && !plan.finished) {
      if (plan.progress) this.#controller.queue.forget(key);
      throw unknownError(`failed pod(s) detected for job key "${key}"`);
    }
    const keepFailures = !changed && !plan.progress;
    const { requeueAfterMs } = plan;
    return requeueAfterMs === undefined ? { keepFailures } : { keepFailures, requeueAfterMs };
  }

  async #releaseOrphan(key: string): Promise<void> {
    const pod = this.#pods.lister.find(key);
    if (pod === undefined || !isTracked(pod)) return;
    const job = this.#jobOf(pod);
    if (job !== undefined && !isFinished(job)) return;
    await removeTracking(this.#client, pod);
  }
}
