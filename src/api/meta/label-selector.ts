// Label selectors: the text of the labelSelector parameter and meta.v1.LabelSelector, both compiled to one list of
// requirements. Grammar and refusals are Kubernetes' (upstream: apimachinery/pkg/labels/selector.go).
import type * as meta from "../types/meta-v1.ts";
import { badRequest } from "./errors.ts";
import { fieldErrorBody, invalidValue } from "./field-error.ts";
import { labelValueRule, qualifiedName } from "../validation/names.ts";
import { messageOf } from "../../std/error-message.ts";

type LabelOperator = "=" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** One for `=`, `!=`, `gt`, `lt`; none for `exists` and `!`; sorted and distinct otherwise. */
  readonly values: readonly string[];
}

/** Terms are ANDed; empty selects everything. */
export type LabelSelector = readonly LabelRequirement[];

export type Labels = Readonly<Record<string, string>>;

/** What an absent meta.v1.LabelSelector selects. */
export const selectsNothing: LabelSelector = [{ key: "", operator: "in", values: [] }];

/** Throws BadRequest with Kubernetes' text. */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === "") return [];
  const tokens = new TokenReader(text);
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const first = tokens.peek();
    if (first.kind === "end") break;
    if (first.kind !== "word" && first.text !== "!") {
      throw badRequest(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(tokens));
    if (!anotherFollows(tokens)) break;
  }
  return requirements.sort(byKey);
}

export function matchesLabels(selector: LabelSelector, labels: Labels | undefined): boolean {
  for (const requirement of selector) {
    if (!matchesRequirement(requirement, labels)) return false;
  }
  return true;
}

export function formatLabelSelector(selector: LabelSelector): string {
  return selector.map(formatRequirement).join(",");
}

/** Absent selects nothing, empty everything. Throws BadRequest for what validation would refuse. */
export function labelSelectorOf(selector: meta.LabelSelector | undefined): LabelSelector {
  if (selector === undefined) return selectsNothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push(requirement(key, "=", [value]));
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const ours = expressionOperators.get(operator);
    if (ours === undefined) {
      throw badRequest(`${JSON.stringify(operator)} is not a valid label selector operator`);
    }
    requirements.push(requirement(key, ours, values ?? []));
  }
  return requirements.sort(byKey);
}

const expressionOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function byKey(a: LabelRequirement, b: LabelRequirement): number {
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}

function matchesRequirement(requirement: LabelRequirement, labels: Labels | undefined): boolean {
  const { key, operator, values } = requirement;
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "=":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    default:
      return value !== undefined && compares(operator, value, values[0]!);
  }
}

function compares(operator: "gt" | "lt", value: string, bound: string): boolean {
  const actual = int64(value);
  const limit = int64(bound);
  if (actual === undefined || limit === undefined) return false;
  return operator === "gt" ? actual > limit : actual < limit;
}

/** As Go's strconv.ParseInt(text, 10, 64). */
function int64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.toSorted().join(",")})`;
    case "gt":
      return `${key}>${values[0]}`;
    case "lt":
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}

/** Checks as upstream's NewRequirement does; its errors have no prefix. */
function requirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): LabelRequirement {
  const problems = [
    ...qualifiedName(key).map((detail) => complaint("key", key, detail)),
    ...arityProblems(operator, values),
    ...values.flatMap((value, i) =>
      labelValueRule(value).map((detail) => complaint(`values[${i}][${key}]`, value, detail)),
    ),
  ];
  if (problems.length === 0) return { key, operator, values };
  throw badRequest(problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`);
}

function complaint(field: string, value: unknown, detail: string): string {
  return `${field}: ${fieldErrorBody(invalidValue(field, value, detail))}`;
}

function arityProblems(operator: LabelOperator, values: readonly string[]): string[] {
  if (operator === "in" || operator === "notin") {
    const detail = "for 'in', 'notin' operators, values set can't be empty";
    return values.length === 0 ? [complaint("values", values, detail)] : [];
  }
  if (operator === "exists" || operator === "!") {
    const detail = "values set must be empty for exists and does not exist";
    return values.length === 0 ? [] : [complaint("values", values, detail)];
  }
  if (operator !== "gt" && operator !== "lt") return [];
  const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
  return values.flatMap((value, i) =>
    int64(value) === undefined ? [complaint(`values[${i}]`, value, detail)] : [],
  );
}

