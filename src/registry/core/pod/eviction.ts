// POST pods/NAME/eviction: a delete that asks the pod's disruption budget first (upstream: core/pod/storage/eviction.go).
// The budget is judged and charged in one compare-and-write, so that racing evictions cannot both take its last slot.
import { badRequest, StatusError, unknownError } from "../../../api/meta/errors.ts";
import { labelSelectorOf, matchesLabels } from "../../../api/meta/label-selector.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { RequestCost } from "../../../api/request-cost.ts";
import type { Pod } from "../../../api/types/core-v1.ts";
import type { DeleteOptions, Status } from "../../../api/types/meta-v1.ts";
import type { Eviction, PodDisruptionBudget } from "../../../api/types/policy-v1.ts";
import { deleteObject } from "../../generic/delete.ts";
import { modifyObject } from "../../generic/modify.ts";
import type { Current } from "../../generic/object-bytes.ts";
import { writeAttemptsMax } from "../../generic/optimistic.ts";
import { checkDeletePreconditions } from "../../generic/preconditions.ts";
import { getObject } from "../../generic/read.ts";
import { admitAction, type RegistryParts } from "../../generic/registry-parts.ts";
import { chargeBudget, evictionBlocked } from "../../policy/pod-disruption-budget/disruption.ts";
import type { SubresourceCreateCall } from "../../registry.ts";
import { setCondition } from "./condition.ts";
import { success } from "./success.ts";
import { timestamp } from "../../../api/meta/timestamp.ts";
import { parseObject } from "../../../api/codec/parse-object.ts";

const evictionKind = { group: "policy", version: "v1", kind: "Eviction" };

export interface EvictionParts {
  readonly pods: RegistryParts;
  readonly budgets: RegistryParts;
}

/** Throws NotFound, Conflict, TooManyRequests. */
export async function evictPod(
  parts: EvictionParts,
  object: KubeObject,
  call: SubresourceCreateCall,
): Promise<Status> {
  const eviction = object as Eviction;
  if (eviction.metadata.name !== call.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const options = eviction.deleteOptions ?? {};
  const dryRun = call.dryRun || (options.dryRun ?? []).length > 0;
  const request = { ...call, dryRun };
  await admitAction(parts.pods, object, { call: request, kind: evictionKind });
  for (let attempt = 0; attempt < writeAttemptsMax; attempt++) {
    if (await tryEviction(parts, request, options)) return success;
  }
  throw evictionBlocked();
}

/** False when the pod changed under a judgement that counted on its state: judge again. */
async function tryEviction(
  parts: EvictionParts,
  call: SubresourceCreateCall,
  options: DeleteOptions,
): Promise<boolean> {
  const read = await getObject(parts.pods, call, "");
  call.cost.addRead(read.cost);
  const pod = parseObject(read.object.bytes) as Pod;
  const verdict = isBeyondBudgets(pod) ? "AsItStands" : await askBudget(parts, call, pod);
  const ownRevision = options.preconditions?.resourceVersion !== undefined;
  const pinned = verdict === "AsItStands" && !ownRevision && isAlive(pod);
  const preconditions = pinned
    ? { ...options.preconditions, resourceVersion: pod.metadata.resourceVersion ?? "" }
    : options.preconditions;
  try {
    await removePod(parts.pods, call, {
      ...options,
      ...(preconditions === undefined ? {} : { preconditions }),
    });
    return true;
  } catch (error) {
    if (pinned && error instanceof StatusError && error.reason === "Conflict") return false;
    throw error;
  }
}

/** Its end disrupts nothing any more, or not yet. */
function isBeyondBudgets(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase === "Pending" || !isAlive(pod);
}

function isAlive(pod: Pod): boolean {
  const phase = pod.status?.phase;
  return phase !== "Succeeded" && phase !== "Failed" && !pod.metadata.deletionTimestamp;
}

/**
 * `Charged`: the budget allowed it and was charged, or there is none. `AsItStands`: allowed because the pod is not
 * healthy, which must still hold when it is deleted.
 */
async function askBudget(
  parts: EvictionParts,
  call: SubresourceCreateCall,
  pod: Pod,
): Promise<"Charged" | "AsItStands"> {
  const { cost } = call;
  const budgets = await budgetsOf(parts.budgets, { pod, cost });
  if (budgets.length > 1) {
    throw unknownError(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }
  const budget = budgets[0];
  if (budget === undefined) return "Charged";
  if (!isReady(pod) && unhealthyMayGo(budget)) return "AsItStands";
  const place = {
    namespace: call.namespace,
    name: budget.metadata.name ?? "",
    dryRun: call.dryRun,
    cost,
  };
  const now = timestamp(parts.budgets.system.now);
  await modifyObject(parts.budgets, place, (object) => chargeBudget(object, call.name, now));
  return "Charged";
}

async function budgetsOf(
  budgets: RegistryParts,
  { pod, cost }: { readonly pod: Pod; readonly cost: RequestCost },
): Promise<PodDisruptionBudget[]> {
  const { namespace = "", labels } = pod.metadata;
  const outcome = await budgets.objects.cache.list({
    selection: { namespace, labels: [], fields: [] },
    limit: 0,
  });
  const items = outcome.kind === "List" ? [...outcome.items] : [];
  if (outcome.kind === "List") cost.addRead(outcome.cost);
  return items
    .map(({ bytes }) => parseObject(bytes) as PodDisruptionBudget)
    .filter(({ spec }) => matchesLabels(labelSelectorOf(spec?.selector), labels));
}

function isReady(pod: Pod): boolean {
  const conditions = pod.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

function unhealthyMayGo({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** The pod is told why it goes, then deleted as it stands with that condition. */
async function removePod(
  pods: RegistryParts,
  call: SubresourceCreateCall,
  options: DeleteOptions,
): Promise<void> {
  const now = timestamp(pods.system.now);
  const marked: Current = await modifyObject(pods, call, (object) => {
    checkDeletePreconditions(
      { group: "", resource: "pods" },
      object.metadata,
      options.preconditions,
    );
    const pod = object as Pod;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    };
    setCondition(pod, condition, now);
  });
  const pinned = options.preconditions?.resourceVersion !== undefined;
  const preconditions = pinned
    ? { ...options.preconditions, resourceVersion: String(marked.revision) }
    : options.preconditions;
  await deleteObject(pods, {
    ...call,
    options: { ...options, ...(preconditions === undefined ? {} : { preconditions }) },
  });
}
