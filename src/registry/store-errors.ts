// The single translation from what storage and watch cache answer into Kubernetes' words (upstream:
// registry/generic/registry/storage_error, storage/etcd3/errors.go).
import { expired, resourceVersionTooLarge, StatusError, unknownError } from "../api/meta/errors.ts";
import { StoreUnavailableError, ValueTooLargeError } from "../storage/store.ts";
import type { Expired, TooLarge } from "../watchcache/resource-cache.ts";

const continueTooOld =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter";

/** `resumeToken`: where an inconsistent rest of a paged list would start. `paging`: the request had a token. */
export function listError(
  outcome: Expired | TooLarge,
  request: { readonly paging: boolean; readonly resumeToken: string | undefined },
): StatusError {
  if (outcome.kind === "TooLarge") return tooLarge(outcome);
  if (!request.paging) {
    return expired("The resourceVersion for the provided list is too old.");
  }
  if (request.resumeToken === undefined) return expired(`${continueTooOld}.`);
  return expired(
    `${continueTooOld}, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.`,
    request.resumeToken,
  );
}

export function watchError(outcome: Expired | TooLarge): StatusError {
  if (outcome.kind === "TooLarge") return tooLarge(outcome);
  return expired(`too old resource version: ${outcome.asked} (${outcome.oldest})`);
}

export function tooLarge(outcome: TooLarge): StatusError {
  return resourceVersionTooLarge(outcome.asked, outcome.current);
}

/** What a store call threw, for the client; anything unknown passes as it is. */
export function storeError(error: unknown): unknown {
  if (error instanceof ValueTooLargeError) {
    return unknownError("etcdserver: request is too large");
  }
  if (error instanceof StoreUnavailableError) {
    return new StatusError(unknownError(error.message).status, error);
  }
  return error;
}
