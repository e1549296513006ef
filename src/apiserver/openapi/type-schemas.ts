// The schema part of OpenAPI documents: every type that a set of roots reaches, made from the schema's fields. Knows both
// versions of OpenAPI, since they differ in small ways only.
import {
  type FieldSchema,
  type GroupVersionKind,
  type PatchStrategy,
  type ResourceSchema,
  type Schema,
  findKindType,
} from "../../api/schema/schema.ts";
import { assert } from "../../std/assert.ts";
import {
  defaultOf,
  describeField,
  describeType,
  requiredFields,
  valuesOf,
} from "./documentation.ts";
import { once } from "./once.ts";
import type { SchemaObject } from "./schema-object.ts";
import {
  definitionName,
  type OpenApiVersion,
  referredScalar,
  specialDefinition,
} from "./special-types.ts";

/** Ends the id of a list of a type: `core.v1.PodList`. */
const listSuffix = "List";

/** A kind by its group version, but its JSON does not say so. */
const kindWithoutTypeMeta = "meta.v1.WatchEvent";
const metaKindsOfEveryGroup = ["DeleteOptions", "WatchEvent"];
const metaKinds = ["Status", "APIGroup", "APIGroupList", "APIResourceList", "APIVersions"];

/** Kinds with apiVersion and kind of their own, by definition id. */
type KindIndex = ReadonlyMap<string, readonly GroupVersionKind[]>;

/** Definitions asked for so far; asking returns the reference to put in the document. */
export interface Definitions {
  readonly refer: (id: string) => SchemaObject;
  /** All of them by published name, with everything they refer to in turn. */
  readonly build: () => Record<string, SchemaObject>;
}

export function collectDefinitions(schema: Schema, version: OpenApiVersion): Definitions {
  const kinds = indexKinds(schema);
  const prefix = version === 3 ? "#/components/schemas/" : "#/definitions/";
  const asked = new Set<string>();
  const context: TypeContext = {
    schema,
    version,
    kinds,
    refer: once((id) => {
      asked.add(id);
      return { $ref: `${prefix}${definitionName(id)}` };
    }),
  };
  return {
    refer: context.refer,
    build: () => {
      const built: Record<string, SchemaObject> = {};
      // A Set also visits what is added while it is walked.
      for (const id of asked) built[definitionName(id)] = definition(id, context);
      return built;
    },
  };
}

interface TypeContext {
  readonly schema: Schema;
  readonly version: OpenApiVersion;
  readonly kinds: KindIndex;
  readonly refer: (id: string) => SchemaObject;
}

function indexKinds({ resources }: Schema): KindIndex {
  const index = new Map<string, GroupVersionKind[]>();
  for (const resource of resources) {
    const { group, version, kind } = resource;
    index.set(resource.type, [{ group, version, kind }]);
    index.set(listTypeOf(resource), [{ group, version, kind: `${kind}${listSuffix}` }]);
    for (const subresource of resource.subresources) {
      const type = findKindType(subresource.kind);
      if (type !== undefined && !subresource.kind.kind.endsWith("Options"))
        index.set(type, [subresource.kind]);
    }
  }
  for (const kind of metaKinds) index.set(`meta.v1.${kind}`, [{ group: "", version: "v1", kind }]);
  const groupVersions = new Map(
    resources.map(({ group, version }) => [`${group}/${version}`, { group, version }]),
  );
  for (const kind of metaKindsOfEveryGroup)
    index.set(
      `meta.v1.${kind}`,
      [...groupVersions.values()].map(({ group, version }) => ({ group, version, kind })),
    );
  return index;
}

/** Definition id of the list of a resource's objects. */
export function listTypeOf(resource: ResourceSchema): string {
  return `${resource.type}${listSuffix}`;
}

function definition(id: string, context: TypeContext): SchemaObject {
  const special = specialDefinition(id, context.version);
  if (special) return special;
  const type = context.schema.types[id];
  if (!type) return listDefinition(id, context);
  const kinds = context.kinds.get(id);
  const properties: Record<string, SchemaObject> =
    kinds && id !== kindWithoutTypeMeta ? kindProperties() : {};
  addProperties(properties, id, context);
  const required = requiredFields(id);
  const description = describeType(id);
  return {
    ...(description !== undefined && { description }),
    type: "object",
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(kinds && { "x-kubernetes-group-version-kind": kinds }),
    ...(type.atomic && { "x-kubernetes-map-type": "atomic" }),
  };
}

/** Lists of resources are left out of the schema: they all look the same. */
function listDefinition(id: string, context: TypeContext): SchemaObject {
  const itemType = id.slice(0, -listSuffix.length);
  assert(id.endsWith(listSuffix) && itemType in context.schema.types, `no type ${id}`);
  const kinds = context.kinds.get(id) ?? [];
  const options = { context, pointer: false };
  return {
    description: `A list of ${itemType.split(".").at(-1)} objects.`,
    type: "object",
    properties: {
      ...kindProperties(),
      items: described(
        { type: "array", items: structField(context.refer(itemType), {}, options) },
        "items",
      ),
      metadata: structField(
        context.refer("meta.v1.ListMeta"),
        { description: "Version and paging of the list." },
        options,
      ),
    },
    required: ["items"],
    "x-kubernetes-group-version-kind": kinds,
  };
}

