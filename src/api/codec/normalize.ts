// Decoded JSON to what Go's typed decode and encode would leave of it: unknown fields dropped, null as absent, zero values
// omitted, structs that are no pointers printed, fields in the struct's order, maps sorted, quantities and times in canonical
// form. One walker a message type, built from the schema at first use. Knows nothing of defaults or validation.
import { isJsonObject, setKey } from "../../std/json.ts";
import type { FieldSchema } from "../schema/schema.ts";
import { assert } from "../../std/assert.ts";
import { DecodeError } from "./decode-error.ts";
import { findMessageType, type JsonField, jsonFields, type MessageType } from "./message-types.ts";
import { type Decoder, decodeStrings, scalars, stringOf } from "./scalars.ts";
import { type PathStep, Walk, type WalkOptions } from "./walk.ts";

/**
 * The value as Go would print it after reading `value` into the type. Throws DecodeError with Go's text on wrong types and
 * malformed scalars. The result may share lists and raw values with the input, which is left as it was.
 */
export function normalize(typeId: string, value: unknown, report?: WalkOptions["report"]): unknown {
  return normalizeWith(typeId, value, { report });
}

export function normalizeWith(typeId: string, value: unknown, options: WalkOptions): unknown {
  const walk = new Walk(options);
  const result = compiled.message(typeId).decode(value, walk);
  walk.finish();
  return result;
}

interface CompiledField {
  readonly name: string;
  /** A value to put in when the field is absent or null; undefined leaves it out. Called anew for each object. */
  readonly whenAbsent: (() => unknown) | undefined;
  /** Undefined: the field is left out (or put in by whenAbsent). Never sees null. */
  readonly decode: Decoder;
}

interface CompiledMessage {
  decode: Decoder;
  /** What Go prints of the zero struct. */
  zero(): Record<string, unknown>;
}

/** Walkers by type id, built when first asked for. */
class CompiledTypes {
  private readonly byId = new Map<string, CompiledMessage>();

  message(id: string): CompiledMessage {
    const known = this.byId.get(id);
    if (known !== undefined) return known;
    const type = findMessageType(id);
    assert(type !== undefined, `no message type ${id}`);
    const message = compileMessage(type, this);
    this.byId.set(id, message);
    return message;
  }
}

const compiled = new CompiledTypes();

function compileMessage(type: MessageType, types: CompiledTypes): CompiledMessage {
  const goType = goTypeOf(type.id);
  let built: readonly CompiledField[] | undefined;
  let steps: readonly PathStep[] = [];
  let names: ReadonlyMap<string, number> = new Map();
  // Lazily, since types may hold themselves.
  const fields = (): readonly CompiledField[] => {
    if (built === undefined) {
      const all = jsonFields(type);
      built = all.map((field) => compileField(field, type, types));
      steps = all.map(stepOf);
      names = new Map(built.map((field, index) => [field.name, index]));
    }
    return built;
  };
  return {
    zero: () => assemble(fields(), []),
    decode: (value, walk) => {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        return walk.mismatch(value, goType);
      const own = fields();
      const slots: unknown[] = [];
      const outer = walk.struct;
      walk.struct = type.name;
      fillSlots(value as Record<string, unknown>, { own, steps, names, slots }, walk);
      walk.struct = outer;
      return assemble(own, slots);
    },
  };
}

interface Filling {
  readonly own: readonly CompiledField[];
  /** How each is entered. */
  readonly steps: readonly PathStep[];
  readonly names: ReadonlyMap<string, number>;
  readonly slots: unknown[];
}

function fillSlots(source: Record<string, unknown>, filling: Filling, walk: Walk): void {
  const repeated = walk.duplicates?.get(source);
  for (const key in source) {
    const child = source[key];
    const index = filling.names.get(key);
    if (index === undefined) {
      if (child !== undefined) walk.unknown(key);
      continue;
    }
    if (child !== null && child !== undefined) {
      walk.enter(filling.steps[index]!);
      filling.slots[index] = filling.own[index]!.decode(child, walk);
      walk.leave();
    }
    if (repeated?.includes(key)) walk.duplicate(key);
  }
}

function assemble(
  fields: readonly CompiledField[],
  slots: readonly unknown[],
): Record<string, unknown> {
  const target: Record<string, unknown> = {};
  for (let index = 0; index < fields.length; index++) {
    const value = slots[index];
    const field = fields[index]!;
    if (value !== undefined) target[field.name] = value;
    else if (field.whenAbsent !== undefined) target[field.name] = field.whenAbsent();
  }
  return target;
}

function stepOf({ name, embedded }: JsonField): PathStep {
  return embedded === undefined ? name : { name, goPath: [...embedded, name].join(".") };
}

function compileField(field: FieldSchema, owner: MessageType, types: CompiledTypes): CompiledField {
  const element = compileElement(field, types);
  const { name } = field;
  if (field.container === "list") return listField(field, owner, element);
  if (field.container === "map") return mapField(field, element);
  if (field.pointer === true) return { name, decode: element.decode, whenAbsent: undefined };
  // The only struct that Go leaves out when zero (`omitzero`).
  const omitZero = field.name === "creationTimestamp" && owner.id === "meta.v1.ObjectMeta";
  if (omitZero)
    return {
      name,
      decode: (value, walk) => element.decode(value, walk) ?? undefined,
      whenAbsent: undefined,
    };
  if (field.always === true || element.struct)
    return { name, decode: element.decode, whenAbsent: element.zero };
  return { name, decode: omitEmpty(element.decode), whenAbsent: undefined };
}

function omitEmpty(decode: Decoder): Decoder {
  return (value, walk) => {
    const result = decode(value, walk);
    if (result === "" || result === 0 || result === false || result === 0n) return undefined;
    return result;
  };
}

