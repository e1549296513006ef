// GET, LIST and WATCH: the request's options become the watch cache's, its outcomes the request's answer.
import { encodeContinue } from "../../api/meta/continue-token.ts";
import { notFound } from "../../api/meta/errors.ts";
import type { ListOptions } from "../../api/meta/list-options.ts";
import type { Expired, Watcher } from "../../watchcache/resource-cache.ts";
import type { ObjectList, ObjectRead } from "../registry.ts";
import { listError, tooLarge, watchError } from "../store-errors.ts";
import {
  cacheListOptions,
  cacheWatchOptions,
  listPrefix,
  parseResourceVersion,
  selectionOf,
} from "./list-options.ts";
import { type RegistryParts, targetOf } from "./registry-parts.ts";
import { cacheKey, type ObjectName } from "../../watchcache/object-key.ts";

/** Throws NotFound, BadRequest for a bad resourceVersion, or 504 for one that does not come. */
export async function getObject(
  parts: RegistryParts,
  object: ObjectName,
  resourceVersion: string,
): Promise<ObjectRead> {
  const revision = parseResourceVersion(resourceVersion);
  const outcome = await parts.objects.cache.get(cacheKey(object), revision);
  if (outcome.kind === "TooLarge") throw tooLarge(outcome);
  const { object: found, cost } = outcome;
  if (found === undefined) throw notFound(targetOf(parts), object.name);
  return { object: found, cost };
}

export async function listObjects(
  parts: RegistryParts,
  namespace: string,
  options: ListOptions,
): Promise<ObjectList> {
  const selection = selectionOf(namespace, options, parts.fields);
  const prefix = listPrefix(namespace);
  const outcome = await parts.objects.cache.list(cacheListOptions(selection, options));
  if (outcome.kind !== "List") {
    const paging = options.continue !== "";
    const resumeToken = outcome.kind === "Expired" ? resumeFrom(outcome, prefix) : undefined;
    throw listError(outcome, { paging, resumeToken });
  }
  const { revision, items, nextKey, remaining, cost } = outcome;
  if (nextKey === undefined) return { revision, items, cost };
  const continueToken = encodeContinue({ revision, startKey: nextKey }, prefix);
  return {
    revision,
    items,
    continueToken,
    cost,
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
}

function resumeFrom(outcome: Expired, prefix: string): string | undefined {
  if (outcome.resumeKey === undefined) return undefined;
  return encodeContinue({ revision: -1, startKey: outcome.resumeKey }, prefix);
}

export async function watchObjects(
  parts: RegistryParts,
  request: { readonly namespace: string; readonly options: ListOptions; readonly endsAt: number },
): Promise<Watcher> {
  const { namespace, options, endsAt } = request;
  const selection = selectionOf(namespace, options, parts.fields);
  const newest = (): Promise<number> => parts.objects.revision();
  const asked = await cacheWatchOptions(selection, options, { endsAt, newest });
  const outcome = await parts.objects.cache.watch(asked);
  if (outcome.kind !== "Watcher") throw watchError(outcome);
  return outcome.watcher;
}
