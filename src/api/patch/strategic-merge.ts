// Strategic merge patch: a merge patch that knows from the schema which lists merge by which key, and that carries
// directives ($patch, $retainKeys, $setElementOrder/, $deleteFromPrimitiveList/). What it does with duplicates and
// order follows apimachinery/pkg/util/strategicpatch, surprises included.
import { badRequest, unknownError, unprocessable } from "../meta/errors.ts";
import type { JsonValue } from "../object.ts";
import { type FieldSchema, schema } from "../schema/schema.ts";
import { type JsonMap, goText, isMap } from "./json-tree.ts";
import { mergeOrder } from "./merge-order.ts";
import { getKey, setKey, copyJson, equalJson } from "../../std/json.ts";

const patchMarker = "$patch";
const retainKeysMarker = "$retainKeys";
const setElementOrderPrefix = "$setElementOrder";
const deleteFromListPrefix = "$deleteFromPrimitiveList";

/** Where the walk stands in the schema; typeId undefined: free JSON, merged without keys. */
interface Shape {
  readonly typeId: string | undefined;
  readonly isMapOf: boolean;
}

/**
 * A new document; the arguments stay as they are. `typeId` names the document's message type. Throws BadRequest,
 * 422 or 500 as upstream does for malformed patches.
 */
export function applyStrategicMergePatch(
  typeId: string,
  document: JsonValue,
  patch: JsonValue,
): JsonValue {
  if (!isMap(patch)) throw badRequest("invalid JSON document");
  const original = isMap(document) ? copyJson(document) : {};
  return mergeMap(original, copyJson(patch), { typeId, isMapOf: false });
}

/** Both arguments are used up. */
function mergeMap(original: JsonMap, patch: JsonMap, shape: Shape): JsonMap {
  if (Object.hasOwn(patch, patchMarker)) return followDirective(patch);
  retainKeys(original, patch);
  for (const key of Object.keys(patch)) {
    if (key.startsWith(setElementOrderPrefix)) mergeOrderedList(original, patch, { key, shape });
  }
  for (const key of Object.keys(patch)) mergeField(original, patch[key]!, { key, shape });
  return original;
}

function followDirective(patch: JsonMap): JsonMap {
  const directive = getKey(patch, patchMarker)!;
  if (directive === "delete") return {};
  if (directive !== "replace") throw unknownDirective(directive, patch);
  delete patch[patchMarker];
  return patch;
}

function unknownDirective(directive: JsonValue, map: JsonMap): Error {
  return unknownError(`unknown patch type: ${goText(directive)} in map: ${goText(map)}`);
}

function retainKeys(original: JsonMap, patch: JsonMap): void {
  const list = getKey(patch, retainKeysMarker);
  if (list === undefined) return;
  delete patch[retainKeysMarker];
  if (!Array.isArray(list)) throw badRequest("invalid patch format of retainKeys");
  const kept = new Set(list);
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || isListDirective(key)) continue;
    if (!kept.has(key)) throw unprocessable("patch content doesn't match retainKeys list");
  }
  for (const key of Object.keys(original)) if (!kept.has(key)) delete original[key];
}

function isListDirective(key: string): boolean {
  return key.startsWith(deleteFromListPrefix) || key.startsWith(setElementOrderPrefix);
}

interface FieldStep {
  readonly key: string;
  readonly shape: Shape;
}

function mergeField(original: JsonMap, value: JsonValue, step: FieldStep): void {
  const isDeletion = step.key.startsWith(deleteFromListPrefix);
  const key = isDeletion ? listName(step.key, deleteFromListPrefix) : step.key;
  if (key.startsWith(setElementOrderPrefix)) return;
  if (value === null) {
    delete original[key];
    return;
  }
  const present = getKey(original, key);
  if (present === undefined || jsonKind(present) !== jsonKind(value)) {
    if (!isDeletion) setKey(original, key, withoutDirectives(value) ?? {});
    return;
  }
  setKey(original, key, mergeValue(present, value, { key, shape: step.shape, isDeletion }));
}

function jsonKind(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value === "bigint" ? "number" : typeof value;
}

function mergeValue(
  present: JsonValue,
  value: JsonValue,
  step: FieldStep & { readonly isDeletion: boolean },
): JsonValue {
  if (isMap(present) && isMap(value)) {
    return mergeMap(present, value, elementShape(findField(step), step.shape));
  }
  if (!Array.isArray(present) || !Array.isArray(value)) return value;
  const field = findField(step);
  if (field?.patch?.merge !== true) return step.isDeletion ? present : prunedList(value);
  const rule = { mergeKey: field.patch.mergeKey ?? "", shape: elementShape(field, step.shape) };
  if (!step.isDeletion) return mergeList(present, value, rule);
  const doomed = new Set(value);
  return present.filter((item) => !doomed.has(item));
}