// --- parsing ---

/** True after a comma that a requirement follows; false at the end. */
function anotherFollows(tokens: TokenReader): boolean {
  const token = tokens.take();
  if (token.kind === "end") return false;
  if (token.text !== ",") {
    throw badRequest(`found '${token.text}', expected: ',' or 'end of string'`);
  }
  const next = tokens.peek();
  if (next.kind === "word" || next.text === "!") return true;
  throw badRequest(`found '${next.text}', expected: identifier after ','`);
}

function parseRequirement(tokens: TokenReader): LabelRequirement {
  const negated = tokens.peek().text === "!";
  if (negated) tokens.take();
  const { kind, text: key } = tokens.take();
  if (kind !== "word") throw unparsable(`found '${key}', expected: identifier`);
  const problems = qualifiedName(key);
  // Upstream has no path here and prints Go's nil for it.
  if (problems.length > 0) throw unparsable(complaint("<nil>", key, problems.join("; ")));
  if (negated) return { key, operator: "!", values: [] };
  const next = tokens.peek();
  if (next.kind === "end" || next.text === ",") return { key, operator: "exists", values: [] };
  const operator = parseOperator(tokens);
  const setBased = operator === "in" || operator === "notin";
  const values = setBased ? parseSet(tokens) : [parseExactValue(tokens)];
  try {
    return requirement(key, operator, values);
  } catch (cause) {
    throw unparsable(messageOf(cause));
  }
}

function unparsable(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}

const binaryOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ["in", "in"],
  ["notin", "notin"],
  ["=", "="],
  ["==", "="],
  ["!=", "!="],
  [">", "gt"],
  ["<", "lt"],
]);

function parseOperator(tokens: TokenReader): LabelOperator {
  const { text } = tokens.take();
  const operator = binaryOperators.get(text);
  if (operator !== undefined) return operator;
  throw unparsable(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
}

function parseExactValue(tokens: TokenReader): string {
  const next = tokens.peek();
  if (next.kind === "end" || next.text === ",") return "";
  const { kind, text } = tokens.take();
  if (kind !== "word") throw unparsable(`found '${text}', expected: identifier`);
  return text;
}

/** `(a,b)`. Empty places stand for the empty value: `()`, `(,a)`, `(a,,b)`, `(a,)`. */
function parseSet(tokens: TokenReader): string[] {
  const open = tokens.take();
  if (open.text !== "(") throw unparsable(`found '${open.text}' expected: '('`);
  const first = tokens.peek();
  if (first.text !== ")" && first.text !== "," && first.kind !== "word") {
    throw unparsable(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  const values = new Set<string>();
  let expectsValue = true;
  for (;;) {
    const { kind, text } = tokens.take();
    if (text === ")") {
      if (expectsValue) values.add("");
      return [...values].sort();
    }
    if (text === ",") {
      if (expectsValue) values.add("");
      expectsValue = true;
    } else if (kind === "word" && expectsValue) {
      values.add(text);
      expectsValue = false;
      const next = tokens.peek();
      if (next.text !== "," && next.text !== ")") {
        throw unparsable(`found '${next.text}', expected: ',' or ')'`);
      }
    } else {
      throw unparsable(`found '${text}', expected: ',', or identifier`);
    }
  }
}

interface Token {
  /** `in` and `notin` are words too: they can be keys and values. */
  readonly kind: "word" | "symbol" | "end";
  readonly text: string;
}

const symbols: ReadonlySet<string> = new Set(["=", "==", "!=", "!", "(", ")", ",", "<", ">"]);

class TokenReader {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    const words = text.match(/==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+/g) ?? [];
    this.#tokens = words.map((word) => ({
      kind: symbols.has(word) ? "symbol" : "word",
      text: word,
    }));
  }

  peek(): Token {
    return this.#tokens[this.#position] ?? { kind: "end", text: "" };
  }

  take(): Token {
    const token = this.peek();
    this.#position += 1;
    return token;
  }
}
