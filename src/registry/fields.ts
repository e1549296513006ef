// Which fields of a kind a fieldSelector may name, where their values stand, and which of them have an index: tables,
// read once to make the watch cache's layout. The tables themselves are in <group>/<kind>/fields.ts.
import { badRequest } from "../api/meta/errors.ts";
import type { KubeObject } from "../api/object.ts";
import type { IndexDefinition, ResourceLayout } from "../watchcache/resource-cache.ts";

export interface SelectableField {
  readonly name: string;
  /** Dotted; the first that holds something counts. None: the value is always `absent`. */
  readonly paths: readonly string[];
  readonly absent: string;
}

export interface FieldTable {
  /** Besides metadata.name and metadata.namespace. */
  readonly fields: readonly SelectableField[];
  /** Other names that selectors may use: alias -> name. */
  readonly aliases: Readonly<Record<string, string>>;
  readonly indexes: readonly IndexDefinition[];
}

export const plainFields: FieldTable = { fields: [], aliases: {}, indexes: [] };

/** A string field under its own name. */
export function at(name: string, absent = ""): SelectableField {
  return { name, paths: [name], absent };
}

const everyKinds = ["metadata.name", "metadata.namespace"];

/** The field a selector means by `label`. Throws BadRequest when the kind does not offer it. */
export function selectableField(table: FieldTable, label: string): string {
  const name = Object.hasOwn(table.aliases, label) ? table.aliases[label]! : label;
  if (everyKinds.includes(name) || table.fields.some((field) => field.name === name)) return name;
  throw badRequest(
    table.fields.length > 0
      ? `field label not supported: ${label}`
      : `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}

export function layoutOf(
  table: FieldTable,
  place: { readonly label: string; readonly prefix: string; readonly namespaced: boolean },
): ResourceLayout {
  const fields = table.fields.map((field) => ({
    paths: field.paths.map((path) => path.split(".")),
    absent: field.absent,
  }));
  return {
    ...place,
    fields: table.fields.map((field) => field.name),
    indexes: table.indexes,
    paths: [...new Set(table.fields.flatMap((field) => field.paths))],
    project: (object) =>
      fields.map(({ paths, absent }) => {
        for (const path of paths) {
          const value = textAt(object, path);
          if (value !== "") return value;
        }
        return absent;
      }),
  };
}

function textAt(object: Readonly<KubeObject>, path: readonly string[]): string {
  let value: unknown = object;
  for (const step of path) {
    if (typeof value !== "object" || value === null) return "";
    value = (value as Record<string, unknown>)[step];
  }
  if (typeof value === "string") return value;
  const isScalar = ["number", "bigint", "boolean"].includes(typeof value);
  return isScalar ? String(value) : "";
}
