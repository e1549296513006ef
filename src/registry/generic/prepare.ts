// What every kind's objects go through between the body of a request and validation: status split, generation and the
// metadata that only the server moves. Pure functions on the request's own object.
import { prepareCreated } from "../../api/defaults/creation.ts";
import type { JsonValue, KubeObject } from "../../api/object.ts";
import { type ResourceSchema, schema } from "../../api/schema/schema.ts";
import { normalize } from "../../api/codec/normalize.ts";
import type { Strategy, WriteContext } from "../strategy.ts";
import { toNumber } from "./int64.ts";
import { equalJson } from "../../std/json.ts";

export interface KindRules {
  readonly resource: ResourceSchema;
  readonly strategy: Strategy;
}

/** In place. The name and the system's metadata must be there already. */
export function prepareForCreate(
  rules: KindRules,
  object: KubeObject,
  context: WriteContext,
): void {
  const { resource, strategy } = rules;
  if (hasStatus(resource) && strategy.dropsStatusOnCreate) resetStatus(resource, object);
  const { generation } = strategy;
  if (generation === "None" || generation === "FromFirstChange") delete object.metadata.generation;
  else object.metadata.generation = 1;
  prepareCreated(resource.type, object);
  strategy.prepareForCreate(object, context);
}

function hasStatus(resource: ResourceSchema): boolean {
  return resource.subresources.some(({ name }) => name === "status");
}

/** Go prints a status that is a struct also when it is empty, with the structs in it. */
function resetStatus(resource: ResourceSchema, object: KubeObject): void {
  const field = schema.types[resource.type]?.fields.find(({ name }) => name === "status");
  if (field === undefined || field.pointer === true) delete object["status"];
  else object["status"] = normalize(field.type, {});
}

/** In place on `object`. `subresource` "" is the object itself. */
export function prepareForUpdate(
  rules: KindRules,
  change: {
    readonly object: KubeObject;
    readonly old: Readonly<KubeObject>;
    readonly subresource: string;
  },
  context: WriteContext,
): void {
  const { resource, strategy } = rules;
  const { object, old, subresource } = change;
  keep(object.metadata, old.metadata, "generation");
  if (subresource === "") {
    if (hasStatus(resource)) keep(object, old, "status");
    strategy.prepareForUpdate(object, old, context);
  } else {
    if (subresource === "status") keepAllButStatus(object, old, strategy);
    strategy.subresources[subresource]?.(object, old, context);
  }
  // The Deployment controller writes annotations through /status; they ask nobody for anything.
  if (subresource !== "status") moveGeneration(strategy, object, old);
  keepSystemFields(object, old);
}

function keepAllButStatus(object: KubeObject, old: Readonly<KubeObject>, strategy: Strategy): void {
  for (const key of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (!["kind", "apiVersion", "metadata", "status"].includes(key)) keep(object, old, key);
  }
  if (strategy.statusMetadata === "FromRequest") return;
  const { resourceVersion } = object.metadata;
  object.metadata = { ...old.metadata };
  if (resourceVersion === undefined) delete object.metadata.resourceVersion;
  else object.metadata.resourceVersion = resourceVersion;
}

/** Takes a field over from the stored object, also its absence. */
export function keep<T extends object>(object: T, old: Readonly<T>, key: keyof T): void {
  if (old[key] === undefined) delete object[key];
  else object[key] = old[key];
}

/** Metadata whose change counts as a change of the object. */
const alsoCounted: Readonly<Partial<Record<Strategy["generation"], "annotations" | "labels">>> = {
  OnChangeOrAnnotations: "annotations",
  OnChangeOrLabels: "labels",
};

function moveGeneration(strategy: Strategy, object: KubeObject, old: Readonly<KubeObject>): void {
  if (strategy.generation === "None" || strategy.generation === "Fixed") return;
  const also = alsoCounted[strategy.generation];
  const changed =
    specChanged(object, old) ||
    (also !== undefined && !equalJson(object.metadata[also] ?? {}, old.metadata[also] ?? {}));
  if (changed) object.metadata.generation = toNumber(old.metadata.generation) + 1;
}

/** Anything that is not metadata or status. */
function specChanged(object: KubeObject, old: Readonly<KubeObject>): boolean {
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const key of ["kind", "apiVersion", "metadata", "status"]) keys.delete(key);
  for (const key of keys) {
    const [now, before] = [object[key] as JsonValue, old[key] as JsonValue];
    if (now === undefined || before === undefined || !equalJson(now, before)) return true;
  }
  return false;
}

/** An update can neither move an object's origin nor take its deletion back. */
function keepSystemFields(object: KubeObject, old: Readonly<KubeObject>): void {
  const { metadata } = object;
  if ((metadata.uid ?? "") === "") keep(metadata, old.metadata, "uid");
  keep(metadata, old.metadata, "creationTimestamp");
  if (old.metadata.deletionTimestamp !== undefined) {
    keep(metadata, old.metadata, "deletionTimestamp");
  }
  if (metadata.deletionGracePeriodSeconds === undefined) {
    keep(metadata, old.metadata, "deletionGracePeriodSeconds");
  }
  delete metadata.selfLink;
}
