// The three encodings of a body behind one shape: what kind it claims to be, and a decoder for when the type is known.
// All failures are DecodeErrors in Go's words.
import {
  getKey,
  hasDuplicateKeys,
  parseJson,
  parseJsonTracked,
  type TrackedJson,
} from "../../std/json.ts";
import { decodeUtf8 } from "../../std/utf8.ts";
import { DecodeError, problemText } from "./decode-error.ts";
import { normalizeWith } from "./normalize.ts";
import { decodeProtobuf, unwrapEnvelope } from "./protobuf.ts";
import { decodeYamlTracked } from "./yaml.ts";

export type BodyMediaType = "json" | "yaml" | "protobuf";

export interface BodyContent {
  /** As the body says; "" for neither. */
  readonly kind: string;
  readonly apiVersion: string;
  decode(typeId: string): DecodedContent;
}

interface DecodedContent {
  readonly value: unknown;
  /** Strict decoding's complaints, e.g. `unknown field "spec.foo"`; empty unless asked for. */
  readonly problems: readonly string[];
}

const interpretFailed = "couldn't get version/kind; json parse error: ";
const interpretType =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** `strict` asks for problems, which costs a little. */
export function readContent(
  body: Uint8Array,
  mediaType: BodyMediaType,
  strict: boolean,
): BodyContent {
  if (mediaType === "json") return readJson(body, strict);
  return mediaType === "yaml" ? readYaml(body, strict) : readProtobuf(body);
}

/** Upstream turns YAML into JSON first; repeated keys are one complaint, worded by the YAML library. */
function readYaml(body: Uint8Array, strict: boolean): BodyContent {
  const { value, duplicates } = decodeYamlTracked(decodeUtf8(body));
  const found =
    duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${duplicates.join("\n  ")}`];
  return jsonContent({ value }, strict, found);
}

/** Protobuf has no strict decoding: unknown numbers are skipped in silence. */
function readProtobuf(body: Uint8Array): BodyContent {
  const { kind, apiVersion, message } = unwrapEnvelope(body);
  return {
    kind,
    apiVersion,
    decode: (typeId) => ({ value: decodeProtobuf(typeId, message), problems: [] }),
  };
}

function readJson(body: Uint8Array, strict: boolean): BodyContent {
  const text = decodeUtf8(body);
  const value = interpreted(text);
  if (!strict || !hasDuplicateKeys(text, value)) return jsonContent({ value }, strict, []);
  return jsonContent(parseJsonTracked(text), strict, []);
}

/** Of JSON that stringifyJson wrote, which repeats no key. */
export function readJsonText(text: string, strict: boolean): BodyContent {
  return jsonContent({ value: interpreted(text) }, strict, []);
}

function interpreted(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DecodeError(`${interpretFailed}${error.message}`);
  }
}

interface ParsedJson {
  readonly value: unknown;
  readonly duplicates?: TrackedJson["duplicates"];
}

/** `found` are problems that the parser has reported already. */
function jsonContent(parsed: ParsedJson, strict: boolean, found: readonly string[]): BodyContent {
  const object = asObject(parsed.value);
  return {
    kind: stringOf(object, "kind"),
    apiVersion: stringOf(object, "apiVersion"),
    decode: (typeId) => {
      if (!strict) return { value: normalizeWith(typeId, object, {}), problems: [] };
      const problems = [...found];
      const { duplicates } = parsed;
      const value = normalizeWith(typeId, object, {
        report: (problem) => problems.push(problemText(problem)),
        duplicates,
      });
      return { value, problems };
    },
  };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** JSON null decodes to an empty object in Go. */
function asObject(value: unknown): JsonObject {
  if (value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as JsonObject;
  const what = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  throw new DecodeError(
    `${interpretFailed}json: cannot unmarshal ${what === "bigint" ? "number" : what} into Go value of type ${interpretType}`,
  );
}

function stringOf(object: JsonObject, key: string): string {
  const value = getKey(object, key) ?? "";
  if (typeof value === "string") return value;
  const what = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  throw new DecodeError(
    `${interpretFailed}json: cannot unmarshal ${what} into Go struct field .${key} of type string`,
  );
}
