// POST of an Eviction: a delete that PodDisruptionBudgets may refuse (upstream: registry/core/pod/storage EvictionREST).
import { matchesLabels, labelSelectorOf } from "../api/meta/label-selector.ts";
import { readListOptions } from "../api/meta/list-options.ts";
import { internalError, notFound, StatusError, tooManyRequests } from "../api/meta/errors.ts";
import { requireGroupVersion } from "../api/codec/body.ts";
import type { KubeObject } from "../api/object.ts";
import type { DeleteOptions } from "../api/types/meta-v1.ts";
import type { PodDisruptionBudget } from "../api/types/policy-v1.ts";
import type { ResourceRegistry, WriteCall } from "../registry/registry.ts";
import { parseObject } from "./encode-object.ts";
import { successReply } from "./object-reply.ts";
import { Query } from "./query.ts";
import type { Reply } from "./reply.ts";
import { readObject } from "./request-body.ts";
import { type ResourceCall, storedOf } from "./resource-call.ts";
import { adoptNamespace, requireName, writeCall } from "./write-call.ts";
import { checkDeleteOptions, readWriteOptions } from "./write-options.ts";

const evictionKind = { group: "policy", version: "v1", kind: "Eviction" };

export async function createEviction({ server, exchange, endpoint }: ResourceCall): Promise<Reply> {
  const options = readWriteOptions(exchange.query, "CreateOptions", exchange.userAgent);
  const { fieldValidation } = options;
  const eviction = (await readObject(server, exchange, { kind: evictionKind, fieldValidation }))();
  const { name, namespace } = exchange.info;
  adoptNamespace(eviction, namespace);
  requireName(eviction, name);
  const deleteOptions = (eviction["deleteOptions"] ?? {}) as DeleteOptions;
  checkDeleteOptions(deleteOptions);
  const dryRun = options.dryRun || (deleteOptions.dryRun ?? []).length > 0;
  const call = writeCall(server, exchange, { endpoint, options: { ...options, dryRun } });
  const pods = storedOf(endpoint);
  const pod = parseObject((await pods.get(namespace, name, "")).bytes);
  const budgets = server.endpoints.find("policy", "v1", "poddisruptionbudgets")?.registry;
  if (!ignoresBudgets(pod) && budgets !== undefined) await spendBudget(budgets, pod, call);
  await pods.delete({ ...call, name, options: deleteOptions });
  return successReply(server, exchange, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    code: 201,
  });
}

interface PodState {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Pods that serve nobody may always go. */
function ignoresBudgets(pod: KubeObject): boolean {
  const phase = (pod as PodState).status?.phase ?? "";
  if (phase === "Succeeded" || phase === "Failed" || phase === "Pending") return true;
  return pod.metadata.deletionTimestamp !== undefined;
}

function isReady(pod: KubeObject): boolean {
  const conditions = (pod as PodState).status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

async function spendBudget(
  budgets: ResourceRegistry,
  pod: KubeObject,
  call: WriteCall,
): Promise<void> {
  const matching = await budgetsOf(budgets, pod, call.namespace);
  if (matching.length === 0) return;
  if (matching.length > 1)
    throw internalError(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  const [budget] = matching as [PodDisruptionBudget & KubeObject];
  if (!isReady(pod) && mayGoUnready(budget)) return;
  const name = budget.metadata.name ?? "";
  await budgets.update({
    ...call,
    name,
    subresource: "status",
    kind: { group: "policy", version: "v1", kind: "PodDisruptionBudget" },
    mayCreate: false,
    authorizeCreate: async () => undefined,
    change: (current) => {
      if (current === undefined)
        throw notFound({ group: "policy", resource: "poddisruptionbudgets" }, name);
      return spent(current, pod);
    },
  });
}

async function budgetsOf(
  budgets: ResourceRegistry,
  pod: KubeObject,
  namespace: string,
): Promise<KubeObject[]> {
  const list = await budgets.list(namespace, readListOptions(new Query("resourceVersion=0")));
  const matching: KubeObject[] = [];
  for (const item of list.items) {
    const budget = parseObject(item.bytes);
    const { selector } = (budget as unknown as PodDisruptionBudget).spec ?? {};
    if (selector === undefined) continue;
    if (matchesLabels(labelSelectorOf(selector), pod.metadata.labels ?? {})) matching.push(budget);
  }
  return matching;
}

/** An unready pod guards nothing when the budget says so, or when enough others are healthy. */
function mayGoUnready({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const desired = status?.desiredHealthy ?? 0;
  return (status?.currentHealthy ?? 0) >= desired && desired > 0;
}

function spent(current: KubeObject, pod: KubeObject): KubeObject {
  const { status } = current as unknown as PodDisruptionBudget;
  const name = current.metadata.name ?? "";
  const observed = status?.observedGeneration ?? 0;
  if (observed < (current.metadata.generation ?? 0))
    throw refusedBy(
      name,
      "Cannot evict pod as it would violate the pod's disruption budget.",
      "The disruption budget %s is still being processed by the server.",
      10,
    );
  const allowed = status?.disruptionsAllowed ?? 0;
  if (allowed <= 0) {
    const needs = `The disruption budget %s needs ${status?.desiredHealthy ?? 0} healthy pods and has ${status?.currentHealthy ?? 0} currently`;
    throw refusedBy(
      name,
      "Cannot evict pod as it would violate the pod's disruption budget.",
      needs,
      0,
    );
  }
  const disruptedPods = {
    ...status?.disruptedPods,
    [pod.metadata.name ?? ""]: pod.metadata.deletionTimestamp ?? null,
  };
  return { ...current, status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods } };
}

function refusedBy(name: string, message: string, why: string, retryAfter: number): StatusError {
  const refusal = tooManyRequests(message, retryAfter);
  const causes = [{ reason: "DisruptionBudget", message: why.replace("%s", name) }];
  const details = { ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter } : {}), causes };
  return new StatusError({ ...refusal.status, details });
}
