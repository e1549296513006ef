// Carries out a StatefulSet's plan: claims before the pods that use them, then what goes, then the status.
import type { StatefulSet } from "../../api/types/apps-v1.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/types/core-v1.ts";
import { reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type ApiObject, type Served, keyOf, refOf } from "../../client/served-object.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import type { Lister } from "../../informer/indexer.ts";
import { isNamespaceTerminating } from "../pods/pod-control.ts";
import { claimsOf, ordinalOf, withIdentity } from "./identity.ts";
import type { Removal, StatefulSetPlan } from "./plan.ts";
import { messageOf } from "../../std/error-message.ts";

export interface StatefulSetWriter {
  readonly sets: ResourceClient<StatefulSet>;
  readonly pods: ResourceClient<Pod>;
  readonly claims: ResourceClient<PersistentVolumeClaim>;
  readonly knownClaims: Lister<PersistentVolumeClaim>;
  readonly recorder: EventRecorder;
}

type Set = Readonly<Served<StatefulSet>>;

/** `status` is written also when something before it failed; the failure is thrown then. */
export async function applyPlan(
  set: Set,
  plan: StatefulSetPlan,
  writer: StatefulSetWriter,
): Promise<void> {
  let failure: unknown;
  try {
    for (const pod of plan.create) await createPod(set, pod, writer);
    for (const pod of plan.claimsFor) await createClaims(set, pod, writer);
    for (const pod of plan.relabel) await writer.pods.update(withIdentity(set, pod));
    for (const removal of plan.delete) await remove(set, removal, writer);
  } catch (error) {
    failure = error;
  }
  if (plan.status !== undefined) await writer.sets.updateStatus({ ...set, status: plan.status });
  if (failure !== undefined) throw failure;
}

async function createPod(set: Set, pod: Pod, writer: StatefulSetWriter): Promise<void> {
  const what = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  try {
    await createClaims(set, pod, writer);
    await writer.pods.create(pod);
    writer.recorder.event(set, "Normal", "SuccessfulCreate", `Create ${what} successful`);
  } catch (error) {
    // Still there, or there already: its next event wakes us.
    if (reasonOf(error) === "AlreadyExists") return;
    if (!isNamespaceTerminating(error)) {
      const message = `Create ${what} failed error: ${messageOf(error)}`;
      writer.recorder.event(set, "Warning", "FailedCreate", message);
    }
    throw error;
  }
}

async function createClaims(set: Set, pod: Pod, writer: StatefulSetWriter): Promise<void> {
  for (const claim of claimsOf(set, ordinalOf(set, pod) ?? 0)) {
    if (writer.knownClaims.find(keyOf(claim)) !== undefined) continue;
    const what = `Claim ${claim.metadata.name}`;
    const whose = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    try {
      await writer.claims.create(claim);
      writer.recorder.event(set, "Normal", "SuccessfulCreate", `Create ${what} ${whose} success`);
    } catch (error) {
      if (reasonOf(error) === "AlreadyExists") continue;
      const message = `Create ${what} for ${whose} failed error: ${messageOf(error)}`;
      writer.recorder.event(set, "Warning", "FailedCreate", message);
      throw error;
    }
  }
}

async function remove(set: Set, { pod, why }: Removal, writer: StatefulSetWriter): Promise<void> {
  const { recorder } = writer;
  const what = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  if (why === "Failed" || why === "Succeeded") {
    const subject = `StatefulSet ${keyOf(set)} is recreating`;
    if (why === "Failed")
      recorder.event(
        set,
        "Warning",
        "RecreatingFailedPod",
        `${subject} failed Pod ${pod.metadata.name}`,
      );
    else
      recorder.event(
        set,
        "Normal",
        "RecreatingTerminatedPod",
        `${subject} terminated Pod ${pod.metadata.name}`,
      );
  }
  if (why === "ScaledDown") await handClaimsOver(set, pod, writer);
  try {
    await writer.pods.delete(refOf(pod), { preconditions: { uid: pod.metadata.uid } });
    recorder.event(set, "Normal", "SuccessfulDelete", `Delete ${what} successful`);
  } catch (error) {
    if (reasonOf(error) === "NotFound" || reasonOf(error) === "Conflict") return;
    recorder.event(
      set,
      "Warning",
      "FailedDelete",
      `Delete ${what} failed error: ${messageOf(error)}`,
    );
    throw error;
  }
}

/** With whenScaled Delete a claim goes with the pod that is scaled away: the garbage collector sees to it. */
async function handClaimsOver(
  set: Set,
  pod: Readonly<Served<Pod>>,
  { claims, knownClaims }: StatefulSetWriter,
): Promise<void> {
  if (set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return;
  for (const { metadata } of claimsOf(set, ordinalOf(set, pod) ?? 0)) {
    const claim = knownClaims.find(keyOf({ metadata }));
    if (claim === undefined) continue;
    const ownerReferences = [ownerRefTo(pod)];
    await claims.update({ ...claim, metadata: { ...claim.metadata, ownerReferences } });
  }
}

function ownerRefTo({ metadata }: ApiObject): {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
} {
  return { apiVersion: "v1", kind: "Pod", name: metadata.name ?? "", uid: metadata.uid ?? "" };
}
