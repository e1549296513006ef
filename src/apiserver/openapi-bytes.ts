// `/openapi/v2` and `/openapi/v3…` (api-machinery §1.6): documents given as data, encoded once when first asked for,
// with hashes in their URLs so that clients may keep them for ever.
import type { Host } from "../host/host.ts";
import { hexOf } from "./discovery/discovery-documents.ts";
import { acceptClauses } from "./negotiation.ts";
import type { OpenApiDocuments } from "./parts.ts";
import { type Reply, bytesReply, plainError } from "./reply.ts";
import type { Query } from "./query.ts";

interface Encoded {
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

const utf8 = new TextEncoder();
const yearMs = 31_536_000_000;

export class OpenApiBytes {
  readonly #host: Host;
  readonly #documents: OpenApiDocuments;
  readonly #encoded = new Map<string, Encoded>();

  constructor(host: Host, documents: OpenApiDocuments) {
    this.#host = host;
    this.#documents = documents;
  }

  /** Undefined when the path leads to no document. */
  answer(request: OpenApiRequest): Reply | undefined {
    if (request.path === "/openapi/v2")
      return this.#tagged(
        this.#encode("v2", () => this.#documents.v2()),
        request,
      );
    if (request.path === "/openapi/v3")
      return this.#tagged(
        this.#encode("v3", () => this.#index()),
        request,
      );
    const path = request.path.slice("/openapi/v3/".length);
    if (!request.path.startsWith("/openapi/v3/") || !this.#documents.v3Paths.includes(path))
      return undefined;
    return this.#hashed(path, request);
  }

  #index(): object {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const path of this.#documents.v3Paths)
      paths[path] = { serverRelativeURL: this.#url(path) };
    return { paths };
  }

  #url(path: string): string {
    return `/openapi/v3/${path}?hash=${this.#v3(path).hash}`;
  }

  #v3(path: string): Encoded {
    return this.#encode(`v3/${path}`, () => this.#documents.v3(path));
  }

  #hashed(path: string, request: OpenApiRequest): Reply {
    const document = this.#v3(path);
    const asked = request.query.first("hash");
    if (asked === undefined || asked === "") return this.#tagged(document, request);
    if (asked !== document.hash) {
      const headers = [["location", this.#url(path)]] as const;
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
    if (!acceptsJson(request.accept)) return plainError(406, "406 Not Acceptable");
    const etag = `"${document.hash}"`;
    const headers = [["etag", etag], ["vary", "Accept"], ...more] as const;
    if (request.ifNoneMatch === etag)
      return { status: 304, contentType: "", body: undefined, headers };
    return { ...bytesReply(200, "application/json", document.bytes), headers };
  }

  #encode(key: string, make: () => object): Encoded {
    const known = this.#encoded.get(key);
    if (known !== undefined) return known;
    const bytes = utf8.encode(JSON.stringify(make()));
    const encoded = { bytes, hash: hexOf(this.#host.digest.sha512(bytes)) };
    this.#encoded.set(key, encoded);
    return encoded;
  }
}

function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === "") return true;
  return acceptClauses(accept).some(
    ({ type }) => type === "application/json" || type === "application/*" || type === "*/*",
  );
}
