// What a handler answers, before the chain adds what every answer carries. Builds replies for plain text, prepared
// documents and errors; objects and lists have files of their own.
import type { ResponseBody, WebSocketUpgrade } from "../host/http.ts";
import type { StatusError } from "../api/meta/errors.ts";
import type { Status } from "../api/types/meta-v1.ts";
import { encodeStatus } from "./encode-object.ts";
import { gzipBytesMin } from "./list-stream.ts";
import { type Negotiated, contentTypeOf } from "./negotiation.ts";

export interface Reply {
  readonly status: number;
  /** "" when there is no body. */
  readonly contentType: string;
  readonly body: ResponseBody;
  /** Long enough to be compressed for clients that accept gzip. */
  readonly large?: boolean;
  /** Beyond the common ones; lower-case names. A `cache-control` here replaces the common one. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly webSocket?: WebSocketUpgrade;
  readonly bytesProtocol?: string;
}

export function textReply(status: number, body: string): Reply {
  return { status, contentType: "text/plain; charset=utf-8", body };
}

/** As Go's http.Error. */
export function plainError(status: number, message: string): Reply {
  return {
    status,
    contentType: "text/plain; charset=utf-8",
    body: `${message}\n`,
    headers: [["x-content-type-options", "nosniff"]],
  };
}

export function bytesReply(status: number, contentType: string, body: Uint8Array): Reply {
  return { status, contentType, body, large: body.length > gzipBytesMin };
}

/** `negotiated` undefined: nothing acceptable was on offer, so the error goes out as indented JSON. */
export function errorReply(
  error: StatusError,
  negotiated: Negotiated | undefined,
  pretty: boolean,
): Reply {
  return statusReply(error.status, negotiated, pretty);
}

export function statusReply(
  status: Status,
  negotiated: Negotiated | undefined,
  pretty: boolean,
): Reply {
  const retryAfter = status.details?.retryAfterSeconds ?? 0;
  const headers: (readonly [string, string])[] = [];
  if (retryAfter > 0) headers.push(["retry-after", String(retryAfter)]);
  if (status.code === 403) headers.push(["x-content-type-options", "nosniff"]);
  return {
    status: status.code ?? 200,
    contentType: contentTypeOf[negotiated?.media ?? "json"],
    body:
      negotiated === undefined
        ? JSON.stringify(status, undefined, 2)
        : encodeStatus(status, negotiated.media, pretty),
    headers,
  };
}

/** Two-space JSON, as `/version` and the token documents are written. */
export function documentReply(document: object): Reply {
  const body = JSON.stringify(document, undefined, 2);
  return { status: 200, contentType: "application/json", body };
}
