// `/openapi/v2` and `/openapi/v3…`: documents made from the schema and encoded once when first asked for, with hashes
// in their URLs so that clients may keep them for ever.
import type { Schema } from "../api/schema/schema.ts";
import type { Host } from "../host/host.ts";
import { hexOf } from "./discovery/discovery-documents.ts";
import { acceptClauses } from "./negotiation.ts";
import { encodeOpenApiV2, openApiV2ProtobufMediaType } from "./openapi/v2-protobuf.ts";
import { openApiV2 } from "./openapi/v2.ts";
import { openApiIndex, openApiV3, openApiV3Names } from "./openapi/v3.ts";
import type { Query } from "./query.ts";
import { type Reply, bytesReply, plainError } from "./reply.ts";
import { encodeUtf8 } from "../std/utf8.ts";

interface Encoded {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** Upper-case hex of SHA-512. */
  readonly hash: string;
}

export interface OpenApiRequest {
  readonly path: string;
  readonly query: Query;
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

const yearMs = 31_536_000_000;
const jsonType = "application/json";

export class OpenApiBytes {
  /** `api/v1`, `apis/apps/v1`, `version`: what `/openapi/v3` lists. */
  readonly #names: readonly string[];
  readonly #host: Host;
  readonly #schema: Schema;
  readonly #encoded = new Map<string, Encoded>();

  constructor(host: Host, schema: Schema) {
    this.#host = host;
    this.#schema = schema;
    this.#names = openApiV3Names(schema);
  }

  /** Undefined when the path leads to no document. */
  answer(request: OpenApiRequest): Reply | undefined {
    if (request.path === "/openapi/v2") return this.#v2(request);
    if (!acceptsType(request.accept, [jsonType])) return notAcceptable();
    if (request.path === "/openapi/v3") return this.#tagged(this.#index(), request);
    const name = request.path.slice("/openapi/v3/".length);
    return this.#names.includes(name) ? this.#hashed(name, request) : undefined;
  }

  #v2(request: OpenApiRequest): Reply {
    const document = (): ReturnType<typeof openApiV2> => openApiV2(this.#schema);
    if (acceptsType(request.accept, [jsonType]))
      return this.#tagged(this.#json("v2", document), request);
    if (!acceptsType(request.accept, protobufV2Types)) return notAcceptable();
    const encode = (): Uint8Array => encodeOpenApiV2(document());
    return this.#tagged(this.#encode("v2 protobuf", openApiV2ProtobufMediaType, encode), request);
  }

  #index(): Encoded {
    return this.#json("v3", () =>
      openApiIndex(new Map(this.#names.map((name) => [name, this.#v3(name).hash]))),
    );
  }

  #v3(name: string): Encoded {
    return this.#json(`v3/${name}`, () => openApiV3(this.#schema, name) ?? {});
  }

  #hashed(name: string, request: OpenApiRequest): Reply {
    const document = this.#v3(name);
    const asked = request.query.first("hash") ?? "";
    if (asked === "") return this.#tagged(document, request);
    if (asked !== document.hash) {
      const location = `/openapi/v3/${name}?hash=${document.hash}`;
      const headers = [["location", location]] as const;
      return { status: 301, contentType: "", body: undefined, headers };
    }
    const expires = new Date(this.#host.clock.now() + yearMs).toUTCString();
    return this.#tagged(document, request, [
      ["cache-control", "public, immutable"],
      ["expires", expires],
    ]);
  }

  #tagged(
    document: Encoded,
    request: OpenApiRequest,
    more: readonly (readonly [string, string])[] = [],
  ): Reply {
    const etag = `"${document.hash}"`;
    const headers = [["etag", etag], ["vary", "Accept"], ...more] as const;
    if (request.ifNoneMatch === etag)
      return { status: 304, contentType: "", body: undefined, headers };
    return { ...bytesReply(200, document.contentType, document.bytes), headers };
  }

  #json(key: string, make: () => object): Encoded {
    return this.#encode(key, jsonType, () => encodeUtf8(JSON.stringify(make())));
  }

  #encode(key: string, contentType: string, make: () => Uint8Array): Encoded {
    const known = this.#encoded.get(key);
    if (known !== undefined) return known;
    const bytes = make();
    const encoded = { contentType, bytes, hash: hexOf(this.#host.digest.sha512(bytes)) };
    this.#encoded.set(key, encoded);
    return encoded;
  }
}

/** Both spellings are in use: kubectl asks with `@`. */
const protobufV2Types: readonly string[] = [
  openApiV2ProtobufMediaType,
  openApiV2ProtobufMediaType.replace("v2.v1.0", "v2@v1.0"),
];

function acceptsType(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept === "") return types.includes(jsonType);
  return acceptClauses(accept).some(
    ({ type }) =>
      types.includes(type) ||
      (types.includes(jsonType) && (type === "*/*" || type === "application/*")),
  );
}

function notAcceptable(): Reply {
  return plainError(406, "406 Not Acceptable");
}
