// Why a call failed, for callers that branch on it; never on text.
import { StatusError } from "../api/meta/errors.ts";
import { ConnectionError } from "../host/http.ts";

/** What any call may meet: a server that refuses, or none that answers. Anything else is a bug of ours, or the end. */
export function isCallFailure(error: unknown): error is StatusError | ConnectionError {
  return error instanceof StatusError || error instanceof ConnectionError;
}

/** `NotFound`, `Conflict`, ...; "" for anything that is no refusal of a server. */
export function reasonOf(error: unknown): string {
  return error instanceof StatusError ? error.reason : "";
}

/** Whether the refusal carries this cause, e.g. `NamespaceTerminating` (upstream: apierrors.HasStatusCause). */
export function hasCause(error: unknown, reason: string): boolean {
  if (!(error instanceof StatusError)) return false;
  return (error.status.details?.causes ?? []).some((cause) => cause.reason === reason);
}

/** The revision asked for is compacted, or a watch fell behind (1.17 and older also say Gone). */
export function isExpired(error: unknown): boolean {
  const reason = reasonOf(error);
  return reason === "Expired" || reason === "Gone";
}

/** The server's cache is behind the revision asked for; servers before 1.19 say so only in words. */
export function isResourceVersionTooLarge(error: unknown): boolean {
  if (hasCause(error, "ResourceVersionTooLarge")) return true;
  if (!(error instanceof StatusError) || error.reason !== "Timeout") return false;
  return error.message.includes("Too large resource version");
}
