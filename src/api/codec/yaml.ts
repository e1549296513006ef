// YAML as Kubernetes reads it (sigs.k8s.io/yaml on go-yaml v2): YAML 1.1's yes/no/on/off and 0644, no sexagesimals, dates
// stay strings, integers keep all digits, only the first document counts; and as it writes it: keys sorted.
// The npm package `yaml` parses and prints; what scalars mean and how far aliases go is decided here.
import {
  type Alias,
  Composer,
  type CST,
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  Scalar,
  type Tags,
  visit,
} from "yaml";
import { parseJson, setKey } from "../../std/json.ts";
import { DecodeError } from "./decode-error.ts";
import { resolvePlainScalar } from "./yaml-scalars.ts";

/** The first document as JSON. Throws DecodeError: `yaml: line 3: …`. */
export function decodeYaml(text: string): unknown {
  return decodeYamlTracked(text).value;
}

export interface TrackedYaml {
  readonly value: unknown;
  /** `line 3: key "a" already set in map`, one a repeated key; the last value stands. */
  readonly duplicates: readonly string[];
}

export function decodeYamlTracked(text: string): TrackedYaml {
  // Clients send JSON under YAML's name (kubectl apply does), and JSON.parse is fifty times faster.
  const json = tryJson(text);
  if (json !== undefined) return { value: json.value, duplicates: [] };
  const lines = new LineCounter();
  const document = firstDocument(text, lines);
  if (document === undefined) return { value: null, duplicates: [] };
  const reader = new NodeReader(lines);
  return { value: reader.read(document.contents), duplicates: reader.duplicates };
}

/** Block style, two spaces, keys in go-yaml's natural order, strings quoted where YAML 1.1 would misread them. */
export function encodeYaml(value: unknown): string {
  const document = new Document(value, {
    version: "1.1",
    schema: "yaml-1.1",
    // The merge tag would print every "<<" bare.
    customTags: (tags) => tags.filter((tag) => tag !== "merge" && !isMergeTag(tag)),
    aliasDuplicateObjects: false,
    sortMapEntries: (a: Pair, b: Pair) => compareNaturally(keyText(a), keyText(b)),
  });
  visit(document, {
    Scalar: (_, node) => {
      // Readers would take it for a merge.
      if (node.value === "<<") node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ indentSeq: false, lineWidth: 0 });
}

function isMergeTag(tag: Tags[number]): boolean {
  return typeof tag === "object" && tag.tag === "tag:yaml.org,2002:merge";
}

function tryJson(text: string): { value: unknown } | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return { value: parseJson(text) };
  } catch {
    return undefined;
  }
}

