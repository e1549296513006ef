// UPDATE, of the object or through one of its subresources, in upstream's order: change, defaults, mutating admission,
// resourceVersion, preparation, validation, warnings, validating admission, compare-and-write. An update that takes the
// last finalizer of a deleted object removes it; one that changes nothing writes nothing
// (registry/generic/registry/store.go, registry/rest/update.go).
import { applyDefaults } from "../../api/defaults/defaults.ts";
import { invalid, notFound } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { validateUpdate } from "../../api/validation/validation.ts";
import { warningsFor } from "../../api/validation/warnings.ts";
import type { UpdateCall, Written } from "../registry.ts";
import { createNamed } from "./create.ts";
import { type Current, isUnchanged, servedBytes, storedBytes } from "./object-bytes.ts";
import { type Attempt, untilWritten } from "./optimistic.ts";
import { dropDuplicateOwners } from "./owner-references.ts";
import { checkResourceVersion, uidConflict } from "./preconditions.ts";
import { prepareForUpdate } from "./prepare.ts";
import {
  attributesOf,
  contextOf,
  dropManagedFields,
  type RegistryParts,
  type Reserved,
  settlePlace,
  targetOf,
} from "./registry-parts.ts";
import { toNumber } from "./int64.ts";
import { parseObject } from "../../api/codec/parse-object.ts";

/** What admission sees of the object, for subresources with a kind of their own (scale). */
export interface AdmissionView {
  show(object: Readonly<KubeObject>): KubeObject;
  /** Brings what a mutating plugin did to the shown object back. In place. */
  takeBack(shown: KubeObject, object: KubeObject): void;
}

const wholeObject: AdmissionView = {
  show: (object) => object,
  takeBack: () => {},
};

/** Throws NotFound, Conflict, Invalid and whatever admission says. */
export function updateObject(
  parts: RegistryParts,
  call: UpdateCall,
  view: AdmissionView = wholeObject,
): Promise<Written> {
  return untilWritten(parts, call, (current) =>
    current === undefined
      ? createInstead(parts, call)
      : attemptUpdate(parts, call, { current, view }),
  );
}

/** PUT to a name that does not exist: some kinds come into being by it. */
async function createInstead(parts: RegistryParts, call: UpdateCall): Promise<Attempt<Written>> {
  const target = targetOf(parts);
  if (!call.mayCreate || call.subresource !== "" || !parts.strategy.createsOnUpdate) {
    throw notFound(target, call.name);
  }
  const object = call.change(undefined);
  settlePlace(parts, object, call.namespace);
  checkUid(parts, call, { object, found: "" });
  await call.authorizeCreate();
  delete object.metadata.resourceVersion;
  dropManagedFields(object);
  applyDefaults(parts.resource.type, object);
  await call.admission.mutate(
    attributesOf(parts, call, {
      operation: "CREATE",
      name: call.name,
      object,
      oldObject: undefined,
    }),
  );
  const outcome = await createNamed(parts, object, call);
  return outcome.kind === "Written"
    ? { kind: "Done", result: outcome.written }
    : { kind: "Lost", current: outcome.current };
}

async function attemptUpdate(
  parts: RegistryParts,
  call: UpdateCall,
  state: { readonly current: Current; readonly view: AdmissionView },
): Promise<Attempt<Written>> {
  const { current } = state;
  const old = parseObject(current.bytes);
  const object = call.change(() => parseObject(current.bytes));
  settlePlace(parts, object, call.namespace);
  checkUid(parts, call, { object, found: old.metadata.uid ?? "" });
  dropManagedFields(object);
  dropDuplicateOwners(object.metadata, (text) => call.warn(text));
  applyDefaults(parts.resource.type, object);
  const mutating = mutate(parts, call, { object, old, view: state.view });
  if (mutating instanceof Promise) await mutating;
  checkResourceVersion(targetOf(parts), object, {
    revision: current.revision,
    unconditionalUpdate: parts.strategy.unconditionalUpdate,
  });
  const { subresource } = call;
  prepareForUpdate(parts, { object, old, subresource }, contextOf(parts, call));
  const errors = validateUpdate(parts.resource, object, old, subresource);
  if (errors.length > 0) throw invalid(parts.resource, object.metadata.name ?? "", errors);
  for (const text of warningsFor(parts.resource, object, old)) call.warn(text);
  const reserving = parts.reservations.reserve(object, old);
  const reserved = reserving instanceof Promise ? await reserving : reserving;
  const shown = state.view.show(reserved.object);
  const validating = call.admission.validate(
    updateAttributes(parts, call, { object: shown, old, view: state.view }),
  );
  if (validating instanceof Promise) await validating;
  return await commit(parts, call, { current, old, ...reserved });
}

