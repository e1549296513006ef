// What is said of types and fields beyond their shape: texts, required fields, closed sets of values, defaults. The
// data is descriptions.json, made from schema/v1.36/{descriptions,required,values}.md.
import data from "../../api/schema/descriptions.json" with { type: "json" };

interface TypeDocumentation {
  readonly text?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly required?: readonly string[];
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** By type id; "*" speaks of fields of any type. */
const documentation = data as unknown as Readonly<Record<string, TypeDocumentation>>;

export function describeType(typeId: string): string | undefined {
  return documentation[typeId]?.text;
}

/** A field without a text of its own has that of its name, if any. */
export function describeField(typeId: string, field: string): string | undefined {
  return documentation[typeId]?.fields?.[field] ?? documentation["*"]?.fields?.[field];
}

/** JSON names, those of inlined fields among them. */
export function requiredFields(typeId: string): readonly string[] {
  return documentation[typeId]?.required ?? [];
}

export function valuesOf(typeId: string, field: string): readonly string[] | undefined {
  return documentation[typeId]?.values?.[field];
}

/** Undefined when the schema promises nothing; defaulting may still fill the field. */
export function defaultOf(typeId: string, field: string): unknown {
  return documentation[typeId]?.defaults?.[field];
}
