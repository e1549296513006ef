// The only place that builds error Statuses: one function a reason, with Kubernetes' code and wording
// (upstream: apimachinery/pkg/api/errors). Callers branch on `reason`, never on text.
import type { Status, StatusCause, StatusDetails } from "../types/meta-v1.ts";
import { type FieldError, fieldErrorBody } from "./field-error.ts";

/** Thrown by any layer that must refuse a request; the server answers with `status`. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly status: Status;
  constructor(status: Status, cause?: unknown) {
    super(status.message ?? status.reason ?? "unknown", { cause });
    this.status = status;
  }
  get reason(): string {
    return this.status.reason ?? "";
  }
  get code(): number {
    return this.status.code ?? 500;
  }
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** `pods`, `deployments.apps`: how messages name a resource (and, given a kind, a kind). */
export function qualified(group: string, word: string): string {
  return group === "" ? word : `${word}.${group}`;
}

function resourceText(target: GroupResource): string {
  return qualified(target.group, target.resource);
}

function resourceDetails(target: GroupResource, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(target.group === "" ? {} : { group: target.group }),
    kind: target.resource,
  };
}

function failure(
  code: number,
  reason: string,
  message: string,
  details?: StatusDetails,
): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

export function badRequest(message: string): StatusError {
  return failure(400, "BadRequest", message);
}

export function unauthorized(message = "Unauthorized"): StatusError {
  return failure(401, "Unauthorized", message);
}

/** `target` undefined: a non-resource request. */
export function forbidden(
  target: GroupResource | undefined,
  name: string,
  why: string,
  causes?: StatusCause[],
): StatusError {
  if (target === undefined) return failure(403, "Forbidden", `forbidden: ${why}`, {});
  const subject = name === "" ? resourceText(target) : `${resourceText(target)} "${name}"`;
  return failure(403, "Forbidden", `${subject} is forbidden: ${why}`, {
    ...resourceDetails(target, name),
    ...(causes === undefined ? {} : { causes }),
  });
}

export function notFound(target: GroupResource, name: string): StatusError {
  const message = `${resourceText(target)} "${name}" not found`;
  return failure(404, "NotFound", message, resourceDetails(target, name));
}

/** A path inside a served API that leads nowhere. */
export function noSuchResource(): StatusError {
  return failure(404, "NotFound", "the server could not find the requested resource", {});
}

export function methodNotAllowed(): StatusError {
  const message = "the server does not allow this method on the requested resource";
  return failure(405, "MethodNotAllowed", message, {});
}

export function notAcceptable(message: string): StatusError {
  return failure(406, "NotAcceptable", message);
}

export function alreadyExists(target: GroupResource, name: string, suffix = ""): StatusError {
  const message = `${resourceText(target)} "${name}" already exists${suffix}`;
  return failure(409, "AlreadyExists", message, resourceDetails(target, name));
}

export function conflict(target: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${resourceText(target)} "${name}": ${why}`;
  return failure(409, "Conflict", message, resourceDetails(target, name));
}

export const staleObject =
  "the object has been modified; please apply your changes to the latest version and try again";

/** A list or watch from history that is gone; `continueToken` lets a list go on inconsistently. */
export function expired(message: string, continueToken?: string): StatusError {
  const error = failure(410, "Expired", message);
  if (continueToken === undefined) return error;
  return new StatusError({ ...error.status, metadata: { continue: continueToken } });
}

export function requestEntityTooLarge(message: string): StatusError {
  return failure(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const list = accepted.join(", ");
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return failure(415, "UnsupportedMediaType", message);
}

/** A PATCH of a type that no resource takes. */
export function wrongPatchType(): StatusError {
  return failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

/** 422. `kind` is the Kind, as upstream; one error stands bare, several in brackets, duplicates dropped. */
export function invalid(kind: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const texts = new Set(errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`));
  const list = texts.size === 1 ? [...texts][0]! : `[${[...texts].join(", ")}]`;
  return failure(
    422,
    "Invalid",
    `${qualified(kind.group, kind.kind)} "${name}" is invalid: ${list}`,
    {
      ...(name === "" ? {} : { name }),
      ...(kind.group === "" ? {} : { group: kind.group }),
      kind: kind.kind,
      causes: errors.map((error) => ({
        reason: error.reason,
        message: fieldErrorBody(error),
        field: error.field,
      })),
    },
  );
}

/** 422 without field errors, e.g. a JSON patch whose test failed. */
export function unprocessable(message: string): StatusError {
  return failure(422, "Invalid", message, {});
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, "TooManyRequests", message, { retryAfterSeconds });
}

export function internalError(message: string, cause?: unknown): StatusError {
  const { status } = failure(500, "InternalError", `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
  return new StatusError(status, cause);
}

/** Upstream's errors without a reason: the raw text, 500. */
export function unknownError(message: string): StatusError {
  return failure(500, "", message);
}

/** Try again in a second. */
export function serverTimeout(message: string): StatusError {
  return failure(500, "ServerTimeout", message, { retryAfterSeconds: 1 });
}

export function serviceUnavailable(message: string, retryAfterSeconds?: number): StatusError {
  return failure(
    503,
    "ServiceUnavailable",
    message,
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  );
}

export function timeout(
  message: string,
  retryAfterSeconds?: number,
  causes?: StatusCause[],
): StatusError {
  return failure(504, "Timeout", `Timeout: ${message}`, {
    ...(causes === undefined ? {} : { causes }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** A read at a revision that does not exist yet, after waiting about 3 s. */
export function resourceVersionTooLarge(asked: number, current: number): StatusError {
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return timeout(`Too large resource version: ${asked}, current: ${current}`, 1, causes);
}

/** What codes mean when a server, or something in front of it, answers with a body that is no Status. */
const genericReasons: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  403: ["Forbidden", "the server does not allow access to the requested resource"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  409: ["Conflict", "the server reported a conflict"],
  410: ["Expired", "the resource requested is no longer available"],
  429: [
    "TooManyRequests",
    "the server has received too many requests and has asked us to try again later",
  ],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: ["Timeout", "the server was unable to return a response in the time allotted"],
};

/** For clients: the refusal that an answer of `code` is. `status` is its body when that is a Status. */
export function receivedError(code: number, status: Status | undefined, text: string): StatusError {
  if (status !== undefined) return new StatusError({ code, ...status });
  const [reason, message] = genericReasons[code] ?? [
    code >= 500 ? "InternalError" : "",
    `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`,
  ];
  return failure(code, reason, message, {
    causes: [{ reason: "UnexpectedServerResponse", message: text }],
  });
}
