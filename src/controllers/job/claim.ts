// Makes a Job the controller of pods that match its selector and have none, and lets go of those that match no more
// (upstream: pkg/controller/controller_ref_manager.go).
import { labelSelectorOf, matchesLabels } from "../../api/meta/label-selector.ts";
import type { Job } from "../../api/types/batch-v1.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import { type Served, refOf } from "../../client/served-object.ts";
import { controllerRefTo } from "../pods/controller-ref.ts";
import type { JobPod } from "./pods.ts";
import { trackingFinalizer } from "./profile.ts";

export interface Claimable {
  readonly controlled: readonly Readonly<Served<Pod>>[];
  readonly uncontrolled: readonly Readonly<Served<Pod>>[];
  /** Adopted pods get the finalizer, too. */
  readonly tracked: boolean;
}

/** The Job's pods, as they are after that. */
export async function claimPods(
  client: Client,
  job: Readonly<Served<Job>>,
  { controlled, uncontrolled, tracked }: Claimable,
): Promise<JobPod[]> {
  const selector = labelSelectorOf(job.spec?.selector);
  const fits = ({ metadata }: JobPod): boolean => matchesLabels(selector, metadata.labels);
  // One look at each: a runaway Job has tens of thousands, and is synced for every one of them.
  const strays = controlled.filter((pod) => !fits(pod));
  const own = strays.length === 0 ? controlled : controlled.filter(fits);
  if (job.metadata.deletionTimestamp != null) return [...own];
  for (const pod of strays) await release(client, job, pod);
  const adopted: JobPod[] = [];
  const orphans = uncontrolled.filter((pod) => fits(pod) && pod.metadata.deletionTimestamp == null);
  // Only if the Job is still the one that we know, and not being deleted.
  const live =
    orphans.length === 0 ? undefined : await client.resource("jobs.batch").find(refOf(job));
  if (live?.metadata.uid === job.metadata.uid && live.metadata.deletionTimestamp == null)
    for (const pod of orphans) adopted.push(...(await adopt(client, job, { pod, tracked })));
  return [...own, ...adopted];
}

async function adopt(
  client: Client,
  job: Served<Job>,
  { pod, tracked }: { readonly pod: Served<Pod>; readonly tracked: boolean },
): Promise<JobPod[]> {
  const { uid } = pod.metadata;
  const ownerReferences = [controllerRefTo(job)];
  const finalizers = tracked ? { finalizers: [trackingFinalizer] } : {};
  const patch = { metadata: { uid, ownerReferences, ...finalizers } };
  try {
    return [await client.resource("pods").patch(refOf(pod), { type: "strategic", patch })];
  } catch (error) {
    if (["NotFound", "Conflict"].includes(reasonOf(error))) return [];
    throw error;
  }
}

async function release(client: Client, job: Served<Job>, pod: Served<Pod>): Promise<void> {
  const patch = {
    metadata: {
      uid: pod.metadata.uid,
      ownerReferences: [{ $patch: "delete", uid: job.metadata.uid }],
      "$deleteFromPrimitiveList/finalizers": [trackingFinalizer],
    },
  };
  try {
    await client.resource("pods").patch(refOf(pod), { type: "strategic", patch });
  } catch (error) {
    // Invalid: somebody else took the reference away.
    if (!["NotFound", "Invalid"].includes(reasonOf(error))) throw error;
  }
}
