// Answers that are one object or one list. The ordinary GET, plain JSON to a program, takes the first exit.
import type { ListMeta, Status } from "../api/types/meta-v1.ts";
import { badRequest } from "../api/meta/errors.ts";
import type { RequestCost } from "../api/request-cost.ts";
import type { ObjectList } from "../registry/registry.ts";
import type { IncludeObject } from "../registry/table/table.ts";
import { type EncodedKind, type Wanted, encodeObject } from "./encode-object.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { listPieces } from "./list-body.ts";
import { listBody } from "./list-stream.ts";
import { type Negotiated, contentTypeOf, wantsPretty } from "./negotiation.ts";
import { type Reply, bytesReply, statusReply } from "./reply.ts";
import type { ServerState } from "./server-state.ts";

/** How the client wants its answer. Throws 406 and, for a bad includeObject, 400. */
export function wantedBy(server: ServerState, exchange: Exchange): Wanted {
  const negotiated = server.negotiator.get(exchange.accept);
  return {
    negotiated,
    pretty: negotiated.media === "json" && isPretty(exchange, negotiated),
    includeObject: negotiated.transform === undefined ? "None" : includeObjectOf(exchange),
    now: negotiated.transform === undefined ? 0 : server.host.clock.now(),
  };
}

function isPretty(exchange: Exchange, negotiated: Negotiated): boolean {
  return negotiated.pretty || wantsPretty(exchange.query.first("pretty"), exchange.userAgent);
}

function includeObjectOf(exchange: Exchange): IncludeObject {
  const asked = exchange.query.first("includeObject") ?? "";
  if (asked === "") return "Metadata";
  if (asked === "None" || asked === "Metadata" || asked === "Object") return asked;
  throw badRequest(`unrecognized includeObject value: ${JSON.stringify(asked)}`);
}

export interface ObjectAnswer {
  readonly status: number;
  readonly kind: EncodedKind;
  /** JSON as served. */
  readonly bytes: Uint8Array;
}

export function objectReply(wanted: Wanted, answer: ObjectAnswer): Reply {
  const { negotiated } = wanted;
  if (negotiated.media === "json" && negotiated.transform === undefined && !wanted.pretty)
    return bytesReply(answer.status, contentTypeOf.json, answer.bytes);
  const body = encodeObject(answer.bytes, answer.kind, wanted);
  return bytesReply(answer.status, contentTypeOf[negotiated.media], body);
}

export function listMetaOf(list: ObjectList): ListMeta {
  return {
    resourceVersion: String(list.revision),
    ...(list.continueToken === undefined ? {} : { continue: list.continueToken }),
    ...(list.remainingItemCount === undefined
      ? {}
      : { remainingItemCount: list.remainingItemCount }),
  };
}

export async function listReply(
  server: ServerState,
  wanted: Wanted,
  of: {
    readonly endpoint: Endpoint;
    readonly list: Pick<ObjectList, "items">;
    readonly metadata: ListMeta;
    readonly cost: RequestCost;
  },
): Promise<Reply> {
  const { clock } = server.host;
  const contents = {
    kind: of.endpoint.kind,
    metadata: of.metadata,
    items: of.list.items,
    typePrefixBytes: of.endpoint.typePrefixBytes,
  };
  const pieces = await listPieces(clock, contents, wanted);
  const { body, large } = await listBody(
    { clock: server.listTurns.forList(), pool: server.pool, cost: of.cost },
    pieces,
  );
  return { status: 200, contentType: contentTypeOf[wanted.negotiated.media], body, large };
}

/** A Status that is no error; shaped like errors, since nobody prints it as a Table. */
export function successReply(server: ServerState, exchange: Exchange, status: Status): Reply {
  const negotiated = server.plainNegotiator.find(exchange.accept) ?? {
    media: "json" as const,
    transform: undefined,
    pretty: false,
  };
  return statusReply(status, negotiated, isPretty(exchange, negotiated));
}
