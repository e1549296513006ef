// JSON merge patch (RFC 7386): objects merge, null deletes, everything else replaces.
import { badRequest } from "../meta/errors.ts";
import type { JsonValue } from "../object.ts";
import { type JsonMap, isMap } from "./json-tree.ts";
import { getKey, setKey, copyJson } from "../../std/json.ts";

/** A new document; neither argument is changed. Throws BadRequest when the patch is no object. */
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue {
  if (!isMap(patch)) {
    const kind = Array.isArray(patch) ? "array" : patch === null ? "null" : typeof patch;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    );
  }
  return mergeInto(isMap(document) ? copyJson(document) : {}, patch);
}

function mergeInto(target: JsonMap, patch: JsonMap): JsonMap {
  for (const key of Object.keys(patch)) {
    const value = patch[key]!;
    if (value === null) {
      delete target[key];
    } else if (isMap(value)) {
      const present = getKey(target, key);
      // A patch for an absent object still drops its own nulls.
      setKey(target, key, mergeInto(isMap(present) ? present : {}, value));
    } else {
      setKey(target, key, copyJson(value));
    }
  }
  return sorted(target);
}

/** What a patch touches comes out in the order of its keys, as errors show it. */
function sorted(map: JsonMap): JsonMap {
  const result: JsonMap = {};
  for (const key of Object.keys(map).sort()) setKey(result, key, map[key]!);
  return result;
}
