// The body of a PATCH as a function from the current object to the wanted one, in the three forms that have one.
// Server-side apply is not served yet and not offered.
import { DecodeError, problemText } from "../api/codec/decode-error.ts";
import { normalize } from "../api/codec/normalize.ts";
import {
  StatusError,
  badRequest,
  invalid,
  unsupportedMediaType,
  wrongPatchType,
} from "../api/meta/errors.ts";
import { invalidValue } from "../api/meta/field-error.ts";
import type { JsonValue, KubeObject } from "../api/object.ts";
import { applyJsonPatch, decodeJsonPatch } from "../api/patch/json-patch.ts";
import { goText } from "../api/patch/json-tree.ts";
import { applyMergePatch } from "../api/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../api/patch/strategic-merge.ts";
import { findDuplicateKeys, hasDuplicateKeys, parseJson, stringifyJson } from "../std/json.ts";
import { baseType } from "./negotiation.ts";
import type { EncodedKind } from "./encode-object.ts";
import type { FieldValidation } from "./write-options.ts";
import { decodeUtf8 } from "../std/utf8.ts";

const patchTypes: readonly string[] = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

/** Complaints are collected for Warning headers or a refusal, at most this many, as upstream. */
const problemsMax = 100;

export interface PatchRequest {
  readonly contentType: string | undefined;
  readonly kind: EncodedKind;
  readonly fieldValidation: FieldValidation;
  warn(text: string): void;
}

/** Throws 415. */
export function patchTypeOf(contentType: string | undefined): string {
  const type = baseType(contentType);
  if (patchTypes.includes(type)) return type;
  // Known, but not served: its senders learn what is.
  if (type.startsWith("application/apply-patch+")) throw unsupportedMediaType(patchTypes);
  throw wrongPatchType();
}

/** Applies the patch to a copy; may be called again for a newer object. Throws 400, 413 and 422. */
export type PatchFunction = (current: KubeObject) => KubeObject;

/** A text is JSON that stringifyJson wrote, and repeats no key. */
export function readPatch(body: Uint8Array | string, request: PatchRequest): PatchFunction {
  const type = patchTypeOf(request.contentType);
  const isOurs = typeof body === "string";
  const text = isOurs ? body : decodeUtf8(body);
  const patch = parsePatch(text);
  const mayRepeat = !isOurs && request.fieldValidation !== "Ignore";
  const found = mayRepeat ? duplicateProblems(text, patch) : [];
  const whole = (apply: (document: JsonValue) => JsonValue): PatchFunction => {
    return (current) => {
      const patched = apply(toJson(current));
      return shaped(patched, request, { found, shown: () => stringifyJson(patched) });
    };
  };
  if (type === "application/json-patch+json") {
    const decoded = decodeJsonPatch(patch);
    found.push(...decoded.problems);
    return whole((document) => applyJsonPatch(document, decoded.operations));
  }
  if (type === "application/merge-patch+json")
    return whole((document) => applyMergePatch(document, patch));
  const { typeId } = request.kind;
  return (current) => {
    const patched = applyStrategicMergePatch(typeId, toJson(current), patch);
    return shaped(patched, request, { found, shown: () => goText(patch) });
  };
}

function toJson(object: KubeObject): JsonValue {
  return object as unknown as JsonValue;
}

function parsePatch(text: string): JsonValue {
  try {
    return parseJson(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

function duplicateProblems(text: string, patch: JsonValue): string[] {
  if (!hasDuplicateKeys(text, patch)) return [];
  return findDuplicateKeys(text).map((path) => problemText({ kind: "duplicate", path }));
}

interface Patched {
  readonly found: readonly string[];
  /** The value an error names. */
  shown(): string;
}

/** Back into the kind's own shape, with strict decoding's complaints as the request wants them. */
function shaped(patched: JsonValue, request: PatchRequest, of: Patched): KubeObject {
  const problems = [...of.found];
  let object: KubeObject;
  try {
    object = normalize(request.kind.typeId, patched, (problem) => {
      problems.push(problemText(problem));
    }) as KubeObject;
  } catch (error) {
    if (error instanceof DecodeError) throw unfit(of.shown(), error.message);
    throw error;
  }
  const kept = problems.slice(0, problemsMax);
  if (request.fieldValidation === "Strict" && kept.length > 0)
    throw unfit(of.shown(), `strict decoding error: ${kept.join(", ")}`);
  if (request.fieldValidation === "Warn") for (const problem of kept) request.warn(problem);
  return { ...object, kind: request.kind.kind.kind, apiVersion: request.kind.apiVersion };
}

/** Upstream names no kind here. */
function unfit(shown: string, why: string): StatusError {
  const { status } = invalid({ group: "", kind: "" }, "", [invalidValue("patch", shown, why)]);
  return new StatusError({ ...status, details: { causes: status.details?.causes ?? [] } });
}
