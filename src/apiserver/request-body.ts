// Reads and decodes what a write sends: media type, size limit, expected kind, strictness.
import { decodeBody, requireGroupVersion } from "../api/codec/body.ts";
import { unsupportedMediaType } from "../api/meta/errors.ts";
import type { KubeObject } from "../api/object.ts";
import type { GroupVersionKind } from "../api/schema/schema.ts";
import { BodyTooLargeError } from "../host/http.ts";
import { utf8Length } from "../std/utf8.ts";
import type { Exchange } from "./exchange.ts";
import { type MediaType, bodyMedia, contentTypeOf } from "./negotiation.ts";
import type { ServerState } from "./server-state.ts";
import type { FieldValidation } from "./write-options.ts";

const accepted = [contentTypeOf.json, contentTypeOf.yaml, contentTypeOf.protobuf];

/** The body's bytes; BodyTooLargeError becomes 413 in chain.ts. */
export async function readBytes(server: ServerState, exchange: Exchange): Promise<Uint8Array> {
  const { clock } = server.host;
  const { cost } = exchange;
  cost.suspend(clock.monotonic());
  const bytes = await exchange.request.body.read(server.parts.options.bodyBytesMax);
  cost.resume(clock.monotonic());
  cost.bytesIn += bytes.length;
  return bytes;
}

/** As `readBytes`, but text where the client has it: nothing is encoded only to be decoded again. */
export function readWhole(server: ServerState, exchange: Exchange): string | Promise<Uint8Array> {
  const { json } = exchange.request.body;
  if (json === undefined) return readBytes(server, exchange);
  const length = utf8Length(json);
  if (length > server.parts.options.bodyBytesMax) throw new BodyTooLargeError(`${length}`);
  exchange.cost.bytesIn += length;
  return json;
}

/** Throws 415. */
export function bodyMediaOf(exchange: Exchange): MediaType {
  const media = bodyMedia(exchange.request.headers["content-type"]);
  if (media === undefined) throw unsupportedMediaType(accepted);
  return media;
}

export interface BodyTarget {
  readonly kind: GroupVersionKind;
  readonly fieldValidation: FieldValidation;
}

/** Decodes the whole body as the kind; call the result again for another private copy. */
export async function readObject(
  server: ServerState,
  exchange: Exchange,
  target: BodyTarget,
): Promise<() => KubeObject> {
  const media = bodyMediaOf(exchange);
  const reading = media === "json" ? readWhole(server, exchange) : readBytes(server, exchange);
  const body = reading instanceof Promise ? await reading : reading;
  const decode = (): KubeObject => {
    const decoded = decodeBody(body, media, target, target.fieldValidation);
    requireGroupVersion(decoded.kind, target.kind);
    for (const warning of decoded.warnings) exchange.warn(warning);
    return decoded.object;
  };
  let first: KubeObject | undefined = decode();
  exchange.trail?.sent(first);
  return () => {
    const object = first ?? decode();
    first = undefined;
    return object;
  };
}