/** A list that replaces: elements stay, directives in them go. */
function prunedList(list: JsonValue[]): JsonValue[] {
  return list.map((item) => withoutDirectives(item)).filter((item) => item !== undefined);
}

/** Undefined inside free JSON and string maps. Throws for a name that the type does not have. */
function findField({ key, shape }: FieldStep): FieldSchema | undefined {
  if (shape.isMapOf || shape.typeId === undefined) return undefined;
  const field = fieldOf(shape.typeId, key);
  if (field !== undefined) return field;
  throw unknownError(
    `unable to find api field in struct ${shape.typeId.split(".").at(-1)} for the json field "${key}"`,
  );
}

function fieldOf(typeId: string, key: string): FieldSchema | undefined {
  for (const field of schema.types[typeId]?.fields ?? []) {
    if (field.inline === true) {
      const inner = fieldOf(field.type, key);
      if (inner !== undefined) return inner;
    } else if (field.name === key) {
      return field;
    }
  }
  return undefined;
}

/** Shape of a field's value, or of its elements when it is a list. */
function elementShape(field: FieldSchema | undefined, parent: Shape): Shape {
  const typeId = field === undefined ? parent.typeId : field.type;
  const known = typeId !== undefined && typeId in schema.types ? typeId : undefined;
  return { typeId: known, isMapOf: field?.container === "map" };
}

interface ListRule {
  /** "" for lists of primitives. */
  readonly mergeKey: string;
  readonly shape: Shape;
}

function mergeList(original: JsonValue[], patch: JsonValue[], rule: ListRule): JsonValue[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (!checkElements(original, patch)) {
    const union = [...new Set([...original, ...patch])];
    return mergeOrder(union, patch, original, (item) => item);
  }
  if (rule.mergeKey === "") {
    throw unknownError("cannot merge lists without merge key for type struct");
  }
  const special = followListDirectives(original, patch, rule.mergeKey);
  const merged = mergeElements(special.original, special.patch, rule);
  for (const item of merged) keyOf(item, rule.mergeKey);
  return mergeOrder(merged, special.patch, special.original, (item) => keyOf(item, rule.mergeKey));
}

/** True for lists of objects. Throws for lists of lists and mixed ones. */
function checkElements(...lists: JsonValue[][]): boolean {
  const kinds = new Set(lists.flat().map((item) => jsonKind(item)));
  if (kinds.has("list")) throw unprocessable("lists of lists are not supported");
  if (kinds.size > 1) {
    throw unknownError(`list element types are not identical: ${goText(lists)}`);
  }
  return kinds.has("object");
}

