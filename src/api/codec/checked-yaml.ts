// One of our own YAML documents, changed by `--set`, checked against its schema and filled with defaults. Whatever is wrong
// is said with its line, its path and what was expected there.
import { type Document, LineCounter, isNode, parseDocument } from "yaml";
import { type Complaint, type JsonSchema, type Path, checkJson } from "../../std/json-schema.ts";

export class CheckedYamlError extends Error {
  override readonly name = "CheckedYamlError";
}

export interface YamlRules {
  readonly schema: JsonSchema;
  /** `populations.collectors.count=20`: a name or a number picks from a list. */
  readonly set: readonly string[];
  /** What no schema can say; asked only when the schema has no complaint. */
  readonly meaning: (value: unknown) => readonly Complaint[];
}

/** `source`: how errors call the file. Throws CheckedYamlError with all that is wrong, a line each. */
export function readCheckedYaml(text: string, source: string, rules: YamlRules): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true });
  const lineOf = (offset: number): string => String(lines.linePos(offset).line);
  if (document.errors.length > 0)
    throw new CheckedYamlError(
      document.errors
        .map(({ pos, message }) => `${source}:${lineOf(pos[0])}: ${firstLine(message)}`)
        .join("\n"),
    );
  for (const set of rules.set) applySet(document, set);
  const { value, complaints } = checkJson(rules.schema, document.toJS());
  const all = complaints.length > 0 ? complaints : rules.meaning(value);
  if (all.length > 0)
    throw new CheckedYamlError(
      all.map((complaint) => `${source}${place(document, lines, complaint)}`).join("\n"),
    );
  return value;
}

/** `:12: populations[0].count: expected ...`; what `--set` put there has no line. */
function place(document: Document, lines: LineCounter, { path, message }: Complaint): string {
  for (let depth = path.length; depth >= 0; depth--) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true);
    if (!isNode(node)) continue;
    const range = node.range?.[0];
    const line = range === undefined ? "" : `:${lines.linePos(range).line}`;
    return `${line}: ${path.length === 0 ? "" : `${pathText(path)}: `}${message}`;
  }
  return `: ${path.length === 0 ? "" : `${pathText(path)}: `}${message}`;
}

/** Without the excerpt of the file below it, and the colon that leads there. */
function firstLine(message: string): string {
  return (message.split("\n")[0] ?? "").replace(/( at line \d+, column \d+)?:$/, "");
}

function pathText(path: Path): string {
  return path
    .map((step, index) =>
      typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${step}`,
    )
    .join("");
}

function applySet(document: Document, set: string): void {
  const equals = set.indexOf("=");
  if (equals < 1) throw new CheckedYamlError(`--set ${set}: expected path=value`);
  const path = resolvePath(document, set.slice(0, equals).split("."), set);
  const value: unknown = parseDocument(set.slice(equals + 1)).toJS();
  document.setIn(path, value);
}

/** Turns a name of a list's entry into its index. */
function resolvePath(document: Document, steps: readonly string[], set: string): Path {
  const path: (string | number)[] = [];
  for (const step of steps) {
    const here: unknown = path.length === 0 ? document.toJS() : valueAt(document, path);
    if (Array.isArray(here)) path.push(indexIn(here, step, set));
    else path.push(step);
  }
  return path;
}

function valueAt(document: Document, path: Path): unknown {
  let value: unknown = document.toJS();
  for (const step of path) value = (value as Record<string | number, unknown> | null)?.[step];
  return value;
}

function indexIn(list: readonly unknown[], step: string, set: string): number {
  const named = list.findIndex((item) => (item as { name?: unknown } | null)?.name === step);
  if (named >= 0) return named;
  const index = Number(step);
  if (Number.isInteger(index) && index >= 0 && index < list.length) return index;
  const names = list.map((item, at) => (item as { name?: string } | null)?.name ?? String(at));
  throw new CheckedYamlError(`--set ${set}: expected one of ${names.join(", ")}, found ${step}`);
}
