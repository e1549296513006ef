// The schema part of OpenAPI documents: every type that a set of roots reaches, made from the schema's fields. Knows both
// versions of OpenAPI, since they differ in small ways only.
import {
  type FieldSchema,
  type GroupVersionKind,
  type ResourceSchema,
  type Schema,
  findKindType,
} from "../../api/schema/schema.ts";
import {
  defaultOf,
  describeField,
  describeType,
  requiredFields,
  valuesOf,
} from "./documentation.ts";
import type { SchemaObject } from "./schema-object.ts";
import {
  definitionName,
  type OpenApiVersion,
  referredScalar,
  specialDefinition,
} from "./special-types.ts";

/** Ends the id of a list of a type: `core.v1.PodList`. */
const listSuffix = "List";

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
    refer: (id) => {
      asked.add(id);
      return { $ref: `${prefix}${definitionName(id)}` };
    },
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
  const properties: Record<string, SchemaObject> = kinds ? kindProperties(kinds) : {};
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
  const kinds = context.kinds.get(id) ?? [];
  return {
    description: `A list of ${itemType.split(".").at(-1)} objects.`,
    type: "object",
    properties: {
      ...kindProperties(kinds),
      items: {
        type: "array",
        items: structField(context.refer(itemType), {}, { context, pointer: false }),
        description: describeField(id, "items") ?? "",
      },
      metadata: structField(
        context.refer("meta.v1.ListMeta"),
        { description: describeField(id, "metadata") ?? "" },
        { context, pointer: false },
      ),
    },
    required: ["items"],
    "x-kubernetes-group-version-kind": kinds,
  };
}

function kindProperties(kinds: readonly GroupVersionKind[]): Record<string, SchemaObject> {
  const id = kinds[0]?.kind ?? "";
  return {
    apiVersion: { type: "string", description: describeField(id, "apiVersion") ?? "" },
    kind: { type: "string", description: describeField(id, "kind") ?? "" },
  };
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

function fieldSchema(field: FieldSchema, owner: string, context: TypeContext): SchemaObject {
  const value = valueSchema(field, owner, context);
  const isStruct = field.type in context.schema.types;
  const description = describeField(owner, field.name);
  const rest: SchemaObject = {
    ...(description !== undefined && { description }),
    ...mergeExtensions(field),
  };
  if (field.container !== undefined) {
    const item = itemSchema(value, { context, pointer: !isStruct });
    return field.container === "list"
      ? { type: "array", items: item, ...rest }
      : { type: "object", additionalProperties: item, ...rest };
  }
  if (value.$ref !== undefined)
    return structField(value, rest, { context, pointer: field.pointer === true || !isStruct });
  return { ...value, ...rest, ...scalarValues(field, owner, context) };
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
  rest: SchemaObject,
  { context, pointer }: StructOptions,
): SchemaObject {
  if (context.version === 2) return { ...ref, ...rest };
  if (pointer && Object.keys(rest).length === 0) return ref;
  return { allOf: [ref], ...(!pointer && { default: {} }), ...rest };
}

/** Defaults and closed sets stay out of the second version, as upstream prunes them there for old clients. */
function scalarValues(field: FieldSchema, owner: string, context: TypeContext): SchemaObject {
  if (context.version === 2) return {};
  const values = valuesOf(owner, field.name);
  const promised = defaultOf(owner, field.name);
  const zero = field.always && !field.pointer ? zeroOf(scalarSchemas[field.type] ?? {}) : undefined;
  const fallback = promised ?? zero;
  return {
    ...(values && { enum: values }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

function zeroOf({ type }: SchemaObject): unknown {
  if (type === "string") return "";
  if (type === "boolean") return false;
  return type === "integer" || type === "number" ? 0 : undefined;
}

function mergeExtensions({ container, patch, topology }: FieldSchema): SchemaObject {
  const strategy = [patch?.merge && "merge", patch?.retainKeys && "retainKeys"]
    .filter(Boolean)
    .join(",");
  return {
    ...(container === "list" && { "x-kubernetes-list-type": topology?.type ?? "atomic" }),
    ...(topology?.keys && { "x-kubernetes-list-map-keys": topology.keys }),
    ...(container !== "list" &&
      topology?.type === "atomic" && { "x-kubernetes-map-type": "atomic" }),
    ...(strategy !== "" && { "x-kubernetes-patch-strategy": strategy }),
    ...(patch?.mergeKey !== undefined && { "x-kubernetes-patch-merge-key": patch.mergeKey }),
  };
}
