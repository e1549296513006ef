// Carries out what was planned for a Job, in the order that keeps counts exact through a crash between any two writes:
// pods made or deleted, ended pods written into the status, their finalizers removed, counters settled, the end declared.
import type { Job, JobCondition, JobStatus } from "../../api/types/batch-v1.ts";
import type { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import { type Served, keyOf, refOf } from "../../client/served-object.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import { copyJson, equalJson } from "../../std/json.ts";
import { isNamespaceTerminating } from "../pods/pod-control.ts";
import { isActive, isReady } from "../pods/pod-state.ts";
import { countEnded, finished, settle, trackedUids } from "./counting.ts";
import type { JobMemory } from "./memory.ts";
import type { JobPlan, NewPod, PodsPlan, Said } from "./plan.ts";
import { podOf } from "./pod-template.ts";
import { type JobPod, isEnding, isTracked } from "./pods.ts";
import { type JobProfile, trackingFinalizer } from "./profile.ts";
import type { PresencePlan } from "./presence.ts";
import { type JobView, uidOf } from "./tally.ts";
import { messageOf } from "../../std/error-message.ts";

/** Of a batch of creations; each good batch doubles the next. */
const firstBatch = 1;

interface ServedView extends JobView {
  readonly job: Readonly<Served<Job>>;
}

interface PodsOutcome {
  readonly created: number;
  readonly deleted: readonly JobPod[];
  /** The first refusal, after everything that could be done was. */
  readonly error: unknown;
}

export class JobApplier {
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #memory: JobMemory;
  readonly #profile: JobProfile;

  constructor(
    client: Client,
    parts: { events: EventRecorder; memory: JobMemory; profile: JobProfile },
  ) {
    this.#client = client;
    this.#events = parts.events;
    this.#memory = parts.memory;
    this.#profile = parts.profile;
  }

  async apply(view: ServedView, plan: JobPlan): Promise<void> {
    const { job, pods } = view;
    const outcome = await this.#changePods(view, plan.pods);
    this.#say(job, plan.events);
    const active = pods.filter(isActive);
    const unfinished = plan.pods.do === "delete" && outcome.deleted.length < plan.pods.pods.length;
    const finish = unfinished ? undefined : plan.finish;
    const status: JobStatus = {
      ...plan.status,
      active: active.length + outcome.created - outcome.deleted.length,
      ready: active.filter(isReady).length - outcome.deleted.filter(isReady).length,
      terminating: pods.filter(isEnding).length + outcome.deleted.length,
    };
    const counted = countEnded(view, status, {
      tally: plan.tally,
      finish,
      told: this.#profile.finishesAfterPods || byPolicy(finish),
    });
    let written = await this.#writeStatus(job, counted.status);
    this.#memory.setBackoff(keyOf(job), plan.backoff);
    const release = await this.#release(job, counted.release);
    const gone = new Set(release.uids);
    const tracked = new Set([...trackedUids(view)].filter((uid) => !gone.has(uid)));
    let last = settle(counted.status, tracked);
    const ended =
      finish === undefined || counted.full || release.error !== undefined
        ? undefined
        : finished(last, finish, {
            now: view.now,
            afterPods: this.#profile.finishesAfterPods,
          });
    last = ended ?? last;
    written = await this.#writeStatus(written, last);
    if (ended !== undefined) this.#sayEnd(written, ended);
    const error = outcome.error ?? release.error;
    if (error !== undefined) throw error;
  }

  /** As 1.24 and older did it: no finalizers, one status. */
  async applyByPresence(view: ServedView, plan: PresencePlan): Promise<{ changed: boolean }> {
    const { job, pods } = view;
    const outcome = await this.#changePods(view, plan.pods);
    this.#say(job, plan.events);
    const active = plan.finished
      ? pods.filter(isActive).length * (plan.pods.do === "delete" ? 0 : 1)
      : pods.filter(isActive).length + outcome.created - outcome.deleted.length;
    const status = { ...plan.status, active };
    const changed = !equalJson(present(status), present(job.status ?? {}));
    if (changed) {
      // Read anew, because without batches the informer is often behind our own last write.
      const fresh = await this.#client.resource("jobs.batch").find(refOf(job));
      if (fresh?.metadata.uid === job.metadata.uid) await this.#writeStatus(fresh, status);
    }
    if (outcome.error !== undefined) throw outcome.error;
    return { changed };
  }

  #say(job: Served<Job>, events: readonly Said[]): void {
    for (const { type, reason, message } of events) this.#events.event(job, type, reason, message);
  }

  #sayEnd(job: Served<Job>, { conditions = [] }: JobStatus): void {
    const failed = conditions.find(({ type, status }) => type === "Failed" && status === "True");
    if (failed === undefined) this.#events.event(job, "Normal", "Completed", "Job completed");
    else this.#events.event(job, "Warning", failed.reason ?? "", failed.message ?? "");
  }

  /** The object as it is now. No write when nothing changes. */
  async #writeStatus(job: Readonly<Served<Job>>, status: JobStatus): Promise<Served<Job>> {
    const wanted = present(status);
    if (equalJson(wanted, present(job.status ?? {}))) return job;
    const jobs = this.#client.resource("jobs.batch");
    return jobs.update({ ...job, status: wanted }, { subresource: "status" });
  }

  async #changePods(view: ServedView, plan: PodsPlan): Promise<PodsOutcome> {
    if (plan.do === "create") return this.#createAll(view.job, plan.pods);
    if (plan.do === "delete") return this.#deleteAll(view.job, plan);
    return { created: 0, deleted: [], error: undefined };
  }

  /** Slowly at first, so that a template that is refused is refused once and not a hundred times. */
  async #createAll(job: Served<Job>, pods: readonly NewPod[]): Promise<PodsOutcome> {
    const key = keyOf(job);
    const { expectations } = this.#memory;
    expectations.expect(key, { creations: pods.length });
    let created = 0;
    let error: unknown;
    let at = 0;
    for (let size = firstBatch; at < pods.length && error === undefined; size *= 2) {
      const batch = pods.slice(at, at + size);
      at += batch.length;
      const outcomes = await Promise.allSettled(batch.map((pod) => this.#create(job, pod)));
      for (const outcome of outcomes) {
        if (outcome.status === "fulfilled") created += outcome.value;
        else error ??= outcome.reason;
      }
    }
    // Those that were never tried bring no event.
    for (; at < pods.length; at++) expectations.creationObserved(key);
    return { created, deleted: [], error };
  }

  async #create(job: Served<Job>, wanted: NewPod): Promise<number> {
    const tracked = this.#profile.tracking === "finalizers";
    try {
      const pod = await this.#client.resource("pods").create(podOf(job, wanted, tracked));
      const message = `Created pod: ${pod.metadata.name}`;
      this.#events.event(job, "Normal", "SuccessfulCreate", message);
      return 1;
    } catch (error) {
      this.#memory.expectations.creationObserved(keyOf(job));
      // The namespace goes, and the Job with it.
      if (isNamespaceTerminating(error)) return 0;
      const message = `Error creating: ${messageOf(error)}`;
      this.#events.event(job, "Warning", "FailedCreate", message);
      throw error;
    }
  }

  async #deleteAll(
    job: Served<Job>,
    { pods, uncounted }: Extract<PodsPlan, { do: "delete" }>,
  ): Promise<PodsOutcome> {
    const key = keyOf(job);
    this.#memory.expectations.expect(key, { deletions: pods.map(uidOf) });
    const deleted: JobPod[] = [];
    let error: unknown;
    const outcomes = await Promise.allSettled(
      pods.map(async (pod) => {
        if (uncounted && isTracked(pod)) await this.#removeFinalizer(job, pod);
        await this.#delete(job, pod);
      }),
    );
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === "fulfilled") deleted.push(pods[at]!);
      else error ??= outcome.reason;
    }
    return { created: 0, deleted, error };
  }

  async #delete(job: Served<Job>, pod: JobPod): Promise<void> {
    const name = pod.metadata.name ?? "";
    try {
      await this.#client.resource("pods").delete(refOf(pod));
      this.#events.event(job, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
    } catch (error) {
      this.#memory.expectations.deletionObserved(keyOf(job), uidOf(pod));
      if (reasonOf(error) === "NotFound") return;
      this.#events.event(job, "Warning", "FailedDelete", `Error deleting: ${messageOf(error)}`);
      throw error;
    }
  }

  async #release(
    job: Served<Job>,
    pods: readonly JobPod[],
  ): Promise<{ readonly uids: readonly string[]; readonly error: unknown }> {
    const uids: string[] = [];
    let error: unknown;
    await Promise.all(
      pods.map(async (pod) => {
        try {
          await this.#removeFinalizer(job, pod);
          uids.push(uidOf(pod));
        } catch (refusal) {
          error ??= refusal;
        }
      }),
    );
    return { uids, error };
  }

  async #removeFinalizer(job: Served<Job>, pod: JobPod): Promise<void> {
    const key = keyOf(job);
    this.#memory.releaseBegun(key, uidOf(pod));
    try {
      await removeTracking(this.#client, pod);
    } catch (error) {
      this.#memory.releaseObserved(key, uidOf(pod));
      throw error;
    }
  }
}

/** By the Job's own policies for pods; these ends were told beforehand as long as there are such policies. */
function byPolicy(finish: JobCondition | undefined): boolean {
  return finish?.reason === "PodFailurePolicy" || finish?.reason === "SuccessPolicy";
}

/** A pod that is gone needs no release. */
export async function removeTracking(client: Client, pod: JobPod): Promise<void> {
  const uid = uidOf(pod);
  const patch = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } };
  try {
    await client.resource("pods").patch(refOf(pod), { type: "strategic", patch });
  } catch (error) {
    // Conflict: another pod has its name.
    if (!["NotFound", "Conflict"].includes(reasonOf(error))) throw error;
  }
}

/** As the server will print it: zero counters are left out, but for those that are pointers there. */
function present(status: JobStatus): JobStatus {
  const shown = copyJson(status);
  for (const counter of ["active", "succeeded", "failed"] as const)
    if (shown[counter] === 0) delete shown[counter];
  if (shown.completedIndexes === "") delete shown.completedIndexes;
  return shown;
}
