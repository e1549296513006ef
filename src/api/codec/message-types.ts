// The message types as codecs see them: the schema's own, plus what it leaves out because it follows from a rule:
// FooList for every Foo, and which types carry kind and apiVersion in JSON (Go embeds TypeMeta in them).
import { type FieldSchema, type GroupVersionKind, findKindType, schema } from "../schema/schema.ts";

export interface MessageType {
  readonly id: string;
  /** Go's name of the struct: the last part of the id. */
  readonly name: string;
  /** Fields as protobuf sees them: inlined messages are fields, kind and apiVersion are none. */
  readonly fields: readonly FieldSchema[];
  /** JSON carries kind and apiVersion. */
  readonly typeMeta: boolean;
  /** FooList: `items` is printed as [] when empty, never null. */
  readonly list: boolean;
}

const resourceTypes = new Set(schema.resources.map((resource) => resource.type));
const bareTypeMeta = new Set([
  "meta.v1.APIGroup",
  "meta.v1.APIGroupList",
  "meta.v1.APIResourceList",
  "meta.v1.APIVersions",
  "apiextensions.v1.ConversionReview",
]);

export function findMessageType(id: string): MessageType | undefined {
  const known = Object.hasOwn(schema.types, id) ? schema.types[id] : undefined;
  if (known !== undefined)
    return { id, name: nameOf(id), fields: known.fields, typeMeta: hasTypeMeta(id), list: false };
  const item = id.endsWith("List") ? id.slice(0, -4) : "";
  if (!Object.hasOwn(schema.types, item)) return undefined;
  return { id, name: nameOf(id), fields: listFields(item), typeMeta: true, list: true };
}

/** Like schema.ts's findKindType, but knows FooList too. */
export function findTypeOfKind(kind: GroupVersionKind): string | undefined {
  const direct = findKindType(kind);
  if (direct !== undefined) return direct;
  if (!kind.kind.endsWith("List")) return undefined;
  const item = findKindType({ ...kind, kind: kind.kind.slice(0, -4) });
  return item === undefined ? undefined : `${item}List`;
}

export interface JsonField extends FieldSchema {
  /** The structs that Go embeds on the way to the field: `ConfigMapVolumeSource` has a `LocalObjectReference`. */
  readonly embedded?: readonly string[];
}

/** The fields as JSON shows them: inlined messages dissolved, kind and apiVersion first. In Go's order. */
export function jsonFields(type: MessageType): readonly JsonField[] {
  const own = type.fields.flatMap((field) => dissolve(field, []));
  return type.typeMeta ? [...typeMetaFields, ...own] : own;
}

const typeMetaFields: readonly FieldSchema[] = [
  { name: "kind", number: 0, type: "string" },
  { name: "apiVersion", number: 0, type: "string" },
];

function dissolve(field: FieldSchema, embedded: readonly string[]): readonly JsonField[] {
  if (field.inline !== true) return [embedded.length === 0 ? field : { ...field, embedded }];
  const within = [...embedded, nameOf(field.type)];
  return (schema.types[field.type]?.fields ?? []).flatMap((inner) => dissolve(inner, within));
}

function hasTypeMeta(id: string): boolean {
  if (resourceTypes.has(id) || bareTypeMeta.has(id)) return true;
  const name = nameOf(id);
  // SELinuxOptions and its like have no group of their own; the options of verbs and connects do.
  if (/^(meta|core)\.v1\.(Pod|Node|Service)?[A-Z][a-z]+Options$/.test(id)) return true;
  if (/Template(Spec)?$/.test(name)) return false;
  return schema.types[id]?.fields.some(isMetadata) ?? false;
}

function isMetadata(field: FieldSchema): boolean {
  return field.name === "metadata" && /^meta\.v1\.(Object|List)Meta$/.test(field.type);
}

function listFields(item: string): readonly FieldSchema[] {
  return [
    { name: "metadata", number: 1, type: "meta.v1.ListMeta" },
    { name: "items", number: 2, type: item, container: "list", always: true },
  ];
}

function nameOf(id: string): string {
  return id.slice(id.lastIndexOf(".") + 1);
}