function kindProperties(): Record<string, SchemaObject> {
  return {
    apiVersion: described({ type: "string" }, "apiVersion"),
    kind: described({ type: "string" }, "kind"),
  };
}

/** With the text that fields of this name have everywhere. */
function described(schema: SchemaObject, field: string): SchemaObject {
  const description = describeField("*", field);
  return description === undefined ? schema : { ...schema, description };
}

function addProperties(
  properties: Record<string, SchemaObject>,
  typeId: string,
  context: TypeContext,
): void {
  for (const field of context.schema.types[typeId]?.fields ?? [])
    if (field.inline) addProperties(properties, field.type, context);
    else properties[field.name] = fieldSchema(field, typeId, context);
}

/** Filled in place: a document has thousands of fields, and is waited for. */
type Draft = { -readonly [Word in keyof SchemaObject]: SchemaObject[Word] };

function fieldSchema(field: FieldSchema, owner: string, context: TypeContext): SchemaObject {
  const draft: Draft = {};
  const description = describeField(owner, field.name);
  if (description !== undefined) draft.description = description;
  addMergeExtensions(draft, field);
  const value = valueSchema(field, owner, context);
  const isStruct = field.type in context.schema.types;
  if (field.container === "list") {
    draft.type = "array";
    draft.items = itemSchema(value, { context, pointer: !isStruct });
  } else if (field.container === "map") {
    draft.type = "object";
    draft.additionalProperties = itemSchema(value, { context, pointer: !isStruct });
  } else if (value.$ref !== undefined) {
    return structField(value, draft, { context, pointer: field.pointer === true || !isStruct });
  } else {
    Object.assign(draft, value);
    addScalarValues(draft, field, { owner, context });
  }
  return draft;
}

/** One value of the field's type, without anything that belongs to the field. */
function valueSchema(field: FieldSchema, owner: string, context: TypeContext): SchemaObject {
  if (field.type in context.schema.types) return context.refer(field.type);
  const referred = referredScalar(field.type, owner);
  if (referred !== undefined) return context.refer(referred);
  return scalarSchemas[field.type] ?? { type: "string" };
}

const scalarSchemas: Readonly<Record<string, SchemaObject>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  uint32: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
  stringList: { type: "array", items: { type: "string" } },
};

function itemSchema(value: SchemaObject, options: StructOptions): SchemaObject {
  if (value.$ref !== undefined) return structField(value, {}, options);
  const zero = options.context.version === 3 ? zeroOf(value) : undefined;
  return zero === undefined ? value : { ...value, default: zero };
}

interface StructOptions {
  readonly context: TypeContext;
  readonly pointer: boolean;
}

/** The third version knows no siblings of $ref, and promises {} for structs that are no pointers. */
function structField(
  ref: SchemaObject,
  draft: Draft,
  { context, pointer }: StructOptions,
): SchemaObject {
  if (context.version === 2) return { ...ref, ...draft };
  if (pointer && isEmpty(draft)) return ref;
  draft.allOf = [ref];
  if (!pointer) draft.default = {};
  return draft;
}

function isEmpty(draft: Draft): boolean {
  for (const _word in draft) return false;
  return true;
}

/** Defaults and closed sets stay out of the second version, as upstream prunes them there for old clients. */
function addScalarValues(
  draft: Draft,
  field: FieldSchema,
  { owner, context }: { owner: string; context: TypeContext },
): void {
  if (context.version === 2) return;
  const values = valuesOf(owner, field.name);
  if (values) draft.enum = values;
  const zero = field.always && !field.pointer ? zeroOf(draft) : undefined;
  const fallback = defaultOf(owner, field.name) ?? zero;
  if (fallback !== undefined) draft.default = fallback;
}

function zeroOf({ type }: SchemaObject): unknown {
  if (type === "string") return "";
  if (type === "boolean") return false;
  return type === "integer" || type === "number" ? 0 : undefined;
}

function addMergeExtensions(draft: Draft, { container, patch, topology }: FieldSchema): void {
  if (container === "list") draft["x-kubernetes-list-type"] = topology?.type ?? "atomic";
  else if (topology?.type === "atomic") draft["x-kubernetes-map-type"] = "atomic";
  if (topology?.keys) draft["x-kubernetes-list-map-keys"] = topology.keys;
  if (patch) draft["x-kubernetes-patch-strategy"] = strategyText(patch);
  if (patch?.mergeKey !== undefined) draft["x-kubernetes-patch-merge-key"] = patch.mergeKey;
}

function strategyText({ merge, retainKeys }: PatchStrategy): string {
  if (!retainKeys) return "merge";
  return merge ? "merge,retainKeys" : "retainKeys";
}
