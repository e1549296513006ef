// Field selectors: the text of the fieldSelector parameter, compiled. Which fields a resource offers is not known here.
// Grammar, escapes and refusals are Kubernetes' (upstream: apimachinery/pkg/fields/selector.go).
import { badRequest } from "./errors.ts";

interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Terms are ANDed; empty selects everything. */
export type FieldSelector = readonly FieldRequirement[];

/** Throws BadRequest with Kubernetes' text. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of terms(text).sort()) {
    if (term !== "") requirements.push(parseTerm(term, text));
  }
  return requirements;
}

/** `valueOf` gives "" for a field that the object does not have. */
export function matchesFields(
  selector: FieldSelector,
  valueOf: (field: string) => string,
): boolean {
  for (const { field, operator, value } of selector) {
    if ((valueOf(field) === value) !== (operator === "=")) return false;
  }
  return true;
}

export function formatFieldSelector(selector: FieldSelector): string {
  return selector
    .map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`)
    .join(",");
}

function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, (character) => `\\${character}`);
}

/** Split at commas that no backslash protects. */
function terms(text: string): string[] {
  const result: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i += 1;
    else if (text[i] === ",") {
      result.push(text.slice(start, i));
      start = i + 1;
    }
  }
  result.push(text.slice(start));
  return result;
}

function parseTerm(term: string, selector: string): FieldRequirement {
  // The first operator in the text counts, and at one place the longer one.
  const match = /!=|==|=/.exec(term);
  if (match === null) {
    throw badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
  }
  return {
    field: term.slice(0, match.index),
    operator: match[0] === "!=" ? "!=" : "=",
    value: unescapeFieldValue(term.slice(match.index + match[0].length)),
  };
}

function unescapeFieldValue(text: string): string {
  let value = "";
  let escaped = false;
  for (const character of text) {
    const special = character === "\\" || character === "," || character === "=";
    if (escaped) {
      if (!special) throw invalidEscape(`\\${character}`);
      value += character;
      escaped = false;
    } else if (character === "\\") {
      escaped = true;
    } else if (special) {
      // Upstream prints the rune as its number.
      const rune = character.codePointAt(0);
      throw badRequest(`invalid field selector: unescaped character in value: ${rune}`);
    } else {
      value += character;
    }
  }
  if (escaped) throw invalidEscape("\\");
  return value;
}

function invalidEscape(sequence: string): Error {
  return badRequest(`invalid field selector: invalid escape sequence: ${sequence}`);
}
