// Binds claim and volume to each other, in an order in which every half-way state leads on: the volume's reference, the
// volume's phase, the claim's reference, the claim's status.
import type {
  ObjectReference,
  PersistentVolume,
  PersistentVolumeClaim,
} from "../../api/types/core-v1.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import { equalJson } from "../../std/json.ts";
import { timestamp } from "../pods/timestamp.ts";
import { volumeAnnotations } from "../../api/volume/annotations.ts";
import type { Claim, Volume } from "./claim-and-volume.ts";
import type { ClaimPlan } from "./plan.ts";
import type { VolumePlan } from "./plan-volume.ts";

export interface BinderWriter {
  readonly volumes: ResourceClient<PersistentVolume>;
  readonly claims: ResourceClient<PersistentVolumeClaim>;
  readonly recorder: EventRecorder;
  readonly now: () => number;
}

export async function applyClaim(
  claim: Claim,
  plan: ClaimPlan,
  writer: BinderWriter,
): Promise<void> {
  if (plan.do === "bind") return bind(claim, plan.volume, writer);
  if (plan.do === "lose") {
    if (claim.status?.phase === "Lost") return;
    await writer.claims.updateStatus({ ...claim, status: { ...claim.status, phase: "Lost" } });
    return say(claim, plan.said, writer);
  }
  const { provisioner } = plan;
  const annotations = claim.metadata.annotations ?? {};
  if (provisioner !== undefined && annotations[volumeAnnotations.provisioner] !== provisioner) {
    const noted = {
      ...annotations,
      [volumeAnnotations.legacyProvisioner]: provisioner,
      [volumeAnnotations.provisioner]: provisioner,
    };
    await writer.claims.update({ ...claim, metadata: { ...claim.metadata, annotations: noted } });
  }
  if (claim.status?.phase === undefined)
    await writer.claims.updateStatus({ ...claim, status: { ...claim.status, phase: "Pending" } });
  if (plan.said !== undefined) say(claim, plan.said, writer);
}

export async function applyVolume(
  volume: Volume,
  plan: Exclude<VolumePlan, { do: "wakeClaim" }>,
  writer: BinderWriter,
): Promise<void> {
  if (plan.do === "unbind") {
    const { claimRef: _, ...spec } = volume.spec ?? {};
    const { [volumeAnnotations.boundByController]: __, ...annotations } =
      volume.metadata.annotations ?? {};
    await writer.volumes.update({ ...volume, metadata: { ...volume.metadata, annotations }, spec });
    return;
  }
  await setPhase(volume, { phase: plan.phase, message: plan.message }, writer);
  if (plan.said !== undefined) say(volume, plan.said, writer);
}

async function bind(claim: Claim, volume: Volume, writer: BinderWriter): Promise<void> {
  const taken = await referTo(volume, claim, writer);
  await setPhase(taken, { phase: "Bound", message: undefined }, writer);
  const bound = await completeClaim(claim, volume, writer);
  const status = {
    ...bound.status,
    phase: "Bound",
    accessModes: volume.spec?.accessModes ?? [],
    capacity: volume.spec?.capacity ?? {},
  };
  if (!equalJson(bound.status, status)) await writer.claims.updateStatus({ ...bound, status });
}

async function referTo(volume: Volume, claim: Claim, { volumes }: BinderWriter): Promise<Volume> {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const before = volume.spec?.claimRef;
  if (before?.uid === uid) return volume;
  const claimRef: ObjectReference = {
    kind: "PersistentVolumeClaim",
    namespace: namespace!,
    name,
    uid,
    apiVersion: "v1",
    resourceVersion,
  };
  const annotations = { ...volume.metadata.annotations };
  if (before === undefined) annotations[volumeAnnotations.boundByController] = "yes";
  const metadata = { ...volume.metadata, annotations };
  return volumes.update({ ...volume, metadata, spec: { ...volume.spec, claimRef } });
}

async function setPhase(
  volume: Volume,
  wanted: { readonly phase: string; readonly message: string | undefined },
  { volumes, now }: BinderWriter,
): Promise<void> {
  const { phase, message } = volume.status ?? {};
  if (phase === wanted.phase && message === wanted.message) return;
  const lastPhaseTransitionTime =
    phase === wanted.phase ? volume.status?.lastPhaseTransitionTime : timestamp(now());
  const status = {
    phase: wanted.phase,
    ...(wanted.message === undefined ? {} : { message: wanted.message }),
    ...(lastPhaseTransitionTime === undefined ? {} : { lastPhaseTransitionTime }),
  };
  await volumes.updateStatus({ ...volume, status });
}

async function completeClaim(
  claim: Claim,
  volume: Volume,
  { claims }: BinderWriter,
): Promise<Claim> {
  const { name } = volume.metadata;
  const annotations: Record<string, string> = {
    ...claim.metadata.annotations,
    [volumeAnnotations.bindCompleted]: "yes",
  };
  const chosen = (claim.spec?.volumeName ?? "") === "";
  if (chosen) annotations[volumeAnnotations.boundByController] = "yes";
  if (!chosen && equalJson(annotations, claim.metadata.annotations)) return claim;
  const metadata = { ...claim.metadata, annotations };
  return claims.update({ ...claim, metadata, spec: { ...claim.spec, volumeName: name } });
}

function say(
  about: Claim | Volume,
  said: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string },
  { recorder }: BinderWriter,
): void {
  recorder.event(about, said.type, said.reason, said.message);
}