/** Only a PUT states which object it means by uid; a patch that changes it fails validation. */
function checkUid(
  parts: RegistryParts,
  call: UpdateCall,
  uids: { readonly object: KubeObject; readonly found: string },
): void {
  const asked = uids.object.metadata.uid ?? "";
  if (!call.mayCreate || asked === "" || asked === uids.found) return;
  throw uidConflict(targetOf(parts), call.name, {
    storeKey: parts.objects.storeKey(call),
    asked,
    found: uids.found,
  });
}

interface AdmissionStep {
  readonly object: KubeObject;
  readonly old: Readonly<KubeObject>;
  readonly view: AdmissionView;
}

function mutate(
  parts: RegistryParts,
  call: UpdateCall,
  { view, object, old }: AdmissionStep,
): void | Promise<void> {
  const shown = view.show(object);
  const done = (): void => view.takeBack(shown, object);
  const pending = call.admission.mutate(
    updateAttributes(parts, call, { view, old, object: shown }),
  );
  return pending instanceof Promise ? pending.then(done) : done();
}

function updateAttributes(
  parts: RegistryParts,
  call: UpdateCall,
  step: AdmissionStep,
): ReturnType<typeof attributesOf> {
  return attributesOf(parts, call, {
    operation: "UPDATE",
    name: call.name,
    object: step.object,
    oldObject: step.view.show(step.old),
    subresource: call.subresource,
    kind: call.kind,
  });
}

interface Change extends Reserved {
  readonly current: Current;
  readonly old: Readonly<KubeObject>;
}

async function commit(
  parts: RegistryParts,
  call: UpdateCall,
  change: Change,
): Promise<Attempt<Written>> {
  const { current, object, companions } = change;
  // Upstream defaults what it reads from its store, so also what preparation and admission have put in.
  applyDefaults(parts.resource.type, object);
  const value = storedBytes(parts.resource.type, object);
  const done = (bytes: Uint8Array): Attempt<Written> => ({
    kind: "Done",
    result: { bytes, created: false },
  });
  if (isFinished(parts, change)) {
    if (call.dryRun) return done(servedBytes(value, current.revision));
    const released = await parts.reservations.release(change.old);
    const removal = await parts.objects.remove(call, {
      revision: current.revision,
      companions: released,
      cost: call.cost,
    });
    if (removal.kind === "Lost" && removal.current !== undefined) return removal;
    return done(servedBytes(value, current.revision));
  }
  if (isUnchanged(value, current)) return done(current.bytes);
  if (call.dryRun) return done(servedBytes(value, current.revision));
  const { ttlSeconds } = parts.strategy;
  const outcome = await parts.objects.write(call, value, {
    revision: current.revision,
    ttlSeconds,
    companions,
    cost: call.cost,
  });
  if (outcome.kind === "Lost") return outcome;
  return done(parts.objects.served(call, value, outcome.revision));
}

/** The object was deleted before, its grace is over, and with this write nothing keeps it any more. */
function isFinished(parts: RegistryParts, { object, old }: Change): boolean {
  return (
    (object.metadata.finalizers ?? []).length === 0 &&
    !parts.strategy.isHeld(object) &&
    old.metadata.deletionTimestamp !== undefined &&
    toNumber(old.metadata.deletionGracePeriodSeconds) === 0
  );
}
