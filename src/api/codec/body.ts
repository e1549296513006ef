// Request bodies to objects: JSON, YAML or protobuf, with kind and apiVersion checked, the type's shape enforced and
// strict decoding's complaints. Every refusal is the 400 that upstream's handlers make (endpoints/handlers/rest.go).
import { encodeUtf8 } from "../../std/utf8.ts";
import { assert } from "../../std/assert.ts";
import { badRequest, unknownError } from "../meta/errors.ts";
import type { KubeObject } from "../object.ts";
import { type GroupVersionKind, packageOf } from "../schema/schema.ts";
import { type BodyContent, type BodyMediaType, readContent, readJsonText } from "./body-content.ts";
import { DecodeError } from "./decode-error.ts";
import { groupVersion, parseGroupVersion } from "./group-version.ts";
import { findTypeOfKind } from "./message-types.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface DecodedBody {
  readonly object: KubeObject;
  /** Texts for Warning headers; only with "Warn". */
  readonly warnings: readonly string[];
  /** What the body says it is, completed from the target. See requireGroupVersion. */
  readonly kind: GroupVersionKind;
}

const scheme = "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30";
const optionsScheme = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:33";

/** How much of a body that was not understood is quoted back. */
const summaryBytesMax = 30;

/**
 * Reads an object of the target's kind. Another version of the same kind passes (requireGroupVersion is the caller's to
 * call, as upstream checks it later); another kind does not. A text is JSON that stringifyJson wrote. Throws StatusError
 * 400.
 */
export function decodeBody(
  body: Uint8Array | string,
  mediaType: BodyMediaType,
  target: { readonly kind: GroupVersionKind },
  fieldValidation: FieldValidation,
): DecodedBody {
  let kind: GroupVersionKind | undefined;
  try {
    const strict = fieldValidation !== "Ignore";
    const content =
      typeof body === "string" ? readJsonText(body, strict) : readContent(body, mediaType, strict);
    kind = completeKind(content, target.kind);
    const typeId = typeOf(kind, scheme);
    const { value, problems } = content.decode(typeId);
    requireKind(kind, target.kind);
    if (fieldValidation === "Strict" && problems.length > 0)
      throw new DecodeError(`strict decoding error: ${problems.join(", ")}`);
    const warnings = fieldValidation === "Warn" ? problems : [];
    return { object: withKind(value, kind), warnings, kind };
  } catch (error) {
    throw refusal(error, kind, target.kind, body);
  }
}

/**
 * Reads the options in a DELETE's body (`meta.v1.DeleteOptions`), which may claim any group version. Unknown fields are
 * ignored. Throws StatusError: upstream answers 500 with the bare text here.
 */
export function decodeOptions(
  typeId: string,
  body: Uint8Array,
  mediaType: BodyMediaType,
): KubeObject {
  const expected = typeId.slice(typeId.lastIndexOf(".") + 1);
  const target = { group: "meta.k8s.io", version: "v1", kind: expected };
  try {
    const content = readContent(body, mediaType, false);
    const kind = completeKind(content, target);
    if (kind.kind !== expected) throw notRegistered(kind, optionsScheme);
    return withKind(content.decode(typeId).value, kind);
  } catch (error) {
    if (error instanceof DecodeError) throw unknownError(error.message);
    throw error;
  }
}

/** Upstream's check after decoding: 400 unless the body's group version is one that the endpoint accepts. */
export function requireGroupVersion(
  kind: GroupVersionKind,
  expected: GroupVersionKind,
  accepted: readonly GroupVersionKind[] = [expected],
): void {
  const fits = accepted.some((one) => one.group === kind.group && one.version === kind.version);
  if (fits) return;
  throw badRequest(
    `the API version in the data (${groupVersion(kind)}) does not match the expected API version (${groupVersion(expected)})`,
  );
}

/** What the body leaves out comes from the target. */
function completeKind(content: BodyContent, expected: GroupVersionKind): GroupVersionKind {
  const { group, version } = parseGroupVersion(content.apiVersion);
  const kind = content.kind === "" ? expected.kind : content.kind;
  if (version === "" && (group === "" || group === expected.group))
    return { group: expected.group, version: expected.version, kind };
  return { group, version, kind };
}

function typeOf(kind: GroupVersionKind, schemeName: string): string {
  const typeId = findTypeOfKind(kind);
  if (typeId === undefined) throw notRegistered(kind, schemeName);
  return typeId;
}

function notRegistered(kind: GroupVersionKind, schemeName: string): DecodeError {
  return new DecodeError(
    `no kind "${kind.kind}" is registered for version "${groupVersion(kind)}" in scheme "${schemeName}"`,
  );
}

/** Upstream converts to the endpoint's internal type; only versions of one kind have a conversion. */
function requireKind(kind: GroupVersionKind, expected: GroupVersionKind): void {
  if (kind.kind === expected.kind) return;
  const internal = `${packageOf(expected.group)}.${expected.kind}`;
  throw new DecodeError(
    `converting (${kind.version}.${kind.kind}) to (${internal}): unknown conversion`,
  );
}

function withKind(value: unknown, kind: GroupVersionKind): KubeObject {
  assert(typeof value === "object" && value !== null, "a message decodes to an object");
  const object = value as KubeObject;
  const apiVersion = groupVersion(kind);
  if (object.kind !== undefined && object.apiVersion !== undefined) {
    object.kind = kind.kind;
    object.apiVersion = apiVersion;
    return object;
  }
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return { kind: kind.kind, apiVersion, ...rest };
}

/** The error as the handlers word it; everything but a DecodeError passes. */
function refusal(
  error: unknown,
  kind: GroupVersionKind | undefined,
  expected: GroupVersionKind,
  body: Uint8Array | string,
): unknown {
  if (!(error instanceof DecodeError)) return error;
  if (kind !== undefined)
    return badRequest(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${expected.kind}: ${error.message}`,
    );
  return badRequest(
    `the object provided is unrecognized (must be of type ${expected.kind}): ${error.message} (${summary(typeof body === "string" ? encodeUtf8(body) : body)})`,
  );
}

/** The first bytes: as text when they look like JSON, else in hexadecimal. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const head = body.subarray(0, summaryBytesMax);
  const text =
    body[0] === 0x7b
      ? new TextDecoder("utf-8").decode(head)
      : Array.from(head, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return body.length > summaryBytesMax ? `${text} ...` : text;
}
