// Checks a plain value against a JSON Schema and fills in its defaults. Only the keywords that our own documents need,
// which are enough for editors to help with the same schema; a `oneOf` is told apart by the one property that each
// branch fixes with `const`.

export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** `false` unless the object is free. */
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly oneOf?: readonly JsonSchema[];
}

export type Path = readonly (string | number)[];

export interface Complaint {
  readonly path: Path;
  /** `expected a whole number from 1, found "many"`. */
  readonly message: string;
}

export interface Checked {
  /** The value with defaults; to be trusted only without complaints. */
  readonly value: unknown;
  readonly complaints: readonly Complaint[];
}

export function checkJson(schema: JsonSchema, value: unknown): Checked {
  const complaints: Complaint[] = [];
  return { value: check(schema, value, { path: [], complaints }), complaints };
}

interface At {
  readonly path: Path;
  readonly complaints: Complaint[];
}

function check(schema: JsonSchema, value: unknown, at: At): unknown {
  if (schema.oneOf !== undefined) return checkOneOf(schema.oneOf, value, at);
  const problem = problemOf(schema, value);
  if (problem !== undefined) {
    at.complaints.push({ path: at.path, message: problem });
    return value;
  }
  if (schema.type === "object") return checkObject(schema, value as Record<string, unknown>, at);
  if (schema.type !== "array" || schema.items === undefined) return value;
  const { items } = schema;
  return (value as unknown[]).map((item, index) => check(items, item, inside(at, index)));
}

function inside({ path, complaints }: At, step: string | number): At {
  return { path: [...path, step], complaints };
}

/** What is wrong with the value itself, its parts aside. */
function problemOf(schema: JsonSchema, value: unknown): string | undefined {
  const { type, minimum, maximum, pattern, minItems, maxItems } = schema;
  const wrong = `expected ${expectation(schema)}, found ${shown(value)}`;
  if (schema.const !== undefined && value !== schema.const) return wrong;
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) return wrong;
  if (type !== undefined && !isOf(type, value)) return wrong;
  if (typeof value === "number" && (value < (minimum ?? value) || value > (maximum ?? value)))
    return wrong;
  if (typeof value === "string" && pattern !== undefined && !new RegExp(pattern).test(value))
    return wrong;
  if (!Array.isArray(value)) return undefined;
  if (value.length < (minItems ?? 0)) return `expected at least ${minItems} of them`;
  return value.length > (maxItems ?? Infinity) ? `expected at most ${maxItems} of them` : undefined;
}

function isOf(type: NonNullable<JsonSchema["type"]>, value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object")
    return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "number") return Number.isFinite(value);
  return typeof value === type;
}

function checkObject(schema: JsonSchema, value: Record<string, unknown>, at: At): unknown {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  const whole: [string, unknown][] = [];
  for (const [name, own] of Object.entries(value)) {
    // A field may be called "constructor", which every object has.
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const property =
      known ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
    if (property !== undefined) whole.push([name, check(property, own, inside(at, name))]);
    else if (additionalProperties === true) whole.push([name, own]);
    else at.complaints.push({ path: [...at.path, name], message: unknownName(name, properties) });
  }
  for (const [name, property] of Object.entries(properties)) {
    if (Object.hasOwn(value, name)) continue;
    if (property.default !== undefined)
      whole.push([name, check(property, property.default, inside(at, name))]);
    else if (required.includes(name))
      at.complaints.push({
        path: at.path,
        message: `${name} is missing: expected ${expectation(property)}`,
      });
  }
  return Object.fromEntries(whole);
}

function unknownName(name: string, properties: Readonly<Record<string, JsonSchema>>): string {
  const known = Object.keys(properties);
  const close = known.find((one) => isClose(one.toLowerCase(), name.toLowerCase()));
  const hint = close === undefined ? `expected one of ${known.join(", ")}` : `meant ${close}?`;
  return `there is no field ${name}: ${hint}`;
}

/** One letter more, fewer, other or swapped. */
function isClose(a: string, b: string): boolean {
  if (a.startsWith(b) || b.startsWith(a)) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  const rest = (text: string, skipped: number): string => text.slice(same + skipped);
  if (short.length < long.length) return rest(long, 1) === rest(short, 0);
  return long.length === short.length && rest(long, 2) === rest(short, 2);
}

function checkOneOf(branches: readonly JsonSchema[], value: unknown, at: At): unknown {
  const tag = tagOf(branches);
  const kinds = branches.map((branch) => branch.properties?.[tag]?.const ?? "");
  if (!isOf("object", value)) {
    at.complaints.push({
      path: at.path,
      message: `expected an object with ${tag}: ${kinds.join(" | ")}, found ${shown(value)}`,
    });
    return value;
  }
  const own = (value as Record<string, unknown>)[tag];
  const branch = branches[kinds.indexOf(String(own))];
  if (branch !== undefined) return check(branch, value, at);
  const path = own === undefined ? at.path : [...at.path, tag];
  const found = own === undefined ? `${tag} is missing` : `found ${shown(own)}`;
  at.complaints.push({ path, message: `expected ${tag}: ${kinds.join(" | ")}; ${found}` });
  return value;
}

/** The property that every branch fixes. */
function tagOf(branches: readonly JsonSchema[]): string {
  const [first] = branches;
  const names = Object.entries(first?.properties ?? {});
  return names.find(([, property]) => property.const !== undefined)?.[0] ?? "";
}

function expectation(schema: JsonSchema): string {
  const { type, minimum, maximum } = schema;
  if (schema.const !== undefined) return shown(schema.const);
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`;
  if (schema.oneOf !== undefined) return `an object with ${tagOf(schema.oneOf)}`;
  if (type === "integer" || type === "number") {
    const kind = type === "integer" ? "a whole number" : "a number";
    const from = minimum === undefined ? "" : ` from ${minimum}`;
    return `${kind}${from}${maximum === undefined ? "" : ` to ${maximum}`}`;
  }
  if (type === "array") return "a list";
  if (type === "object") return "an object";
  if (type === "boolean") return "true or false";
  if (schema.pattern !== undefined)
    return `text like ${shown(schema.examples?.[0] ?? schema.pattern)}`;
  return "text";
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return value === undefined ? "nothing" : JSON.stringify(value);
}
