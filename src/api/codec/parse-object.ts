// Stored and served bytes to an object: our own JSON, so nothing in it is strange.
import { parseJson } from "../../std/json.ts";
import { decodeUtf8 } from "../../std/utf8.ts";
import type { KubeObject } from "../object.ts";

/** A private copy at every call. */
export function parseObject(bytes: Uint8Array): KubeObject {
  return parseJson(decodeUtf8(bytes)) as KubeObject;
}
