// Objects to the bytes that are stored and served: compact JSON with kind and apiVersion first, every field in its
// struct's order, so that equal objects give equal bytes and resource-version.ts finds its place.
import { stringifyJson } from "../../std/json.ts";
import { encodeUtf8 } from "../../std/utf8.ts";
import { orderFields } from "./field-order.ts";

/** `object` should be normal (normalize.ts) but for defaults and fields that the server filled in. */
export function encodeJson(typeId: string, object: object): Uint8Array {
  return encodeUtf8(stringifyJson(orderFields(typeId, object)));
}