function keyOf(item: JsonValue, mergeKey: string): JsonValue {
  const key = isMap(item) ? getKey(item, mergeKey) : undefined;
  if (key !== undefined) return key;
  throw unknownError(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** `$patch: delete` removes every element with the key, `$patch: replace` anywhere drops all that was there. */
function followListDirectives(
  original: JsonValue[],
  patch: JsonValue[],
  mergeKey: string,
): { original: JsonValue[]; patch: JsonValue[] } {
  const doomed = new Set<JsonValue | undefined>();
  let replaces = false;
  const plain: JsonValue[] = [];
  for (const item of patch) {
    const directive = isMap(item) ? getKey(item, patchMarker) : undefined;
    if (directive === undefined) {
      plain.push(item);
    } else if (directive === "delete") {
      doomed.add(keyOf(item, mergeKey));
    } else if (directive === "replace") {
      replaces = true;
    } else if (directive === "merge") {
      throw unknownError("merging lists cannot yet be specified in the patch");
    } else {
      throw unknownDirective(directive, item as JsonMap);
    }
  }
  if (replaces) return { original: plain, patch: [] };
  const isLeft = (old: JsonValue): boolean => !isMap(old) || !doomed.has(getKey(old, mergeKey));
  return { original: doomed.size === 0 ? original : original.filter(isLeft), patch: plain };
}

/** Each of the patch's merges into the first element with its key, or is added; later duplicates stay as they are. */
function mergeElements(original: JsonValue[], patch: JsonValue[], rule: ListRule): JsonValue[] {
  const merged = [...original];
  // Of keys: looking through the list for every element would take minutes for the longest lists that a body holds.
  const places = new Map<JsonValue, number>();
  for (const [index, item] of merged.entries()) notePlace(places, item, { index, rule });
  for (const item of patch) {
    const index = places.get(keyOf(item, rule.mergeKey));
    if (index === undefined) {
      const added = withoutDirectives(item) ?? {};
      notePlace(places, added, { index: merged.push(added) - 1, rule });
      continue;
    }
    merged[index] = mergeMap(merged[index] as JsonMap, item as JsonMap, rule.shape);
  }
  return merged;
}

function notePlace(
  places: Map<JsonValue, number>,
  item: JsonValue,
  { index, rule }: { readonly index: number; readonly rule: ListRule },
): void {
  const key = isMap(item) ? getKey(item, rule.mergeKey) : undefined;
  if (key !== undefined && !places.has(key)) places.set(key, index);
}

/** `$setElementOrder/x` merges the list x of the patch right away, in the order it states. */
function mergeOrderedList(original: JsonMap, patch: JsonMap, step: FieldStep): void {
  const order = getKey(patch, step.key)!;
  delete patch[step.key];
  const key = listName(step.key, setElementOrderPrefix);
  const present = getKey(original, key);
  const wanted = getKey(patch, key);
  for (const list of [order, present ?? [], wanted ?? []]) {
    if (!Array.isArray(list)) throw badRequest("invalid patch format of setElementOrder list");
  }
  const field = findField({ key, shape: step.shape });
  const rule = {
    mergeKey: field?.patch?.mergeKey ?? "",
    shape: elementShape(field, step.shape),
  };
  const lists = {
    order: order as JsonValue[],
    present: present as JsonValue[] | undefined,
    wanted: wanted as JsonValue[] | undefined,
  };
  checkOrder(lists.wanted ?? [], lists.order, rule.mergeKey);
  delete patch[key];
  if (lists.present === undefined && lists.wanted === undefined) return;
  const merged = mergeWanted(lists, rule, field?.patch?.merge === true);
  const identity =
    rule.mergeKey === ""
      ? (item: JsonValue): JsonValue => item
      : (item: JsonValue): JsonValue => keyOf(item, rule.mergeKey);
  setKey(original, key, mergeOrder(merged, lists.order, lists.present ?? [], identity));
}

function mergeWanted(
  lists: { present: JsonValue[] | undefined; wanted: JsonValue[] | undefined },
  rule: ListRule,
  merges: boolean,
): JsonValue[] {
  if (lists.wanted === undefined) return lists.present!;
  if (lists.present === undefined || !merges) return prunedList(lists.wanted);
  return mergeList(lists.present, lists.wanted, rule);
}

/** `$setElementOrder/containers` names `containers`. */
function listName(key: string, prefix: string): string {
  const slash = key.indexOf("/");
  if (slash >= 0 && key.slice(0, slash) === prefix) return key.slice(slash + 1);
  throw badRequest(
    prefix === deleteFromListPrefix
      ? "invalid patch format of primitive list"
      : "invalid patch format of setElementOrder list",
  );
}

/** The patch's elements must be among those ordered, in the same relative order; deletions do not count. */
function checkOrder(wanted: JsonValue[], order: JsonValue[], mergeKey: string): void {
  if (wanted.length === 0 || order.length === 0) return;
  const kept = wanted.filter((item) => !isMap(item) || !Object.hasOwn(item, patchMarker));
  const identity = (item: JsonValue): JsonValue => (mergeKey === "" ? item : keyOf(item, mergeKey));
  let next = 0;
  for (const item of order) {
    if (next < kept.length && equalJson(identity(kept[next]!), identity(item))) next += 1;
  }
  if (next === kept.length) return;
  throw unknownError(
    `The order in patch list:\n${goText(wanted)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
  );
}

/** What a patch adds where nothing stands: without nulls and directives; undefined for `$patch: delete`. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return prunedList(value);
  if (!isMap(value)) return value;
  if (getKey(value, patchMarker) === "delete") return undefined;
  const kept: JsonMap = {};
  for (const key of Object.keys(value)) {
    if (key === patchMarker || key === retainKeysMarker || isListDirective(key)) continue;
    const inner = value[key]!;
    const pruned = inner === null ? undefined : withoutDirectives(inner);
    if (pruned !== undefined) setKey(kept, key, pruned);
  }
  return kept;
}
