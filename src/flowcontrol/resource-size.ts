// How much there is of each stored resource, read from the watch caches: for estimates of LISTs, which are made before
// anybody knows whether the request is allowed, so they cost no more than a look at sizes.
import { parseFieldSelector } from "../api/meta/field-selector.ts";
import { parseLabelSelector } from "../api/meta/label-selector.ts";
import type { ListOptions } from "../api/meta/list-options.ts";
import { qualified } from "../api/meta/errors.ts";
import type { ResourceCache, Selection } from "../watchcache/resource-cache.ts";
import type { RequestDigest } from "./request-digest.ts";
import type { ResourceSize } from "./work-estimate.ts";

export class ResourceSizes {
  readonly #caches: ReadonlyMap<string, ResourceCache>;

  constructor(caches: Iterable<ResourceCache>) {
    this.#caches = new Map([...caches].map((cache) => [cache.layout.label, cache]));
  }

  /** Undefined: nobody stores it here. */
  all(digest: RequestDigest): ResourceSize | undefined {
    const cache = this.#find(digest);
    return cache && { objects: cache.size, bytes: cache.bytes };
  }

  /** What is left to look at by name, namespace and the cheapest index; of these, bytes as many as of the average. */
  matched(digest: RequestDigest, options: ListOptions): ResourceSize | undefined {
    const cache = this.#find(digest);
    const selection = selectionOf(digest, options);
    if (cache === undefined || selection === undefined) return undefined;
    const objects = cache.countCandidates(selection);
    return { objects, bytes: cache.size === 0 ? 0 : (cache.bytes / cache.size) * objects };
  }

  #find({ group, resource }: RequestDigest): ResourceCache | undefined {
    return this.#caches.get(qualified(group, resource));
  }
}

/** Undefined: the request is going to be refused for its selectors. */
function selectionOf({ namespace }: RequestDigest, options: ListOptions): Selection | undefined {
  try {
    return {
      namespace,
      labels: parseLabelSelector(options.labelSelector),
      fields: parseFieldSelector(options.fieldSelector),
    };
  } catch {
    return undefined;
  }
}
