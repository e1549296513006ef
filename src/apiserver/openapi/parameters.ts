// Query and path parameters, taken from the fields of meta/v1's options.
import type { FieldSchema, Schema } from "../../api/schema/schema.ts";
import { describeField } from "./documentation.ts";
import type { Parameter } from "./operation.ts";

/** Sets of query parameters by what a request does; see Parameters. */
export interface Parameters {
  readonly list: readonly Parameter[];
  readonly create: readonly Parameter[];
  readonly update: readonly Parameter[];
  readonly patch: readonly Parameter[];
  readonly delete: readonly Parameter[];
  readonly deleteCollection: readonly Parameter[];
  /** Of the kinds that only carry parameters, like PodExecOptions. */
  ofOptions(typeId: string): readonly Parameter[];
}

export const prettyParameter: Parameter = {
  name: "pretty",
  in: "query",
  type: "string",
  description: "Set to true to have the answer indented.",
};

export const namespaceParameter: Parameter = {
  name: "namespace",
  in: "path",
  type: "string",
  description: "namespace of the object",
};

export function nameParameter(kind: string): Parameter {
  return { name: "name", in: "path", type: "string", description: `name of the ${kind}` };
}

export const pathParameter: Parameter = {
  name: "path",
  in: "path",
  type: "string",
  description: "path to the resource behind the proxy",
};

export function parametersOf(schema: Schema): Parameters {
  const ofOptions = (typeId: string): Parameter[] =>
    (schema.types[typeId]?.fields ?? [])
      .filter((field) => !(field.type in schema.types) && field.type !== "time")
      .map((field) => queryParameter(field, typeId))
      .sort(byName);
  const list = ofOptions("meta.v1.ListOptions");
  const remove = ofOptions("meta.v1.DeleteOptions");
  const isForDeletion = ({ name }: Parameter): boolean =>
    name !== "watch" && name !== "allowWatchBookmarks";
  return {
    list,
    create: ofOptions("meta.v1.CreateOptions"),
    update: ofOptions("meta.v1.UpdateOptions"),
    patch: ofOptions("meta.v1.PatchOptions"),
    delete: remove,
    deleteCollection: [...list.filter(isForDeletion), ...remove].sort(byName),
    ofOptions,
  };
}

/** Create and update options are patch options without `force`, so one text serves all three. */
const describedElsewhere: Readonly<Record<string, string>> = {
  "meta.v1.CreateOptions": "meta.v1.PatchOptions",
  "meta.v1.UpdateOptions": "meta.v1.PatchOptions",
};

function queryParameter(field: FieldSchema, typeId: string): Parameter {
  const description = describeField(describedElsewhere[typeId] ?? typeId, field.name);
  const type = field.type === "bool" ? "boolean" : /^u?int/.test(field.type) ? "integer" : "string";
  return {
    name: field.name,
    in: "query",
    type: field.container === undefined ? type : "string",
    ...(description !== undefined && { description }),
  };
}

function byName(a: Parameter, b: Parameter): number {
  return a.name < b.name ? -1 : 1;
}
