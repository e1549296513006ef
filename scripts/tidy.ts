// The house's own checks as pure functions of a tree of sources: layers, cycles, bans, sizes, names. tidy.test.ts runs
// them over the repository, and over a small tree in which each must fire (the canary).
import { dirname, join, normalize } from "node:path";
import { parseSync } from "vite";

/** Path from the repository's root -> text. */
export type Tree = ReadonlyMap<string, string>;

type Tower = "ground" | "server" | "client" | "top";

interface Layer {
  readonly folder: string;
  readonly tower: Tower;
  readonly rank: number;
}

/** The rank table of docs/ARCHITECTURE.md: a folder imports lower ranks of its tower and of the ground, plus itself. */
export const layers: readonly Layer[] = [
  { folder: "src/std", tower: "ground", rank: 0 },
  { folder: "src/host", tower: "ground", rank: 0 },
  { folder: "src/api", tower: "ground", rank: 1 },
  { folder: "src/host/node", tower: "ground", rank: 1 },
  { folder: "src/host/simulated", tower: "ground", rank: 1 },
  { folder: "src/storage", tower: "server", rank: 2 },
  { folder: "src/watchcache", tower: "server", rank: 3 },
  { folder: "src/registry", tower: "server", rank: 4 },
  { folder: "src/access", tower: "server", rank: 4 },
  { folder: "src/flowcontrol", tower: "server", rank: 4 },
  { folder: "src/accounting", tower: "server", rank: 4 },
  { folder: "src/apiserver", tower: "server", rank: 5 },
  { folder: "src/client", tower: "client", rank: 2 },
  { folder: "src/informer", tower: "client", rank: 3 },
  { folder: "src/controllers", tower: "client", rank: 4 },
  { folder: "src/scheduler", tower: "client", rank: 4 },
  { folder: "src/kubelet", tower: "client", rank: 4 },
  { folder: "src/fleet", tower: "client", rank: 4 },
  { folder: "src/cluster", tower: "top", rank: 6 },
  { folder: "src/rehearsal", tower: "top", rank: 7 },
  { folder: "src/cmd", tower: "top", rank: 8 },
  { folder: "src/index.ts", tower: "top", rank: 9 },
];

/** Folders where Node itself may be touched. */
const nodeEdges = [
  "src/host/node",
  "src/storage/lmdb",
  "src/storage/etcd",
  "src/cmd",
  "src/index.ts",
];
const vagueFolders = /\/(utils?|common|shared|helpers?|lib)\//;
const linesMax = 600;
const architectureLinesMax = 200;

interface Import {
  readonly from: string;
  /** Resolved path for own files, the specifier for packages. */
  readonly to: string;
  readonly own: boolean;
}

/** Every complaint as one line: `file: what is wrong`. */
export function tidy(tree: Tree): string[] {
  const sources = [...tree.keys()].filter(isSource);
  const modules = sources.map((path) => parseModule(path, tree.get(path) ?? ""));
  const imports = modules.flatMap((module) => module.imports);
  return [
    ...modules.flatMap((module) => module.complaints),
    ...imports.filter((entry) => entry.own).flatMap((entry) => layerComplaint(entry)),
    ...imports.flatMap((entry) => nodeComplaint(entry)),
    ...cycles(imports.filter((entry) => entry.own)),
    ...sources.flatMap((path) => shapeComplaints(path, tree.get(path) ?? "")),
    ...documentComplaints(tree),
  ];
}

function isSource(path: string): boolean {
  return path.startsWith("src/") && path.endsWith(".ts") && !path.endsWith(".d.ts");
}

/** Tests, the suites they share (contract) and what they stand on (testbed): none of it is product. */
function isTest(path: string): boolean {
  return /\.(test|contract|testbed)\.ts$/.test(path);
}

function isNodeEdge(path: string): boolean {
  return nodeEdges.some((edge) => path === edge || path.startsWith(`${edge}/`));
}

/* ---- one module ---- */

interface Module {
  readonly imports: Import[];
  readonly complaints: string[];
}

interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}

function parseModule(path: string, text: string): Module {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) return { imports: [], complaints: [`${path}: does not parse`] };
  const module: Module = { imports: [], complaints: [] };
  visit(program as unknown as SyntaxNode, (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) module.imports.push(resolveImport(path, specifier));
    if (isTest(path) || isNodeEdge(path)) return;
    const ban = isTimeZone(path, node) ? undefined : bannedUse(node);
    if (ban !== undefined) module.complaints.push(`${path}: ${ban}`);
  });
  return module;
}

function visit(node: SyntaxNode, see: (node: SyntaxNode) => void): void {
  see(node);
  for (const value of Object.values(node)) {
    const children: unknown[] = Array.isArray(value) ? value : [value];
    for (const child of children)
      if (typeof child === "object" && child !== null && "type" in child)
        visit(child as SyntaxNode, see);
  }
}

function specifierOf(node: SyntaxNode): string | undefined {
  const carriers = ["ImportDeclaration", "ExportNamedDeclaration", "ExportAllDeclaration"];
  const imported = node.type === "ImportExpression" || carriers.includes(node.type);
  const source = imported ? (node["source"] as SyntaxNode | null) : null;
  return typeof source?.["value"] === "string" ? source["value"] : undefined;
}

