// DELETECOLLECTION: the selected objects, page by page, some at a time; what is gone meanwhile does not matter.
import { StatusError } from "../../api/meta/errors.ts";
import type { ListOptions } from "../../api/meta/list-options.ts";
import type { DeleteOptions } from "../../api/types/meta-v1.ts";
import type { CachedObject } from "../../watchcache/resource-cache.ts";
import type { ObjectList, WriteCall } from "../registry.ts";
import { deleteObject } from "./delete.ts";
import { listObjects } from "./read.ts";
import type { RegistryParts } from "./registry-parts.ts";
import { nameOf, namespaceOf } from "../../watchcache/object-key.ts";

/** Objects listed at a time; between pages others run. */
const deletePageSize = 500;
/** Deletes under way at once: enough to share the store's syncs. */
const deleteWorkers = 16;

/** The objects as they were listed; what listing cost is in the call's cost already. With `limit` in the selection only so many are deleted. */
export async function deleteCollection(
  parts: RegistryParts,
  call: WriteCall,
  request: { readonly options: DeleteOptions; readonly selection: ListOptions },
): Promise<ObjectList> {
  const { selection } = request;
  const deleted: CachedObject[] = [];
  const limit = selection.limit > 0 ? selection.limit : deletePageSize;
  const rest = { ...selection, limit, resourceVersion: "", resourceVersionMatch: "" };
  let first: ObjectList | undefined;
  let token = selection.continue;
  for (;;) {
    const page = first === undefined ? { ...selection, limit } : { ...rest, continue: token };
    const list = await listObjects(parts, call.namespace, page);
    call.cost.addRead(list.cost);
    const items = [...list.items];
    await deletePage(parts, call, { items, options: request.options });
    deleted.push(...items);
    if (selection.limit > 0) return { ...list, items: deleted };
    first ??= list;
    if (list.continueToken === undefined)
      return { revision: first.revision, items: deleted, cost: first.cost };
    token = list.continueToken;
    await parts.clock.turn();
  }
}

async function deletePage(
  parts: RegistryParts,
  call: WriteCall,
  work: { readonly items: readonly CachedObject[]; readonly options: DeleteOptions },
): Promise<void> {
  const { items, options } = work;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next++]!;
      await deleteItem(parts, call, { key: item.key, options });
    }
  };
  const workers = Array.from({ length: Math.min(deleteWorkers, items.length) }, worker);
  const outcomes = await Promise.allSettled(workers);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function deleteItem(
  parts: RegistryParts,
  call: WriteCall,
  item: { readonly key: string; readonly options: DeleteOptions },
): Promise<void> {
  try {
    await deleteObject(parts, {
      ...call,
      namespace: namespaceOf(item.key),
      name: nameOf(item.key),
      options: item.options,
    });
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
  }
}
