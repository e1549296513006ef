// CREATE in upstream's order: defaults, mutating admission, name, preparation, validation, warnings, validating admission,
// store (registry/generic/registry/store.go, registry/rest/create.go).
import { applyDefaults } from "../../api/defaults/defaults.ts";
import {
  alreadyExists,
  conflict,
  invalid,
  staleObject,
  StatusError,
  unknownError,
} from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { validateCreate } from "../../api/validation/validation.ts";
import { warningsFor } from "../../api/validation/warnings.ts";
import type { Written, WriteCall } from "../registry.ts";
import { type Current, storedBytes } from "./object-bytes.ts";
import { writeAttemptsMax } from "./optimistic.ts";
import { dropDuplicateOwners } from "./owner-references.ts";
import { prepareForCreate } from "./prepare.ts";
import {
  attributesOf,
  contextOf,
  dropManagedFields,
  type RegistryParts,
  type Reserved,
  settlePlace,
  targetOf,
} from "./registry-parts.ts";
import { generateNameAttempts } from "./system-fields.ts";
import { copyJson } from "../../std/json.ts";
import { parseObject } from "../../api/codec/parse-object.ts";

/** Throws Invalid, AlreadyExists and whatever admission says. `object` is used up. */
export async function createObject(
  parts: RegistryParts,
  object: KubeObject,
  call: WriteCall,
): Promise<Written> {
  settlePlace(parts, object, call.namespace);
  dropManagedFields(object);
  dropDuplicateOwners(object.metadata, (text) => call.warn(text));
  applyDefaults(parts.resource.type, object);
  const name = object.metadata.name ?? "";
  await call.admission.mutate(
    attributesOf(parts, call, { operation: "CREATE", name, object, oldObject: undefined }),
  );
  const base = object.metadata.generateName ?? "";
  if ((object.metadata.name ?? "") !== "" || base === "") {
    const outcome = await createNamed(parts, object, call);
    if (outcome.kind === "Exists") throw existsError(parts, object, outcome.current);
    return outcome.written;
  }
  return createGenerated(parts, object, call);
}

/** Names collide rarely: 27^5 suffixes. Each attempt starts from the object as admission left it. */
async function createGenerated(
  parts: RegistryParts,
  object: KubeObject,
  call: WriteCall,
): Promise<Written> {
  const base = object.metadata.generateName!;
  for (let attempt = 1; ; attempt++) {
    const copy = copyJson(object);
    copy.metadata.name = parts.system.generateName(base);
    const outcome = await createNamed(parts, copy, call);
    if (outcome.kind === "Written") return outcome.written;
    if (attempt === generateNameAttempts) throw generateNameConflict(parts, copy.metadata.name);
  }
}

function generateNameConflict(parts: RegistryParts, name: string): StatusError {
  const suffix = ", the server was not able to generate a unique name for the object";
  const { status } = alreadyExists(targetOf(parts), name, suffix);
  return new StatusError({ ...status, details: { ...status.details, retryAfterSeconds: 1 } });
}

function existsError(parts: RegistryParts, object: KubeObject, current: Current): StatusError {
  const { status } = alreadyExists(targetOf(parts), object.metadata.name ?? "");
  if (parseObject(current.bytes).metadata.deletionTimestamp === undefined) {
    return new StatusError(status);
  }
  return new StatusError({ ...status, message: `object is being deleted: ${status.message}` });
}

export type CreateOutcome =
  | { readonly kind: "Written"; readonly written: Written }
  | { readonly kind: "Exists"; readonly current: Current };

/** One attempt with a fixed name, from preparation on; also what a PUT does that creates. */
export async function createNamed(
  parts: RegistryParts,
  object: KubeObject,
  call: WriteCall,
): Promise<CreateOutcome> {
  const { resource, system, reservations } = parts;
  system.fill(object.metadata);
  prepareForCreate(parts, object, contextOf(parts, call));
  const name = object.metadata.name ?? "";
  const errors = validateCreate(resource, object);
  if (errors.length > 0) throw invalid(resource, name, errors);
  for (const text of warningsFor(resource, object)) call.warn(text);
  for (let tries = 0; tries < writeAttemptsMax; tries++) {
    const reserved = await reservations.reserve(object, undefined);
    await call.admission.validate(
      attributesOf(parts, call, {
        operation: "CREATE",
        name,
        object: reserved.object,
        oldObject: undefined,
      }),
    );
    const outcome = await storeNew(parts, call, reserved);
    if (outcome !== undefined) return outcome;
  }
  throw conflict(targetOf(parts), name, staleObject);
}

/**
 * Undefined: something was in the way, and not an object of this name. It stood there and was gone when the store
 * looked, or somebody else got what was reserved.
 */
async function storeNew(
  parts: RegistryParts,
  call: WriteCall,
  { object, companions }: Reserved,
): Promise<CreateOutcome | undefined> {
  if ((object.metadata.resourceVersion ?? "") !== "") {
    throw unknownError("resourceVersion should not be set on objects to be created");
  }
  const place = { namespace: call.namespace, name: object.metadata.name ?? "" };
  // Upstream defaults what it reads from its store, so also what preparation and admission have put in.
  applyDefaults(parts.resource.type, object);
  const value = storedBytes(parts.resource.type, object);
  if (call.dryRun) {
    const current = await parts.objects.read(place, call.cost);
    if (current !== undefined) return { kind: "Exists", current };
    return { kind: "Written", written: { bytes: value, created: true } };
  }
  const { ttlSeconds } = parts.strategy;
  const outcome = await parts.objects.write(place, value, {
    revision: 0,
    ttlSeconds,
    companions,
    cost: call.cost,
  });
  if (outcome.kind === "Written") {
    const bytes = parts.objects.served(place, value, outcome.revision);
    return { kind: "Written", written: { bytes, created: true } };
  }
  return outcome.current && { kind: "Exists", current: outcome.current };
}
