// What validation says to an object as a client would send it: defaults first, then the rules. For the tests of kinds.
import { expect, test } from "vitest";
import { applyDefaults } from "../defaults/defaults.ts";
import { fieldErrorBody } from "../meta/field-error.ts";
import type { KubeObject } from "../object.ts";
import { type ResourceSchema, schema } from "../schema/schema.ts";
import { validateCreate, validateUpdate } from "./validation.ts";

export type Case = readonly [what: string, fields: object, ...want: string[]];
export type UpdateCase = readonly [what: string, old: object, fields: object, ...want: string[]];

export function resourceOf(typeId: string): ResourceSchema {
  const resource = schema.resources.find((one) => one.type === typeId);
  if (resource === undefined) throw new Error(`no resource has type ${typeId}`);
  return resource;
}

/** Named `x`, in namespace `ns` where its kind has one, with defaults. */
export function objectOf(typeId: string, fields: object): KubeObject {
  const { namespaced } = resourceOf(typeId);
  const given = structuredClone(fields) as Partial<KubeObject>;
  const object: KubeObject = {
    ...given,
    metadata: { name: "x", ...(namespaced ? { namespace: "ns" } : {}), ...given.metadata },
  };
  applyDefaults(typeId, object);
  return object;
}

export function refusals(typeId: string, fields: object): string[] {
  const errors = validateCreate(resourceOf(typeId), objectOf(typeId, fields));
  return errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`);
}

export function updateRefusals(
  typeId: string,
  [old, fields]: readonly [object, object],
  subresource = "",
): string[] {
  const resource = resourceOf(typeId);
  const before = objectOf(typeId, old);
  const after = objectOf(typeId, fields);
  const errors = validateUpdate(resource, after, before, subresource);
  return errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`);
}

/** One test a case; no complaint wanted means the object is good. */
export function refusalTests(typeId: string, cases: readonly Case[]): void {
  test.each(cases.map((one) => [...one]))(`${typeId}: %s`, (_, fields, ...want) => {
    expect(refusals(typeId, fields)).toEqual(want);
  });
}

export function updateRefusalTests(
  typeId: string,
  cases: readonly UpdateCase[],
  subresource = "",
): void {
  const title = `${typeId} update${subresource === "" ? "" : ` of ${subresource}`}`;
  test.each(cases.map((one) => [...one]))(`${title}: %s`, (_, old, fields, ...want) => {
    expect(updateRefusals(typeId, [old, fields], subresource)).toEqual(want);
  });
}