function resolveImport(from: string, specifier: string): Import {
  const own = specifier.startsWith(".");
  return { from, own, to: own ? normalize(join(dirname(from), specifier)) : specifier };
}

const bannedMembers = new Set([
  "Date.now",
  "Math.random",
  "AbortSignal.timeout",
  "process.env",
  "JSON.rawJSON",
]);
const bannedNames = new Set([
  "performance",
  "Intl",
  "crypto",
  "WeakRef",
  "FinalizationRegistry",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "fetch",
  "eval",
  "Buffer",
]);

/** The rules of time zones are the engine's data, as Unicode's are: docs/decisions/0081. */
function isTimeZone(path: string, { type, property }: SyntaxNode): boolean {
  const name = (property as SyntaxNode | undefined)?.["name"];
  return (
    path === "src/std/time-zone.ts" && type === "MemberExpression" && name === "DateTimeFormat"
  );
}

function bannedUse(node: SyntaxNode): string | undefined {
  if (node.type === "ImportExpression") return "dynamic import() belongs to the node edges";
  if (node.type === "MemberExpression") return bannedMember(node);
  const callee = node["callee"] as SyntaxNode | undefined;
  if (callee?.type === "Identifier") {
    const name = String(callee["name"]);
    const args = node["arguments"] as unknown[] | undefined;
    if (node.type === "NewExpression" && name === "Date" && args?.length === 0)
      return "new Date() reads the clock: take it from Host";
    if (bannedNames.has(name)) return `${name} is banned: take it from Host`;
  }
  return undefined;
}

function bannedMember(node: SyntaxNode): string | undefined {
  const object = node["object"] as SyntaxNode;
  const property = (node["property"] as SyntaxNode)["name"];
  if (property === "localeCompare") return "localeCompare depends on the machine";
  if (object.type !== "Identifier") return undefined;
  const name = String(object["name"]);
  if (bannedMembers.has(`${name}.${String(property)}`))
    return `${name}.${String(property)} is banned: take it from Host`;
  return bannedNames.has(name) ? `${name} is banned: take it from Host` : undefined;
}

/* ---- between modules ---- */

function layerOf(path: string): Layer | undefined {
  return layers
    .filter(({ folder }) => path === folder || path.startsWith(`${folder}/`))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
}

function layerComplaint({ from, to }: Import): string[] {
  if (to.endsWith(".json")) return [];
  if (isTest(from)) return [];
  if (isTest(to)) return [`${from}: imports ${to}, which is for tests only`];
  const [own, other] = [layerOf(from), layerOf(to)];
  if (own === undefined || other === undefined)
    return [`${from}: imports ${to}, and one of them is in no layer`];
  if (own.folder === other.folder) return [];
  const towerFits = other.tower === "ground" || other.tower === own.tower || own.tower === "top";
  if (towerFits && other.rank < own.rank && !reachesNode(own, other)) return [];
  return [`${from}: ${own.folder} (rank ${own.rank}) may not import ${to} (rank ${other.rank})`];
}

/** Only process entry points may build the real host. */
function reachesNode(own: Layer, other: Layer): boolean {
  return other.folder === "src/host/node" && own.rank < 7;
}

function nodeComplaint({ from, to, own }: Import): string[] {
  if (own || isTest(from) || isNodeEdge(from)) return [];
  return to.startsWith("node:") ? [`${from}: imports ${to} outside the node edges`] : [];
}

function cycles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const state = new Map<string, "open" | "done">();
  const complaints: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      const loop = [...trail.slice(trail.indexOf(path)), path];
      complaints.push(`${path}: import cycle ${loop.join(" -> ")}`);
      return;
    }
    state.set(path, "open");
    for (const target of next.get(path) ?? []) walk(target, [...trail, path]);
    state.set(path, "done");
  };
  for (const path of next.keys()) walk(path, []);
  return complaints;
}

/* ---- shapes ---- */

function shapeComplaints(path: string, text: string): string[] {
  const complaints: string[] = [];
  const name = path.split("/").at(-1) ?? "";
  if (name === "index.ts" && path !== "src/index.ts") complaints.push(`${path}: no barrels`);
  if (vagueFolders.test(path)) complaints.push(`${path}: a folder is named after its noun`);
  if (!/^[a-z0-9-]+(\.(test|contract|testbed))?\.ts$/.test(name))
    complaints.push(`${path}: file names are kebab-case`);
  if (path.startsWith("src/api/types/")) return complaints;
  if (!/^(#!.*\n)?\/[/*]/.test(text) && !isTest(path))
    complaints.push(`${path}: opens with a comment that says what the file promises`);
  const lines = text.split("\n").length;
  if (lines > linesMax && !isTest(path))
    complaints.push(`${path}: ${lines} lines, at most ${linesMax}`);
  return complaints;
}

function documentComplaints(tree: Tree): string[] {
  const architecture = tree.get("docs/ARCHITECTURE.md");
  if (architecture === undefined) return [];
  const lines = architecture.trimEnd().split("\n").length;
  return lines > architectureLinesMax
    ? [`docs/ARCHITECTURE.md: ${lines} lines, at most ${architectureLinesMax}`]
    : [];
}
