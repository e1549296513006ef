// A Job counts each of its pods that ended once: never less than before, never more than there were, in the end exactly.
import type { Job } from "../../src/api/types/batch-v1.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/types/core-v1.ts";
import type { OwnerReference } from "../../src/api/types/meta-v1.ts";
import type { StoredState } from "../stored-state.ts";
import type { MakeChecker } from "./checker.ts";

const overConditions = ["FailureTarget", "SuccessCriteriaMet", "Complete", "Failed", "Suspended"];

interface Ended {
  readonly succeeded: Set<string>;
  readonly failed: Set<string>;
}

export const jobCounts: MakeChecker = () => {
  /** By UID of the Job: UIDs of pods that were seen to end. */
  const ended = new Map<string, Ended>();
  const endedOf = (uid: string): Ended => {
    const known = ended.get(uid) ?? { succeeded: new Set<string>(), failed: new Set<string>() };
    ended.set(uid, known);
    return known;
  };
  /** What ends when the Job is over, or does again what another pod has done, is not counted. */
  const note = (pod: KubeObject, state: StoredState): void => {
    const owner = jobOf(pod);
    const { uid, annotations } = pod.metadata;
    const { phase } = (pod as Pod).status ?? {};
    if (owner === undefined || uid === undefined) return;
    const known = endedOf(owner.uid);
    if (known.failed.has(uid) || isOver(pod, state)) return;
    const index = annotations?.["batch.kubernetes.io/job-completion-index"];
    if (phase === "Succeeded") known.succeeded.add(index ?? uid);
    if (phase === "Failed") known.failed.add(uid);
  };
  /** Who is sent away before he ended has failed, unless the Job was over by then. */
  const noteLoss = (pod: KubeObject, state: StoredState): void => {
    const { uid } = pod.metadata;
    const { phase } = (pod as Pod).status ?? {};
    const owner = jobOf(pod);
    if (owner === undefined || uid === undefined || isOver(pod, state)) return;
    if (phase !== "Succeeded" && phase !== "Failed") endedOf(owner.uid).failed.add(uid);
  };
  return {
    name: "job-counts",
    see({ resource, object, previous, key }, state) {
      if (resource === "pods" && object !== undefined) note(object, state);
      const last = object ?? previous;
      const isGoing = object === undefined || typeof object.metadata.deletionTimestamp === "string";
      if (resource === "pods" && last !== undefined && isGoing) noteLoss(last, state);
      if (resource !== "jobs.batch" || object === undefined) return [];
      const [now, before] = [object as Job, previous as Job | undefined];
      const seen = endedOf(object.metadata.uid ?? "");
      return [
        ...compare(key, "succeeded", now, before, seen.succeeded.size),
        // Pods that are deleted while they run count as failed without ever saying so.
        ...compare(key, "failed", now, before, Number.POSITIVE_INFINITY),
      ];
    },
    atEnd(state) {
      return (state.list("jobs.batch") as Job[]).flatMap((job) =>
        atRest(job, endedOf(job.metadata.uid ?? "")),
      );
    },
  };
};

function atRest({ metadata, status }: Job, { succeeded, failed }: Ended): string[] {
  const name = metadata.name ?? "";
  const uncounted = status?.uncountedTerminatedPods;
  const complaints: string[] = [];
  const counted = { succeeded: status?.succeeded ?? 0, failed: status?.failed ?? 0 };
  if (counted.succeeded !== succeeded.size)
    complaints.push(`job ${name} counts ${counted.succeeded} of ${succeeded.size} that succeeded`);
  if (counted.failed < failed.size)
    complaints.push(`job ${name} counts ${counted.failed} of ${failed.size} that failed`);
  if ((uncounted?.succeeded?.length ?? 0) + (uncounted?.failed?.length ?? 0) > 0)
    complaints.push(`job ${name} has pods that it has yet to count`);
  return complaints;
}

function compare(
  key: string,
  side: "succeeded" | "failed",
  { status, metadata }: Job,
  before: Job | undefined,
  most: number,
): string[] {
  const isSame = before?.metadata.uid === metadata.uid;
  const [now, then] = [status?.[side] ?? 0, isSame ? (before?.status?.[side] ?? 0) : 0];
  return [
    ...(now < then ? [`job ${key} counted ${then} ${side}, then ${now}`] : []),
    ...(now > most ? [`job ${key} counts ${now} ${side}, though there were ${most}`] : []),
  ];
}

function jobOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === "Job");
}

/** Also when it is gone. */
function isOver(pod: KubeObject, state: StoredState): boolean {
  const key = `${pod.metadata.namespace ?? ""}/${jobOf(pod)?.name ?? ""}`;
  const job = state.find("jobs.batch", key) as Job | undefined;
  if (job === undefined) return true;
  return (job.status?.conditions ?? []).some(({ type }) => overConditions.includes(type));
}
