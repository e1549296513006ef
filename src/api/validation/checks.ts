// The small checks every kind's validation is made of: required, one of, in range, unchanged. Each returns the complaints
// it has, or none; what a field means is the caller's matter.
import { type FieldError, invalidValue, notSupported, required } from "../meta/field-error.ts";
import { type Complaints, percentText } from "./names.ts";
import { semanticallyEqual } from "./semantic-equality.ts";

export const fieldIsImmutable = "field is immutable";
export const notNegative = "must be greater than or equal to 0";
export const atMost = (max: number): string => `must be less than or equal to ${max}`;
export const maxInt32 = 2_147_483_647;

const none: readonly FieldError[] = [];

export function invalidEach(
  path: string,
  value: unknown,
  complaints: Complaints,
): readonly FieldError[] {
  if (complaints.length === 0) return none;
  return complaints.map((complaint) => invalidValue(path, value, complaint));
}

/** A text that must be there; `rule` then judges it. */
export function checkText(
  path: string,
  text: string | undefined,
  rule?: (text: string) => Complaints,
): readonly FieldError[] {
  if (text === undefined || text === "") return [required(path)];
  return rule === undefined ? none : invalidEach(path, text, rule(text));
}

/** A text that may be missing; `rule` judges it when it is there. */
export function checkOptional(
  path: string,
  text: string | undefined,
  rule: (text: string) => Complaints,
): readonly FieldError[] {
  return text === undefined || text === "" ? none : invalidEach(path, text, rule(text));
}

/** A text that may be absent, but is judged also when it is empty: what Go holds behind a pointer. */
export function checkIfGiven(
  path: string,
  text: string | undefined,
  rule: (text: string) => Complaints,
): readonly FieldError[] {
  return text === undefined ? none : invalidEach(path, text, rule(text));
}

/** Required, and one of `allowed`. */
export function checkOneOf(
  path: string,
  text: string | undefined,
  allowed: readonly string[],
): readonly FieldError[] {
  if (text === undefined || text === "") return [required(path)];
  return allowed.includes(text) ? none : [notSupported(path, text, allowed)];
}

/** One of `allowed` when it is there. */
export function checkOptionalOneOf(
  path: string,
  text: string | undefined,
  allowed: readonly string[],
): readonly FieldError[] {
  return text === undefined || allowed.includes(text) ? none : [notSupported(path, text, allowed)];
}

export function checkNotNegative(path: string, value: number | undefined): readonly FieldError[] {
  return value === undefined || value >= 0 ? none : [invalidValue(path, value, notNegative)];
}

export function checkPositive(path: string, value: number | undefined): readonly FieldError[] {
  return value === undefined || value > 0
    ? none
    : [invalidValue(path, value, "must be greater than 0")];
}

export function checkRange(
  path: string,
  value: number | undefined,
  [min, max]: readonly [number, number],
): readonly FieldError[] {
  if (value === undefined || (value >= min && value <= max)) return none;
  return [invalidValue(path, value, `must be between ${min} and ${max}, inclusive`)];
}

export function checkImmutable(path: string, value: unknown, old: unknown): readonly FieldError[] {
  if (semanticallyEqual(value, old)) return none;
  return [invalidValue(path, value ?? null, fieldIsImmutable)];
}

/** A count or percentage: `3`, `"25%"`. */
export function checkCountOrPercent(
  path: string,
  value: number | string | undefined,
): readonly FieldError[] {
  if (value === undefined) return none;
  if (typeof value === "string") {
    return invalidEach(path, value, percentText(value));
  }
  return checkNotNegative(path, value);
}

/** What a percentage says, in percent; undefined for a count. */
export function percentOf(value: number | string | undefined): number | undefined {
  return typeof value === "string" && percentPattern.test(value) ? parseInt(value, 10) : undefined;
}

export function checkNotOver100Percent(
  path: string,
  value: number | string | undefined,
): readonly FieldError[] {
  return (percentOf(value) ?? 0) > 100
    ? [invalidValue(path, value, "must not be greater than 100%")]
    : none;
}

const percentPattern = /^[0-9]+%$/;