interface Element {
  readonly decode: Decoder;
  readonly zero: () => unknown;
  readonly goType: string;
  readonly struct: boolean;
  readonly scalar: string | undefined;
}

function compileElement({ type, goType, container }: FieldSchema, types: CompiledTypes): Element {
  const scalar = scalars[type];
  if (type === "string" && goType !== undefined) {
    const named = container === undefined ? goType : goType.replace(/^\[\]|^map\[.*?\]/, "");
    return {
      ...scalars["string"]!,
      decode: stringOf(named),
      zero: () => "",
      goType: named,
      scalar: type,
    };
  }
  if (scalar !== undefined) return { ...scalar, zero: () => scalar.zero, scalar: type };
  const union = unions[type];
  if (union !== undefined) {
    const schemaProps = () => types.message("apiextensions.v1.JSONSchemaProps").decode;
    return {
      decode: (value, walk) => union(value, walk, schemaProps()),
      zero: () => null,
      goType: goTypeOf(`apiextensions.v1.${type}`),
      struct: true,
      scalar: type,
    };
  }
  return {
    decode: (value, walk) => types.message(type).decode(value, walk),
    zero: () => types.message(type).zero(),
    goType: goTypeOf(type),
    struct: true,
    scalar: undefined,
  };
}

function listField(field: FieldSchema, owner: MessageType, element: Element): CompiledField {
  const goType = field.goType ?? `[]${element.goType}`;
  const keepsEmpty = owner.list && field.name === "items";
  const whenAbsent = field.always === true ? () => (keepsEmpty ? [] : null) : undefined;
  const items =
    element.scalar === "string"
      ? (values: unknown[], walk: Walk) => decodeStrings(values, walk, element.decode)
      : (values: unknown[], walk: Walk) => decodeItems(values, element, walk);
  return {
    name: field.name,
    whenAbsent,
    decode: (value, walk) => {
      if (!Array.isArray(value)) return walk.mismatch(value, goType);
      return value.length === 0 ? undefined : items(value, walk);
    },
  };
}

function decodeItems(values: readonly unknown[], element: Element, walk: Walk): unknown[] {
  const result: unknown[] = [];
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    walk.enter(index);
    const item = value === null || value === undefined ? undefined : element.decode(value, walk);
    result.push(item === undefined ? element.zero() : item);
    walk.leave();
  }
  return result;
}

function mapField(field: FieldSchema, element: Element): CompiledField {
  const goType = field.goType ?? `map[string]${element.goType}`;
  const whenAbsent = field.always === true ? () => null : undefined;
  const plain = element.scalar === "string";
  return {
    name: field.name,
    whenAbsent,
    decode: (value, walk) => {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        return walk.mismatch(value, goType);
      const source = value as Record<string, unknown>;
      if (plain && walk.duplicates === undefined && isSortedStrings(source))
        return orUndefined(source);
      return decodeMap(source, element, walk);
    },
  };
}

function orUndefined(source: Record<string, unknown>): Record<string, unknown> | undefined {
  for (const key in source) if (key !== undefined) return source;
  return undefined;
}

function isSortedStrings(source: Record<string, unknown>): boolean {
  let last = "";
  for (const key in source) {
    if (key < last || typeof source[key] !== "string") return false;
    last = key;
  }
  return true;
}

function decodeMap(
  source: Record<string, unknown>,
  element: Element,
  walk: Walk,
): Record<string, unknown> | undefined {
  const values = new Map<string, unknown>();
  const repeated = walk.duplicates?.get(source);
  for (const key of Object.keys(source)) {
    const value = source[key];
    if (value === undefined) continue;
    walk.enter({ key });
    const result = value === null ? undefined : element.decode(value, walk);
    values.set(key, result === undefined ? mapZero(element) : result);
    walk.leave();
    if (repeated?.includes(key)) walk.duplicate(key);
  }
  if (values.size === 0) return undefined;
  const target: Record<string, unknown> = {};
  for (const key of [...values.keys()].sort()) setKey(target, key, values.get(key));
  return target;
}

/** Bytes and lists come back from storage empty, not nil, when they are values of a map. */
function mapZero(element: Element): unknown {
  if (element.scalar === "bytes") return "";
  return element.scalar === "stringList" ? [] : element.zero();
}

/** JSONSchemaPropsOrX: upstream's own unmarshallers, which do not report unknown fields below them. */
const unions: Readonly<
  Record<string, (value: unknown, walk: Walk, schemaProps: Decoder) => unknown>
> = {
  schemaOrArray: (value, walk, schemaProps) => {
    if (!Array.isArray(value))
      return isJsonObject(value) ? muted(walk, () => schemaProps(value, walk)) : null;
    if (value.length === 0) return null;
    return muted(walk, () => value.map((item) => schemaProps(item ?? {}, walk)));
  },
  schemaOrBool: (value, walk, schemaProps) => {
    if (typeof value === "boolean") return value;
    if (!isJsonObject(value)) throw new DecodeError("boolean or JSON schema expected");
    return muted(walk, () => schemaProps(value, walk));
  },
  schemaOrStringArray: (value, walk, schemaProps) => {
    if (Array.isArray(value)) return value.length === 0 ? null : decodeStrings(value, walk);
    return isJsonObject(value) ? muted(walk, () => schemaProps(value, walk)) : null;
  },
};

function muted(walk: Walk, decode: () => unknown): unknown {
  walk.muted++;
  const result = decode();
  walk.muted--;
  return result;
}

/** `core.v1.PodSpec` is Go's `v1.PodSpec`. */
function goTypeOf(id: string): string {
  return id.slice(id.indexOf(".") + 1);
}
