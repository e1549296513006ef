// From what a server starts with and what the store holds to the writes that are needed, and those writes in order.
// The plan is pure and empty when nothing is missing; applying it may race with another server doing the same.
import { StatusError } from "../api/meta/errors.ts";
import type { KubeObject } from "../api/object.ts";
import type { BootstrapObject } from "./bootstrap-objects.ts";
import type { ObjectReader } from "./object-reader.ts";
import { aggregate } from "./role-aggregation.ts";

export interface BootstrapStep {
  readonly action: "Create" | "Update" | "Recreate";
  readonly resource: string;
  readonly object: KubeObject;
}

/** Writes as the server itself, past admission. */
export interface BootstrapWriter {
  create(resource: string, object: KubeObject): Promise<unknown>;
  update(resource: string, object: KubeObject): Promise<unknown>;
  /** Writes `object.status` of an object that exists, whatever its resourceVersion. */
  updateStatus(resource: string, object: KubeObject): Promise<unknown>;
  delete(resource: string, namespace: string, name: string): Promise<unknown>;
}

/** Writes under way at once; the store commits them in groups. */
const bootstrapWritesMax = 64;

export function planBootstrap(
  wanted: readonly BootstrapObject[],
  reader: Pick<ObjectReader, "find">,
): BootstrapStep[] {
  const steps: BootstrapStep[] = [];
  for (const { resource, object, upkeep } of wanted) {
    const { namespace = "", name = "" } = object.metadata;
    const current = reader.find(resource, namespace, name);
    if (current === undefined) {
      steps.push({ action: "Create", resource, object });
      continue;
    }
    const result = upkeep(current, object);
    if (result.action === "Update") {
      steps.push({ action: "Update", resource, object: result.object });
    }
    if (result.action === "Recreate") steps.push({ action: "Recreate", resource, object });
  }
  return steps;
}

/** Plans and applies: after it, nothing of `wanted` is missing. Run twice, the second run writes nothing. */
export async function reconcileBootstrap(
  wanted: readonly BootstrapObject[],
  reader: Pick<ObjectReader, "find">,
  writer: BootstrapWriter,
): Promise<void> {
  await applyBootstrap(planBootstrap(wanted, reader), writer);
}

const clusterRoles = "clusterroles.rbac.authorization.k8s.io";

/** For a write of any ClusterRole: the aggregated ones that have to follow. */
export function planAggregation(reader: Pick<ObjectReader, "list">): BootstrapStep[] {
  return aggregate(reader.list(clusterRoles, "")).map((object) => ({
    action: "Update",
    resource: clusterRoles,
    object,
  }));
}

/** Namespaces first, then everything else side by side. Rejects with the first error that is not another server's doing. */
export async function applyBootstrap(
  steps: readonly BootstrapStep[],
  writer: BootstrapWriter,
): Promise<void> {
  const isNamespace = (step: BootstrapStep): boolean => step.resource === "namespaces";
  await Promise.all(steps.filter(isNamespace).map((step) => applyStep(step, writer)));
  const rest = steps.filter((step) => !isNamespace(step));
  for (let start = 0; start < rest.length; start += bootstrapWritesMax) {
    const batch = rest.slice(start, start + bootstrapWritesMax);
    await Promise.all(batch.map((step) => applyStep(step, writer)));
  }
}

async function applyStep(step: BootstrapStep, writer: BootstrapWriter): Promise<void> {
  const { action, resource, object } = step;
  const { namespace = "", name = "" } = object.metadata;
  try {
    if (action === "Recreate") await writer.delete(resource, namespace, name);
    if (action === "Update") await writer.update(resource, object);
    else await writer.create(resource, object);
    if (action === "Create" && object["status"] !== undefined) {
      await writer.updateStatus(resource, object);
    }
  } catch (error) {
    if (!isAnothersDoing(error)) throw error;
  }
}

function isAnothersDoing(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.reason === "AlreadyExists" || error.reason === "Conflict";
}