function firstDocument(text: string, lines: LineCounter): Document.Parsed | undefined {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  // "failsafe" leaves every scalar a string; yaml-scalars.ts resolves them.
  const composer = new Composer({ schema: "failsafe", uniqueKeys: false, prettyErrors: false });
  for (const document of composer.compose(soundTokens(boundedTokens(parser, text), lines))) {
    const error = document.errors[0];
    if (error === undefined) return document;
    throw new DecodeError(`yaml: line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
  }
  return undefined;
}

/** Parses piece by piece, to give up on a text that would take long before it does. */
function* boundedTokens(parser: Parser, text: string): Generator<CST.Token> {
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > yamlTokensMax)
      throw new DecodeError(`yaml: document has more than ${yamlTokensMax} tokens`);
    yield* parser.next(lexeme);
    if (parser.stack.length > yamlOpenTokensMax) throw tooDeep();
  }
  yield* parser.end();
}

/** Passes documents on that parsed and are not too deep: the composer recurses, and near the end of its stack V8 may abort. */
function* soundTokens(tokens: Iterable<CST.Token>, lines: LineCounter): Generator<CST.Token> {
  for (const token of tokens) {
    // Composing would go on to the end of the document, and collect a slow error for each.
    if (token.type === "error")
      throw new DecodeError(`yaml: line ${lines.linePos(token.offset).line}: ${token.message}`);
    if (token.type === "document" && token.value !== undefined) checkDepth(token.value);
    yield token;
  }
}

function checkDepth(root: CST.Token): void {
  let level: CST.Token[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > yamlDepthMax) throw tooDeep();
    level = level.flatMap(childTokens);
  }
}

function childTokens(token: CST.Token): CST.Token[] {
  if (!("items" in token)) return [];
  return token.items.flatMap((item) => [item.key, item.value].filter((child) => child != null));
}

/**
 * Most tokens that are read: some 20,000 lines. The parser takes about 4 us for each, and nothing else runs meanwhile; long
 * texts in few tokens take next to nothing. JSON under YAML's name is not bound by it.
 */
const yamlTokensMax = 150_000;

/** Deepest nesting that is read; go-yaml's 10,000 would end the stack. */
const yamlDepthMax = 250;
/** The parser's stack holds up to three tokens a level. */
const yamlOpenTokensMax = 3 * yamlDepthMax;

/** go-yaml's bounds on what aliases may multiply: nearly all of a small document, a tenth of a big one. */
const aliasedNodesFree = 100;
const nodesFree = 1_000;
const ratioNodesLow = 400_000;
const ratioNodesHigh = 4_000_000;

class NodeReader {
  readonly duplicates: string[] = [];
  private readonly lines: LineCounter;
  private readonly anchors = new Map<string, Node>();
  /** Anchors whose value is being read through an alias. */
  private readonly open = new Set<Node>();
  private nodes = 0;
  private aliasedNodes = 0;

  constructor(lines: LineCounter) {
    this.lines = lines;
  }

  read(node: Node | null, depth = 0): unknown {
    if (node === null) return null;
    if (depth > yamlDepthMax) throw tooDeep();
    this.count();
    if (isAlias(node)) return this.readAlias(node, depth);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, node);
    if (isScalar(node)) return readScalar(node);
    if (isSeq(node)) return node.items.map((item) => this.read(item as Node | null, depth + 1));
    if (isMap(node)) return this.readMap(node.items as Pair<Node, Node | null>[], depth);
    throw new DecodeError("yaml: unknown node");
  }

  private readAlias(alias: Alias, depth: number): unknown {
    const name = alias.source;
    const target = this.anchors.get(name);
    if (target === undefined) throw new DecodeError(`yaml: unknown anchor '${name}' referenced`);
    if (this.open.has(target) || target.range![2] > alias.range![0])
      throw new DecodeError(`yaml: anchor '${name}' value contains itself`);
    this.open.add(target);
    const value = this.read(target, depth);
    this.open.delete(target);
    return value;
  }

  private readMap(pairs: readonly Pair<Node, Node | null>[], depth: number): unknown {
    const target: Record<string, unknown> = {};
    const seen = new Set<string>();
    let merged: unknown[] = [];
    for (const pair of pairs) {
      const value = this.read(pair.value, depth + 1);
      if (isMergeKey(pair.key)) {
        merged = Array.isArray(value) ? value : [value];
        continue;
      }
      const key = keyOf(this.read(pair.key, depth + 1));
      if (seen.has(key)) this.noteDuplicate(pair, key);
      seen.add(key);
      setKey(target, key, value);
    }
    for (const source of merged) mergeInto(target, source);
    return target;
  }

  private noteDuplicate(pair: Pair<Node, Node | null>, key: string): void {
    const { line } = this.lines.linePos((pair.value ?? pair.key).range?.[0] ?? 0);
    this.duplicates.push(`line ${line}: key ${JSON.stringify(key)} already set in map`);
  }

  private count(): void {
    this.nodes++;
    if (this.open.size > 0) this.aliasedNodes++;
    if (this.aliasedNodes <= aliasedNodesFree || this.nodes <= nodesFree) return;
    if (this.aliasedNodes / this.nodes > allowedRatio(this.nodes))
      throw new DecodeError("yaml: document contains excessive aliasing");
  }
}

function allowedRatio(nodes: number): number {
  if (nodes <= ratioNodesLow) return 0.99;
  if (nodes >= ratioNodesHigh) return 0.1;
  return 0.99 - (0.89 * (nodes - ratioNodesLow)) / (ratioNodesHigh - ratioNodesLow);
}

function readScalar(node: Scalar): unknown {
  const text = typeof node.value === "string" ? node.value : "";
  if (node.tag === "tag:yaml.org,2002:str" || node.tag === "!") return text;
  if (node.tag === undefined && node.type !== Scalar.PLAIN) return text;
  return resolvePlainScalar(text);
}

function isMergeKey(key: Node): boolean {
  return isScalar(key) && key.type === Scalar.PLAIN && key.value === "<<";
}

/** Keys that stand in the map itself win over merged ones, and earlier sources over later. */
function mergeInto(target: Record<string, unknown>, source: unknown): void {
  if (typeof source !== "object" || source === null || Array.isArray(source))
    throw new DecodeError("yaml: map merge requires map or sequence of maps as the value");
  for (const [key, value] of Object.entries(source))
    if (!Object.hasOwn(target, key)) setKey(target, key, value);
}

/** JSON has string keys only; scalars of other types become their text. */
function keyOf(key: unknown): string {
  if (typeof key === "string") return key;
  if (typeof key === "number" || typeof key === "bigint" || typeof key === "boolean")
    return String(key);
  throw new DecodeError(`unsupported map key of type: ${key === null ? "null" : typeof key}`);
}

function tooDeep(): DecodeError {
  return new DecodeError("yaml: exceeded max depth of 10000");
}

function keyText(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** Numbers inside keys compare as numbers (`a2` before `a10`), and letters come after everything else. */
export function compareNaturally(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  if (at === a.length || at === b.length) return a.length - b.length;
  const [charA, charB] = [a[at]!, b[at]!];
  const letters = [charA, charB].map((char) => /\p{L}/u.test(char)) as [boolean, boolean];
  if (letters[0] && letters[1]) return charA < charB ? -1 : 1;
  if (letters[0] !== letters[1]) {
    // Behind a digit a letter ends the number, so it comes first.
    const afterDigit = at > 0 && /\d/.test(a[at - 1]!);
    return letters[0] === afterDigit ? -1 : 1;
  }
  const byNumber = numberAt(a, at) - numberAt(b, at);
  if (byNumber !== 0) return byNumber;
  return charA < charB ? -1 : 1;
}

/** The number that the digits around `at` make, 0 for none; digits that both keys share in front count too. */
function numberAt(text: string, at: number): number {
  let start = at;
  while (start > 0 && /\d/.test(text[start - 1]!)) start--;
  const digits = /^\d*/.exec(text.slice(start))?.[0] ?? "";
  return digits.length <= at - start ? 0 : Number(digits);
}
