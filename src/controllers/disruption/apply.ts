// Writes a budget's status, and says what came of it.
import type { Pod, PodCondition } from "../../api/types/core-v1.ts";
import type { PodDisruptionBudget } from "../../api/types/policy-v1.ts";
import { formatLabelSelector, labelSelectorOf } from "../../api/meta/label-selector.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type Served, refOf } from "../../client/served-object.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import { sameStatus } from "../pods/same-status.ts";
import type { BudgetPlan } from "./plan.ts";

export interface BudgetWriter {
  readonly budgets: ResourceClient<PodDisruptionBudget>;
  readonly pods: ResourceClient<Pod>;
  readonly recorder: EventRecorder;
}

type Budget = Readonly<Served<PodDisruptionBudget>>;

export async function applyBudget(
  budget: Budget,
  { status, notDeleted }: BudgetPlan,
  { budgets, recorder }: BudgetWriter,
): Promise<void> {
  const { namespace, name } = budget.metadata;
  for (const pod of notDeleted) {
    const message = `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`;
    recorder.event(pod, "Warning", "NotDeleted", message);
  }
  if (!sameStatus(budget.status, status)) await budgets.updateStatus({ ...budget, status });
}

export function sayUnmanaged(
  budget: Budget,
  names: readonly string[],
  { recorder }: BudgetWriter,
): void {
  const selector = formatLabelSelector(labelSelectorOf(budget.spec?.selector));
  const message =
    `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged: ${names.join(", ")}. ` +
    'The status of this budget cannot be calculated for them; to account for them set ".spec.minAvailable" to an integer.';
  recorder.event(budget, "Warning", "UnmanagedPods", message);
}

export async function applyStale(
  pod: Readonly<Served<Pod>>,
  conditions: readonly PodCondition[],
  { pods }: BudgetWriter,
): Promise<void> {
  const { uid, resourceVersion } = pod.metadata;
  // With the revision: what the kubelet writes meanwhile must not be lost.
  const patch = { metadata: { uid, resourceVersion }, status: { conditions } };
  await pods.patch(refOf(pod), { type: "strategic", patch }, { subresource: "status" });
}
