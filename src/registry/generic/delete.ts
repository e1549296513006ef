// DELETE of one object: preconditions, admission, then what deletion-rules.ts plans, by compare-and-write.
import { notFound } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { DeleteCall, Deleted } from "../registry.ts";
import { planDelete } from "./deletion-rules.ts";
import { type Current, isUnchanged, servedBytes, storedBytes } from "./object-bytes.ts";
import { type Attempt, untilWritten } from "./optimistic.ts";
import { checkDeletePreconditions } from "./preconditions.ts";
import { attributesOf, type RegistryParts, targetOf } from "./registry-parts.ts";
import { parseObject } from "../../api/codec/parse-object.ts";

/** Throws NotFound, Conflict and whatever admission says. */
export async function deleteObject(parts: RegistryParts, call: DeleteCall): Promise<Deleted> {
  const { strategy } = parts;
  const { propagationPolicy, orphanDependents } = call.options;
  if (
    strategy.orphanWarning !== "" &&
    !propagationPolicy &&
    typeof orphanDependents !== "boolean"
  ) {
    call.warn(strategy.orphanWarning);
  }
  return untilWritten(parts, call, (current) => {
    if (current === undefined) throw notFound(targetOf(parts), call.name);
    return attemptDelete(parts, call, current);
  });
}

async function attemptDelete(
  parts: RegistryParts,
  call: DeleteCall,
  current: Current,
): Promise<Attempt<Deleted>> {
  const { resource, strategy, system } = parts;
  const oldObject = parseObject(current.bytes);
  const kind = { group: resource.group, resource: resource.kind };
  checkDeletePreconditions(kind, oldObject.metadata, call.options.preconditions);
  const attributes = attributesOf(parts, call, {
    operation: "DELETE",
    name: call.name,
    object: undefined,
    oldObject,
  });
  await call.admission.mutate(attributes);
  await call.admission.validate(attributes);
  const object = parseObject(current.bytes);
  const plan = planDelete(object, strategy, { options: call.options, now: system.now });
  if (plan.kind === "Pending") {
    const { returnsDeleted } = strategy;
    return done({ bytes: current.bytes, object, gone: false, returnsObject: returnsDeleted });
  }
  if (plan.kind === "Remove") return remove(parts, call, { object: oldObject, current });
  const marked = await mark(parts, call, { object, current });
  if (marked.kind === "Lost") return marked;
  if (plan.thenRemove) return remove(parts, call, { object, current: marked.result });
  return done({ bytes: marked.result.bytes, object, gone: false, returnsObject: true });
}

interface Step {
  readonly object: KubeObject;
  readonly current: Current;
}

const done = <T>(result: T): Attempt<T> => ({ kind: "Done", result });

/** Stores the object as it is on its way out; the result stands in the store. */
async function mark(
  parts: RegistryParts,
  call: DeleteCall,
  { object, current }: Step,
): Promise<Attempt<Current>> {
  const { revision } = current;
  const value = storedBytes(parts.resource.type, object);
  if (isUnchanged(value, current)) return done(current);
  if (call.dryRun) return done({ revision, bytes: servedBytes(value, revision) });
  const { ttlSeconds } = parts.strategy;
  const outcome = await parts.objects.write(call, value, { revision, ttlSeconds, cost: call.cost });
  if (outcome.kind === "Lost") return outcome;
  const bytes = parts.objects.served(call, value, outcome.revision);
  return done({ revision: outcome.revision, bytes });
}

async function remove(
  parts: RegistryParts,
  call: DeleteCall,
  { object, current }: Step,
): Promise<Attempt<Deleted>> {
  const { returnsDeleted } = parts.strategy;
  const gone = (bytes: Uint8Array): Attempt<Deleted> =>
    done({ bytes, object, gone: true, returnsObject: returnsDeleted });
  if (call.dryRun) return gone(current.bytes);
  const companions = await parts.reservations.release(object);
  const { revision } = current;
  const outcome = await parts.objects.remove(call, { revision, companions, cost: call.cost });
  if (outcome.kind === "Lost") {
    // Gone already: somebody finished what was wanted here too, unless it never was marked.
    return outcome.current === undefined && object.metadata.deletionTimestamp !== undefined
      ? gone(current.bytes)
      : outcome;
  }
  // The last state is shown with the revision of its end.
  const value = storedBytes(parts.resource.type, object);
  return gone(servedBytes(value, outcome.revision));
}
