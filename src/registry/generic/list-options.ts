// ListOptions of a request -> what the watch cache is asked. Parameters that contradict each other were refused before
// (api/meta/list-options.ts); here the values themselves are judged: revisions, selectors, tokens.
import { decodeContinue } from "../../api/meta/continue-token.ts";
import { badRequest } from "../../api/meta/errors.ts";
import { type FieldSelector, parseFieldSelector } from "../../api/meta/field-selector.ts";
import { parseLabelSelector } from "../../api/meta/label-selector.ts";
import type { ListOptions } from "../../api/meta/list-options.ts";
import type {
  CacheListOptions,
  CacheWatchOptions,
  Selection,
} from "../../watchcache/resource-cache.ts";
import { type FieldTable, selectableField } from "../fields.ts";

const uint64Max = 18_446_744_073_709_551_615n;

/** Undefined for "". Throws BadRequest for what is no unsigned integer of 64 bits. */
export function parseResourceVersion(text: string): number | undefined {
  if (text === "") return undefined;
  const isNumber = /^\d+$/.test(text);
  const revision = Number(text);
  // A revision beyond 2^53 never comes; the cache then answers that it is too large.
  if (isNumber && (Number.isSafeInteger(revision) || BigInt(text) <= uint64Max))
    return Math.min(revision, Number.MAX_SAFE_INTEGER);
  const quoted = JSON.stringify(text);
  const why = isNumber ? "value out of range" : "invalid syntax";
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`,
  );
}

export function selectionOf(
  namespace: string,
  options: ListOptions,
  fields: FieldTable,
): Selection {
  return {
    namespace,
    labels: parseLabelSelector(options.labelSelector),
    fields: checkedFields(parseFieldSelector(options.fieldSelector), fields),
  };
}

function checkedFields(selector: FieldSelector, fields: FieldTable): FieldSelector {
  return selector.map((term) => ({ ...term, field: selectableField(fields, term.field) }));
}

/** Keys of continue tokens are relative to what the list covers. */
export function listPrefix(namespace: string): string {
  return namespace === "" ? "" : `${namespace}/`;
}

export function cacheListOptions(selection: Selection, options: ListOptions): CacheListOptions {
  const resourceVersion = parseResourceVersion(options.resourceVersion);
  // Upstream pages only where the limit is positive.
  const limit = Math.max(0, options.limit);
  if (options.continue !== "") {
    if (resourceVersion !== undefined && resourceVersion !== 0) {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    const continueFrom = decodeContinue(options.continue, listPrefix(selection.namespace));
    return { selection, limit, continueFrom };
  }
  const base = { selection, limit };
  if (resourceVersion === undefined) return base;
  const match = options.resourceVersionMatch;
  if (match === "Exact" || match === "NotOlderThan") return { ...base, resourceVersion, match };
  // Without a match, a revision with a limit means exactly that revision, else at least that one.
  const exact = resourceVersion !== 0 && limit > 0;
  return { ...base, resourceVersion, match: exact ? "Exact" : "NotOlderThan" };
}

/**
 * Where a watch starts. A watch without revision, or at 0, is given the present state first, as if it had asked for
 * it (upstream: SetListOptionsDefaults). `newest` answers the store's revision.
 */
export async function cacheWatchOptions(
  selection: Selection,
  options: ListOptions,
  given: { readonly endsAt: number; readonly newest: () => Promise<number> },
): Promise<CacheWatchOptions> {
  const revision = parseResourceVersion(options.resourceVersion);
  const isLegacy = options.sendInitialEvents === undefined && (revision ?? 0) === 0;
  const common = { selection, bookmarks: options.allowWatchBookmarks, endsAt: given.endsAt };
  if (options.sendInitialEvents === true || isLegacy) {
    return {
      from: revision === undefined ? { kind: "State" } : { kind: "State", revision },
      initialEventsEnd: options.allowWatchBookmarks,
      ...common,
    };
  }
  const start = (revision ?? 0) === 0 ? await given.newest() : revision!;
  return { from: { kind: "After", revision: start }, initialEventsEnd: false, ...common };
}
