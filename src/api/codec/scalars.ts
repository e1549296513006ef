// Scalar values as Go's types read and print them: one decoder a scalar word of the schema, from decoded JSON to the
// JSON that Go would write. A decoder gives undefined after a noted mismatch, never for null (callers see to null).
import { Base64Error, normalizeBase64 } from "../../std/base64.ts";
import { canonicalQuantity, QuantityError } from "../quantity.ts";
import { DecodeError } from "./decode-error.ts";
import { formatDuration, normalizeMicroTime, normalizeTime, parseDuration } from "./time.ts";
import type { Walk } from "./walk.ts";

export type Decoder = (value: unknown, walk: Walk) => unknown;

export interface ScalarCodec {
  readonly decode: Decoder;
  /** Go's zero value as JSON, for null in lists and maps and for fields that are always printed. */
  readonly zero: unknown;
  /** Go's word for the type in errors. */
  readonly goType: string;
  /** A Go struct with its own marshaller: `omitempty` has no effect on it. */
  readonly struct: boolean;
}

const int32Max = 2_147_483_647;
const uint32Max = 4_294_967_295;
const int64Max = 2n ** 63n - 1n;

/** Strings whose Go type is called `goType`. */
export function stringOf(goType: string): Decoder {
  return (value, walk) => (typeof value === "string" ? value : walk.mismatch(value, goType));
}

const string = stringOf("string");

const bool: Decoder = (value, walk) =>
  typeof value === "boolean" ? value : walk.mismatch(value, "bool");

const int32: Decoder = (value, walk) => integer(value, walk, -int32Max - 1, int32Max, "int32");

const uint32: Decoder = (value, walk) => integer(value, walk, 0, uint32Max, "uint32");

function integer(value: unknown, walk: Walk, min: number, max: number, goType: string): unknown {
  if (typeof value === "bigint") return walk.unfit(value, goType);
  if (typeof value !== "number") return walk.mismatch(value, goType);
  if (!Number.isInteger(value) || value < min || value > max) return walk.unfit(value, goType);
  return value;
}

const int64: Decoder = (value, walk) => {
  if (typeof value === "bigint")
    return value >= -int64Max - 1n && value <= int64Max ? value : walk.unfit(value, "int64");
  if (typeof value !== "number") return walk.mismatch(value, "int64");
  return Number.isSafeInteger(value) ? value : walk.unfit(value, "int64");
};

const double: Decoder = (value, walk) => {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" ? value : walk.mismatch(value, "float64");
};

/** Base64; Go also takes an array of numbers, of which only the empty one is ever sent. */
const bytes: Decoder = (value, walk) => {
  if (Array.isArray(value) && value.length === 0) return "";
  if (typeof value !== "string") return walk.mismatch(value, "[]uint8");
  try {
    return normalizeBase64(value);
  } catch (error) {
    if (!(error instanceof Base64Error)) throw error;
    return walk.note(new DecodeError(error.message));
  }
};

const time: Decoder = (value, walk) =>
  typeof value === "string" ? normalizeTime(value) : walk.refuse(value, "string");

const microTime: Decoder = (value, walk) =>
  typeof value === "string" ? normalizeMicroTime(value) : walk.refuse(value, "string");

const duration: Decoder = (value, walk) =>
  typeof value === "string" ? formatDuration(parseDuration(value)) : walk.refuse(value, "string");

/** A string or the digits of a number; upstream reads any other JSON too, and always finds it malformed. */
const quantity: Decoder = (value) => {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  const text = typeof value === "string" ? value.trim() : isNumber ? String(value) : "";
  try {
    return canonicalQuantity(text);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw new DecodeError(error.message);
  }
};

const intOrString: Decoder = (value, walk) => {
  if (typeof value === "string") return value;
  const isInt32 =
    typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= int32Max;
  if (isInt32 || value === -int32Max - 1) return value;
  if (typeof value === "number" || typeof value === "bigint") throw walk.unfitError(value, "int32");
  return walk.refuse(value, "int32");
};

const raw: Decoder = (value) => value;

const stringList: Decoder = (value, walk) => {
  if (!Array.isArray(value)) return walk.mismatch(value, "[]string");
  return decodeStrings(value, walk);
};

/** The array itself when it holds only strings. */
export function decodeStrings(values: unknown[], walk: Walk, decode: Decoder = string): unknown[] {
  for (const value of values) {
    if (typeof value !== "string")
      return values.map((item) => (item === null ? "" : (decode(item, walk) ?? "")));
  }
  return values;
}

const scalar = (decode: Decoder, zero: unknown, goType: string, struct = false): ScalarCodec => ({
  decode,
  zero,
  goType,
  struct,
});

/** By the schema's word; the JSONSchemaProps unions are not among them (normalize.ts). */
export const scalars: Readonly<Record<string, ScalarCodec>> = {
  string: scalar(string, "", "string"),
  bool: scalar(bool, false, "bool"),
  int32: scalar(int32, 0, "int32"),
  uint32: scalar(uint32, 0, "uint32"),
  int64: scalar(int64, 0, "int64"),
  double: scalar(double, 0, "float64"),
  bytes: scalar(bytes, null, "[]uint8"),
  time: scalar(time, null, "v1.Time", true),
  microTime: scalar(microTime, null, "v1.MicroTime", true),
  duration: scalar(duration, "0s", "v1.Duration", true),
  quantity: scalar(quantity, "0", "resource.Quantity", true),
  intOrString: scalar(intOrString, 0, "intstr.IntOrString", true),
  json: scalar(raw, null, "v1.JSON", true),
  rawExtension: scalar(raw, null, "runtime.RawExtension", true),
  stringList: scalar(stringList, null, "[]string"),
};
