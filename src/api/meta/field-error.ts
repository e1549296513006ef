// One complaint about one field of an object (upstream: field.Error); a list of them makes a 422.
import { stringifyJson } from "../../std/json.ts";

export type FieldErrorReason =
  | "FieldValueRequired"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooShort"
  | "InternalError"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueNotFound"
  | "FieldValueDuplicate"
  | "FieldValueTooMany"
  | "FieldValueTooFew"
  | "FieldValueTypeInvalid";

export interface FieldError {
  readonly reason: FieldErrorReason;
  /** Path as users read it: `spec.containers[0].name`, `metadata.labels[key]`. */
  readonly field: string;
  /** "" for none. */
  readonly detail: string;
  /** Absent for the reasons whose text carries no value. */
  readonly value?: unknown;
}

export const required = (field: string, detail = ""): FieldError => ({
  reason: "FieldValueRequired",
  field,
  detail,
});

export const forbiddenField = (field: string, detail = ""): FieldError => ({
  reason: "FieldValueForbidden",
  field,
  detail,
});

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  value,
  detail,
});

/** For what is too large to be shown, or not there. */
export const invalidWithoutValue = (field: string, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  detail,
});

/** Supported values are listed in the order given, as upstream sorts them before the call. */
export const notSupported = (
  field: string,
  value: unknown,
  supported: readonly string[],
): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  value,
  detail: `supported values: ${supported.map((word) => JSON.stringify(word)).join(", ")}`,
});

export const notFoundValue = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueNotFound",
  field,
  value,
  detail: "",
});

export const duplicateValue = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueDuplicate",
  field,
  value,
  detail: "",
});

export const tooLong = (field: string, maxBytes: number): FieldError => ({
  reason: "FieldValueTooLong",
  field,
  detail: `may not be more than ${maxBytes} bytes`,
});

export const tooMany = (field: string, actual: number, max: number): FieldError => ({
  reason: "FieldValueTooMany",
  field,
  value: actual,
  detail: `must have at most ${max} items`,
});

const lead: Record<FieldErrorReason, string> = {
  FieldValueRequired: "Required value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooShort: "Too short",
  InternalError: "Internal error",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueNotFound: "Not found",
  FieldValueDuplicate: "Duplicate value",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueTypeInvalid: "Invalid value",
};

/** The text after the path: `Invalid value: "x": must be …`. */
export function fieldErrorBody(error: FieldError): string {
  const parts = [lead[error.reason]];
  if ("value" in error) parts.push(valueText(error.value));
  if (error.detail !== "") parts.push(error.detail);
  return parts.join(": ");
}

/** Numbers and booleans bare, strings quoted, everything else compact JSON. */
function valueText(value: unknown): string {
  return value === undefined ? "null" : stringifyJson(value);
}
