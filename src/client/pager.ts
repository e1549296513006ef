// Lists to the end, page by page (upstream: client-go/tools/pager). A list whose continue token expires half-way is
// begun again without pages, so that it ends at all.
import { isExpired } from "./reason.ts";
import type { ListOptions, Page } from "./resource-client.ts";
import type { ApiObject, Served } from "./served-object.ts";

export interface WholeList<T extends ApiObject> {
  readonly items: Served<T>[];
  readonly resourceVersion: string;
  /** Whether it took more than one page. */
  readonly paged: boolean;
}

/** What pages come from: a ResourceClient, or something that only counts them. */
export interface PageSource<T extends ApiObject> {
  list(options: ListOptions): Promise<Page<T>>;
}

/** `limit` 0 asks for everything at once. */
export async function listAll<T extends ApiObject>(
  resource: PageSource<T>,
  options: ListOptions & { readonly limit: number },
): Promise<WholeList<T>> {
  const { limit, ...rest } = options;
  const first = await resource.list(limit === 0 ? rest : options);
  if (first.continue === "") return { ...first, paged: false };
  const items = first.items;
  let page = first;
  while (page.continue !== "") {
    const next = await nextPage(resource, { ...rest, limit, continue: page.continue });
    if (next === undefined) return { ...(await resource.list(rest)), paged: true };
    for (const item of next.items) items.push(item);
    page = next;
  }
  return { items, resourceVersion: page.resourceVersion, paged: true };
}

/** Undefined when the token is too old. */
async function nextPage<T extends ApiObject>(
  resource: PageSource<T>,
  options: ListOptions,
): Promise<Page<T> | undefined> {
  // The token says at which revision; naming one beside it is refused.
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  try {
    return await resource.list(rest);
  } catch (error) {
    if (isExpired(error)) return undefined;
    throw error;
  }
}
