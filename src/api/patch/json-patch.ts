// JSON patch (RFC 6902) as kube-apiserver applies it (upstream: evanphx/json-patch v4): a negative index counts from
// the end, only `replace` and `test` may address the whole document, and one bad operation refuses them all.
import { copyJson, equalJson, getKey, setKey, stringifyJson } from "../../std/json.ts";
import { badRequest, requestEntityTooLarge, unprocessable } from "../meta/errors.ts";
import type { JsonValue } from "../object.ts";
import { type JsonMap, isMap } from "./json-tree.ts";

const jsonPatchOperationsMax = 10_000;
/** What `copy` operations may add up to, in characters of JSON: 10,000 of them could else multiply a document. */
const jsonPatchCopyMax = 3 * 1024 * 1024;
/** List elements that all operations together may push aside: inserting 10,000 times into the longest lists takes seconds. */
const jsonPatchMovedMax = 100_000_000;

export interface JsonPatchOperation {
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** Absent counts as null, as upstream. */
  readonly value: JsonValue;
}

export interface DecodedJsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /** One a field that no operation has: `json patch unknown field "[0].foo"`. For fieldValidation Warn and Strict. */
  readonly problems: readonly string[];
}

const operationFields = new Set(["op", "path", "from", "value"]);

/** Throws BadRequest for what is no list of operations, RequestEntityTooLarge for too many. */
export function decodeJsonPatch(patch: JsonValue): DecodedJsonPatch {
  if (!Array.isArray(patch)) throw cannotDecode(patch, "[]handlers.jsonPatchOp");
  if (patch.length > jsonPatchOperationsMax) {
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${patch.length}`,
    );
  }
  const problems: string[] = [];
  const operations = patch.map((entry, index) => {
    if (!isMap(entry)) throw cannotDecode(entry, "handlers.jsonPatchOp");
    for (const field of Object.keys(entry)) {
      if (!operationFields.has(field)) {
        problems.push(`json patch unknown field "[${index}].${field}"`);
      }
    }
    return {
      op: text(entry, "op"),
      path: text(entry, "path"),
      from: text(entry, "from"),
      value: getKey(entry, "value") ?? null,
    };
  });
  return { operations, problems };
}

function text(entry: JsonMap, field: "op" | "path" | "from"): string {
  const value = getKey(entry, field) ?? "";
  if (typeof value !== "string") {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(value)} into Go struct field jsonPatchOp.${field} of type string`,
    );
  }
  return value;
}

function cannotDecode(value: JsonValue, type: string): Error {
  return badRequest(
    `error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`,
  );
}

function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "number";
  return value === null ? "null" : typeof value;
}

/** A new document; the arguments stay as they are. Throws 422 when an operation does not apply. */
export function applyJsonPatch(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
): JsonValue {
  const state: State = { root: copyJson(document), copied: 0, moved: 0 };
  for (const operation of operations) applyOperation(state, operation);
  return state.root;
}

interface State {
  root: JsonValue;
  copied: number;
  moved: number;
}

// Upstream hides every cause behind the text for a bare 422.
const refused = (): Error =>
  unprocessable("the server rejected our request due to an error in our request");

function applyOperation(state: State, operation: JsonPatchOperation): void {
  const { op, path, from, value } = operation;
  switch (op) {
    case "add":
      add(state, path, copyJson(value));
      return;
    case "remove":
      remove(state, place(state, path));
      return;
    case "replace":
      replace(state, path, copyJson(value));
      return;
    case "move": {
      const source = place(state, from);
      const moved = read(source);
      remove(state, source);
      add(state, path, moved);
      return;
    }
    case "copy": {
      const copy = copyJson(read(place(state, from)));
      state.copied += stringifyJson(copy).length;
      if (state.copied > jsonPatchCopyMax) throw refused();
      add(state, path, copy);
      return;
    }
    case "test":
      test(state, path, value);
      return;
    default:
      throw refused();
  }
}

/** A container and the last token of a path in it. */
interface Place {
  readonly container: JsonMap | JsonValue[];
  readonly token: string;
}

/** Everything before the first slash is ignored, as upstream does. */
function tokensOf(path: string): string[] {
  return path
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function place(state: State, path: string): Place {
  const tokens = tokensOf(path);
  const token = tokens.pop();
  let container: JsonValue | undefined = state.root;
  for (const step of tokens) {
    if (typeof container !== "object" || container === null) break;
    container = lookUp(container, step);
  }
  if (token === undefined || typeof container !== "object" || container === null) throw refused();
  return { container, token };
}

function lookUp(container: JsonMap | JsonValue[], token: string): JsonValue | undefined {
  if (!Array.isArray(container)) return getKey(container, token);
  const index = indexOf(token, container.length);
  return index === undefined ? undefined : container[index];
}

/** Undefined when the token is no number or lies outside [-length, length). */
function indexOf(token: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(token)) return undefined;
  const index = Number(token);
  const counted = index < 0 ? index + length : index;
  return counted >= 0 && counted < length ? counted : undefined;
}

function read({ container, token }: Place): JsonValue {
  const value = lookUp(container, token);
  if (value === undefined) throw refused();
  return value;
}

function add(state: State, path: string, value: JsonValue): void {
  const { container, token } = place(state, path);
  if (!Array.isArray(container)) {
    setKey(container, token, value);
    return;
  }
  const index = token === "-" ? container.length : indexOf(token, container.length + 1);
  if (index === undefined) throw refused();
  countMoved(state, container.length - index);
  container.splice(index, 0, value);
}

function remove(state: State, { container, token }: Place): void {
  read({ container, token });
  if (Array.isArray(container)) {
    const index = indexOf(token, container.length)!;
    countMoved(state, container.length - index);
    container.splice(index, 1);
  } else {
    delete container[token];
  }
}

function countMoved(state: State, elements: number): void {
  state.moved += elements;
  if (state.moved > jsonPatchMovedMax) throw refused();
}

function replace(state: State, path: string, value: JsonValue): void {
  if (path === "") {
    state.root = value;
    return;
  }
  const target = place(state, path);
  read(target);
  if (Array.isArray(target.container)) {
    target.container[indexOf(target.token, target.container.length)!] = value;
  } else {
    setKey(target.container, target.token, value);
  }
}

/** A missing member equals null. */
function test(state: State, path: string, value: JsonValue): void {
  let found: JsonValue = state.root;
  if (path !== "") {
    const { container, token } = place(state, path);
    found = lookUp(container, token) ?? null;
  }
  if (!equalJson(found, value)) throw refused();
}
