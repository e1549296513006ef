// The entry to validation: what is wrong with an object about to be stored, metadata first, then the rest in the order of
// its fields. Defaults have been applied, types and unknown fields have been dealt with by the decoder.
import type { FieldError } from "../meta/field-error.ts";
import type { KubeObject } from "../object.ts";
import type { ResourceSchema } from "../schema/schema.ts";
import { validateScale } from "./autoscaling-validation.ts";
import { type Check, rulesOf, takesAnyFinalizer, type UpdateCheck } from "./kind-rules.ts";
import {
  checkFinalizerNames,
  validateObjectMetaCreate,
  validateObjectMetaUpdate,
} from "./metadata.ts";
import { nameIsSubdomain } from "./names.ts";

/** Empty when the object may be stored. generateName has been turned into a name. */
export function validateCreate(resource: ResourceSchema, object: KubeObject): FieldError[] {
  const rules = rulesOf(resource.type);
  const errors: FieldError[] = [];
  if (isStored(resource)) {
    const { nameOf, name = nameIsSubdomain } = rules;
    const nameRule = nameOf
      ? // A prefix cannot be judged by what the whole name must be.
        (text: string, prefix: boolean) => (prefix ? [] : nameOf(object as never, text))
      : name;
    const { namespaced } = resource;
    errors.push(...validateObjectMetaCreate(object.metadata, { namespaced, name: nameRule }));
    if (!takesAnyFinalizer(resource.type)) errors.push(...checkFinalizerNames(object.metadata));
  }
  run(rules.create, object, errors);
  return errors;
}

/**
 * Empty when `object` may take the place of `old`. `subresource` is "" for the resource itself; for scale, the object may
 * be the Scale that was sent or the scaled object.
 */
export function validateUpdate(
  resource: ResourceSchema,
  object: KubeObject,
  old: Readonly<KubeObject>,
  subresource: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (subresource === "scale" && object.kind === "Scale") {
    validateScale(object, errors);
    return errors;
  }
  errors.push(...validateObjectMetaUpdate(object.metadata, old.metadata));
  if (!takesAnyFinalizer(resource.type)) errors.push(...checkFinalizerNames(object.metadata));
  const rules = rulesOf(resource.type);
  if (subresource !== "" && subresource !== "scale") {
    runUpdate(rules.subresources?.[subresource], { object, old }, errors);
  } else if (rules.update) runUpdate(rules.update, { object, old }, errors);
  else run(rules.create, object, errors);
  return errors;
}

/** Reviews and bindings are answered, not stored; their names are optional. */
function isStored(resource: ResourceSchema): boolean {
  return resource.verbs.includes("get");
}

function run(check: Check | undefined, object: KubeObject, errors: FieldError[]): void {
  check?.(object as never, errors);
}

function runUpdate(
  check: UpdateCheck | undefined,
  { object, old }: { object: KubeObject; old: Readonly<KubeObject> },
  errors: FieldError[],
): void {
  check?.(object as never, old as never, errors);
}
