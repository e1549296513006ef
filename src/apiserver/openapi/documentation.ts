// What is said of types and fields beyond their shape: texts, required fields, closed sets of values, defaults. The
// data is descriptions.json, made from schema/v1.36/{descriptions,required,values}.md.
import data from "../../api/schema/descriptions.json" with { type: "json" };

interface Documentation {
  readonly descriptions: Readonly<Record<string, string>>;
  readonly required: Readonly<Record<string, readonly string[]>>;
  readonly enums: Readonly<Record<string, readonly string[]>>;
  readonly defaults: Readonly<Record<string, unknown>>;
}

const documentation: Documentation = data;

export function describeType(typeId: string): string | undefined {
  return documentation.descriptions[typeId];
}

/** A field without a text of its own has that of its name, if any. */
export function describeField(typeId: string, field: string): string | undefined {
  return (
    documentation.descriptions[`${typeId}.${field}`] ?? documentation.descriptions[`*.${field}`]
  );
}

/** JSON names, those of inlined fields among them. */
export function requiredFields(typeId: string): readonly string[] {
  return documentation.required[typeId] ?? [];
}

export function valuesOf(typeId: string, field: string): readonly string[] | undefined {
  return documentation.enums[`${typeId}.${field}`];
}

/** Undefined when the schema promises nothing; defaulting may still fill the field. */
export function defaultOf(typeId: string, field: string): unknown {
  return documentation.defaults[`${typeId}.${field}`];
}
