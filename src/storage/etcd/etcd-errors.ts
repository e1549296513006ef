// What an error of etcd's gRPC API means to a store. etcd's codes are coarse, so its texts decide; they have been the
// same since 3.0.
import { type ServiceError, status } from "@grpc/grpc-js";
import { LeaseNotFoundError, StoreUnavailableError, ValueTooLargeError } from "../store.ts";

export type EtcdFault =
  | "Compacted"
  | "FutureRevision"
  | "TooLarge"
  | "LeaseNotFound"
  /** The member cannot be reached or has no leader: another one may answer. */
  | "Unreachable"
  | "Other";

const texts: readonly (readonly [string, EtcdFault])[] = [
  ["required revision has been compacted", "Compacted"],
  ["required revision is a future revision", "FutureRevision"],
  ["request is too large", "TooLarge"],
  ["message larger than max", "TooLarge"],
  ["requested lease not found", "LeaseNotFound"],
];

const unreachable = [status.UNAVAILABLE, status.CANCELLED];

export function faultOf(error: ServiceError): EtcdFault {
  const known = texts.find(([text]) => error.details.includes(text));
  if (known !== undefined) return known[1];
  return unreachable.includes(error.code) ? "Unreachable" : "Other";
}

/** The error a caller of the store sees. */
export function storeError(error: unknown): Error {
  if (!isServiceError(error)) {
    return error instanceof Error ? error : new Error(String(error));
  }
  const cause = { cause: error };
  switch (faultOf(error)) {
    case "TooLarge":
      return new ValueTooLargeError(error.details, cause);
    case "LeaseNotFound":
      return new LeaseNotFoundError(error.details, cause);
    default:
      return new StoreUnavailableError(`etcd: ${error.details}`, cause);
  }
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && "code" in error && "details" in error;
}
