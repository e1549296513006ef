// Carries out a DaemonSet's plan: what goes, what comes in growing batches, then the status.
import type { DaemonSet } from "../../api/types/apps-v1.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type Served, keyOf } from "../../client/served-object.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import type { Expectations } from "../../informer/expectations.ts";
import { type PodControl, isNamespaceTerminating } from "../pods/pod-control.ts";
import { slowStart } from "../pods/slow-start.ts";
import { daemonPod, nodeOf } from "./daemon-pod.ts";
import type { DaemonSetPlan } from "./plan.ts";

export interface DaemonSetWriter {
  readonly sets: ResourceClient<DaemonSet>;
  readonly podControl: PodControl;
  readonly expectations: Expectations;
  readonly recorder: EventRecorder;
}

type Set = Readonly<Served<DaemonSet>>;

/** The status is written also when pods could not be; the first failure is thrown then. */
export async function applyPlan(
  set: Set,
  hash: string,
  plan: DaemonSetPlan,
  writer: DaemonSetWriter,
): Promise<void> {
  const key = keyOf(set);
  if (plan.create.length + plan.delete.length > 0)
    writer.expectations.expect(key, {
      creations: plan.create.length,
      deletions: plan.delete.map(({ metadata }) => metadata.uid),
    });
  for (const pod of plan.ended) sayEnded(set, pod, writer.recorder);
  const deletions = await Promise.allSettled(plan.delete.map((pod) => deletePod(set, pod, writer)));
  const failed = deletions.find((outcome) => outcome.status === "rejected");
  const created = await createPods(set, hash, plan.create, writer);
  if (plan.status !== undefined) await writer.sets.updateStatus({ ...set, status: plan.status });
  if (created !== undefined) throw created;
  if (failed !== undefined) throw failed.reason;
}

async function createPods(
  set: Set,
  hash: string,
  nodes: readonly string[],
  { expectations, podControl }: DaemonSetWriter,
): Promise<unknown> {
  const key = keyOf(set);
  const { skipped, error } = await slowStart(nodes.length, async (index) => {
    try {
      await podControl.create(daemonPod(set, nodes[index] ?? "", hash), set);
    } catch (error) {
      expectations.creationObserved(key);
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
  for (let one = 0; one < skipped; one++) expectations.creationObserved(key);
  return error;
}

async function deletePod(
  set: Set,
  pod: Readonly<Served<Pod>>,
  { expectations, podControl }: DaemonSetWriter,
): Promise<void> {
  const gone = (): void => expectations.deletionObserved(keyOf(set), pod.metadata.uid);
  try {
    if (!(await podControl.delete(pod, set))) gone();
  } catch (error) {
    gone();
    throw error;
  }
}

function sayEnded(set: Set, pod: Readonly<Served<Pod>>, recorder: EventRecorder): void {
  const where = `daemon pod ${keyOf(pod)} on node ${nodeOf(pod)}, will try to`;
  if (pod.status?.phase === "Failed")
    recorder.event(set, "Warning", "FailedDaemonPod", `Found failed ${where} kill it`);
  else recorder.event(set, "Normal", "SucceededDaemonPod", `Found succeeded ${where} delete it`);
}
