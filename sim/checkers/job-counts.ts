// A Job counts each of its pods that ended once: never less than before, never more than there were, in the end exactly.
import type { Job } from "../../src/api/types/batch-v1.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Pod } from "../../src/api/types/core-v1.ts";
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
  const note = (pod: KubeObject): void => {
    const owner = jobOf(pod);
    const { phase } = (pod as Pod).status ?? {};
    if (owner === "" || pod.metadata.uid === undefined) return;
    if (phase === "Succeeded") endedOf(owner).succeeded.add(pod.metadata.uid);
    if (phase === "Failed") endedOf(owner).failed.add(pod.metadata.uid);
  };
  /** Who is sent away before he ended has failed, unless the Job was over by then. */
  const noteLoss = (pod: KubeObject, state: StoredState): void => {
    const { uid, namespace = "", ownerReferences = [] } = pod.metadata;
    const { phase } = (pod as Pod).status ?? {};
    const owner = ownerReferences.find(({ kind }) => kind === "Job");
    if (owner === undefined || uid === undefined) return;
    if (phase === "Succeeded" || phase === "Failed") return;
    const job = state.find("jobs.batch", `${namespace}/${owner.name}`) as Job | undefined;
    const isOver = (job?.status?.conditions ?? []).some(({ type }) =>
      overConditions.includes(type),
    );
    if (job !== undefined && !isOver) endedOf(owner.uid).failed.add(uid);
  };
  return {
    name: "job-counts",
    see({ resource, object, previous, key }, state) {
      if (resource === "pods" && object !== undefined) note(object);
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
      const jobs = state.list("jobs.batch").map((job) => job as Job);
      return jobs.flatMap(({ metadata, status }) => {
        const { succeeded, failed } = endedOf(metadata.uid ?? "");
        const name = metadata.name ?? "";
        const uncounted = status?.uncountedTerminatedPods;
        return [
          ...((status?.succeeded ?? 0) === succeeded.size
            ? []
            : [`job ${name} counts ${status?.succeeded ?? 0} of ${succeeded.size} that succeeded`]),
          ...((status?.failed ?? 0) >= failed.size
            ? []
            : [`job ${name} counts ${status?.failed ?? 0} of ${failed.size} that failed`]),
          ...((uncounted?.succeeded?.length ?? 0) + (uncounted?.failed?.length ?? 0) === 0
            ? []
            : [`job ${name} has pods that it has yet to count`]),
        ];
      });
    },
  };
};

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

function jobOf({ metadata }: KubeObject): string {
  return metadata.ownerReferences?.find(({ kind }) => kind === "Job")?.uid ?? "";
}
