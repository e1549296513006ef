// Carries out a replica plan: creates in growing batches, deletes at once, then the status. Expectations are set before
// the writes, since events may be faster than answers.
import type { Pod } from "../../api/types/core-v1.ts";
import type { ReplicaSetStatus } from "../../api/types/apps-v1.ts";
import { reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type Served, keyOf, refOf } from "../../client/served-object.ts";
import type { Expectations } from "../../informer/expectations.ts";
import { type PodControl, isNamespaceTerminating, podFromTemplate } from "../pods/pod-control.ts";
import { slowStart } from "../pods/slow-start.ts";
import type { ReplicaFailure, ReplicaOwner, ReplicaPlan } from "./plan.ts";
import { messageOf } from "../../std/error-message.ts";

export interface ReplicaWriter {
  readonly owners: ResourceClient<ReplicaOwner>;
  readonly podControl: PodControl;
  readonly expectations: Expectations;
}

/** What went wrong: to be told in the status, and thrown then. */
export interface Trouble {
  readonly failure: ReplicaFailure;
  readonly error: unknown;
}

export async function applyPods(
  owner: Readonly<Served<ReplicaOwner>>,
  plan: ReplicaPlan,
  writer: ReplicaWriter,
): Promise<Trouble | undefined> {
  if (plan.create > 0) return createPods(owner, plan.create, writer);
  if (plan.delete.length > 0) return deletePods(owner, plan.delete, writer);
  return undefined;
}

/** Tried once more on the newest state if someone else was faster, as kubectl scale often is. */
export async function applyStatus(
  owner: Readonly<Served<ReplicaOwner>>,
  status: ReplicaSetStatus,
  { owners }: ReplicaWriter,
): Promise<void> {
  try {
    await owners.updateStatus({ ...owner, status });
  } catch (error) {
    if (reasonOf(error) !== "Conflict") throw error;
    const fresh = await owners.get(refOf(owner));
    await owners.updateStatus({ ...fresh, status });
  }
}

async function createPods(
  owner: Readonly<Served<ReplicaOwner>>,
  count: number,
  { expectations, podControl }: ReplicaWriter,
): Promise<Trouble | undefined> {
  const key = keyOf(owner);
  expectations.expect(key, { creations: count });
  const pod = podFromTemplate(owner.spec?.template, owner);
  const { skipped, error } = await slowStart(count, async () => {
    try {
      await podControl.create(pod, owner);
    } catch (error) {
      expectations.creationObserved(key);
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
  for (let one = 0; one < skipped; one++) expectations.creationObserved(key);
  if (error === undefined) return undefined;
  return { failure: { reason: "FailedCreate", message: messageOf(error) }, error };
}

async function deletePods(
  owner: Readonly<Served<ReplicaOwner>>,
  pods: readonly Readonly<Served<Pod>>[],
  { expectations, podControl }: ReplicaWriter,
): Promise<Trouble | undefined> {
  const key = keyOf(owner);
  expectations.expect(key, { deletions: pods.map(({ metadata }) => metadata.uid) });
  const deleteOne = async (pod: Readonly<Served<Pod>>): Promise<void> => {
    try {
      if (await podControl.delete(pod, owner)) return;
      expectations.deletionObserved(key, pod.metadata.uid);
    } catch (error) {
      expectations.deletionObserved(key, pod.metadata.uid);
      throw error;
    }
  };
  const outcomes = await Promise.allSettled(pods.map(deleteOne));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed === undefined) return undefined;
  const error: unknown = failed.reason;
  return { failure: { reason: "FailedDelete", message: messageOf(error) }, error };
}
