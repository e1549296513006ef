// A populations file as text becomes checked records, or a list of complaints that each say where, and what was expected
// there. Changes from the command line (`--set`, `--scale`) are made before the check.
import { type Document, LineCounter, isNode, parseDocument } from "yaml";
import { schema } from "../api/schema/schema.ts";
import { type Complaint, type Path, checkJson } from "../std/json-schema.ts";
import type { Fixture, Population, PopulationFile } from "./population.ts";
import { membersMax, populationSchema } from "./population-schema.ts";
import { isKnownResource, knownKind } from "./resource-address.ts";
import { unknownNames } from "./template.ts";

export interface Changes {
  /** `populations.collectors.count=20`: a name or a number picks from a list. */
  readonly set: readonly string[];
  /** Members, nodes and fixtures are multiplied by it. */
  readonly scale: number;
}

export const noChanges: Changes = { set: [], scale: 1 };

export class PopulationFileError extends Error {
  override readonly name = "PopulationFileError";
}

/** `source`: how errors call the file. Throws PopulationFileError with all that is wrong, a line each. */
export function parsePopulationFile(
  text: string,
  source: string,
  changes: Changes,
): PopulationFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineOf = (offset: number): string => String(lines.linePos(offset).line);
  if (document.errors.length > 0)
    throw new PopulationFileError(
      document.errors
        .map(({ pos, message }) => `${source}:${lineOf(pos[0])}: ${message.split("\n")[0]}`)
        .join("\n"),
    );
  for (const set of changes.set) applySet(document, set);
  const { value, complaints } = checkJson(populationSchema, document.toJS());
  const all = complaints.length > 0 ? complaints : meaningComplaints(value as PopulationFile);
  if (all.length > 0)
    throw new PopulationFileError(
      all.map((complaint) => `${source}${place(document, lines, complaint)}`).join("\n"),
    );
  const file = scaled(value as PopulationFile, changes.scale);
  const members = file.populations.reduce((sum, { count }) => sum + count, 0);
  if (members > membersMax)
    throw new PopulationFileError(`${source}: ${members} members, at most ${membersMax}`);
  return file;
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
  return `: ${pathText(path)}: ${message}`;
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
  if (equals < 1) throw new PopulationFileError(`--set ${set}: expected path=value`);
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
  throw new PopulationFileError(`--set ${set}: expected one of ${names.join(", ")}, found ${step}`);
}

function scaled(file: PopulationFile, scale: number): PopulationFile {
  if (scale === 1) return file;
  const times = (count: number): number => Math.max(1, Math.round(count * scale));
  const both = <T extends { count: number; nodes: number }>(one: T): T => ({
    ...one,
    count: times(one.count),
    nodes: times(one.nodes),
  });
  return {
    ...file,
    prepare: file.prepare.map((one) => both<Fixture>(one)),
    populations: file.populations.map((one) =>
      one.behaviour.kind === "bystander" ? one : both<Population>(one),
    ),
  };
}

/* ---- what no schema can say ---- */

function meaningComplaints(file: PopulationFile): Complaint[] {
  const names = new Set<string>();
  return [
    ...file.prepare.flatMap((fixture, index) => fixtureComplaints(fixture, ["prepare", index])),
    ...file.populations.flatMap((population, index) => {
      const path = ["populations", index] as const;
      const twice = names.has(population.name);
      names.add(population.name);
      return [
        ...(twice
          ? [{ path: [...path, "name"], message: `there are two populations ${population.name}` }]
          : []),
        ...textComplaints(population, path, memberNames),
        ...resourceComplaints(population.behaviour, [...path, "behaviour"]),
      ];
    }),
  ];
}

const memberNames = ["index", "node", "object", "pod"];

function fixtureComplaints(fixture: Fixture, path: Path): Complaint[] {
  const { manifest, count } = fixture;
  const same = count > 1 && !manifest.metadata.name.includes("{{");
  return [
    ...textComplaints(fixture, path, ["index", "node"]),
    ...kindComplaints(manifest, [...path, "manifest"]),
    ...(same
      ? [
          {
            path: [...path, "manifest", "metadata", "name"],
            message: `expected a name with {{.index}}, because there are ${count} of them`,
          },
        ]
      : []),
  ];
}

function kindComplaints({ apiVersion, kind }: Fixture["manifest"], path: Path): Complaint[] {
  if (knownKind(apiVersion, kind) !== undefined) return [];
  const close = schema.resources.find((one) => one.kind === kind);
  const version = close === undefined || close.group === "" ? "" : `${close.group}/`;
  const hint =
    close === undefined ? "no built-in kind" : `${kind} is of ${version}${close.version}`;
  return [{ path: [...path, "kind"], message: `${apiVersion} ${kind} is not known: ${hint}` }];
}

function textComplaints(value: unknown, path: Path, known: readonly string[]): Complaint[] {
  if (typeof value === "string")
    return unknownNames(value, known).map((name) => ({
      path,
      message: `{{.${name}}} is not known here: expected ${known.map((one) => `{{.${one}}}`).join(", ")}`,
    }));
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return entries.flatMap(([step, own]) => textComplaints(own, [...path, step], known));
}

/** Every `resource` within. */
function resourceComplaints(value: unknown, path: Path): Complaint[] {
  if (typeof value !== "object" || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return entries.flatMap(([step, own]) => {
    if (step === "manifest") return kindComplaints(own as Fixture["manifest"], [...path, step]);
    if (step !== "resource" || typeof own !== "string")
      return resourceComplaints(own, [...path, step]);
    if (isKnownResource(own)) return [];
    const close = schema.resources.find(
      (one) => one.kind.toLowerCase() === own.toLowerCase() || one.resource === own.split(".")[0],
    );
    const group = close === undefined || close.group === "" ? "" : `.${close.group}`;
    const hint =
      close === undefined
        ? "expected a plural name like pods or deployments.apps"
        : `meant ${close.resource}${group}?`;
    return [{ path: [...path, step], message: `there is no resource ${own}: ${hint}` }];
  });
}
