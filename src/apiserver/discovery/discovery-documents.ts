// The discovery endpoints as bytes: built from the schema when first asked for, then served as they are, with the ETag
// by which clients skip what they know.
import type { Digest } from "../../host/host.ts";
import type { Schema } from "../../api/schema/schema.ts";
import { acceptClauses } from "../negotiation.ts";
import { aggregatedContentType, aggregatedDiscovery } from "./aggregated-discovery.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./legacy-discovery.ts";
import { encodeUtf8 } from "../../std/utf8.ts";

export interface DiscoverySource {
  readonly schema: Schema;
  readonly options: { readonly externalAddress: string };
}

/** `etag` is quoted; only aggregated documents have one. */
export interface DiscoveryDocument {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly etag?: string;
}

export class DiscoveryDocuments {
  readonly #digest: Digest;
  readonly #source: DiscoverySource;
  readonly #built = new Map<string, DiscoveryDocument | undefined>();

  constructor(digest: Digest, source: DiscoverySource) {
    this.#digest = digest;
    this.#source = source;
  }

  /** `path` without a trailing slash; undefined when nothing is discovered there. */
  find(path: string, accept: string | undefined): DiscoveryDocument | undefined {
    const aggregated = (path === "/api" || path === "/apis") && wantsAggregated(accept);
    const key = aggregated ? `${path} v2` : path;
    const known = this.#built.get(key);
    if (known !== undefined || this.#built.has(key)) return known;
    const built = aggregated ? this.#aggregated(path === "/api") : this.#legacy(path);
    // Only paths that exist are remembered: strangers cannot grow the map.
    if (built !== undefined) this.#built.set(key, built);
    return built;
  }

  #aggregated(core: boolean): DiscoveryDocument {
    const bytes = encodeUtf8(
      JSON.stringify(aggregatedDiscovery(this.#source.schema.resources, core)),
    );
    const etag = `"${hexOf(this.#digest.sha512(bytes))}"`;
    return { contentType: aggregatedContentType, bytes, etag };
  }

  #legacy(path: string): DiscoveryDocument | undefined {
    const document = legacyDocument(this.#source, path);
    if (document === undefined) return undefined;
    return { contentType: "application/json", bytes: encodeUtf8(`${JSON.stringify(document)}\n`) };
  }
}

function legacyDocument(source: DiscoverySource, path: string): object | undefined {
  const { resources } = source.schema;
  const [, root, group, version, ...more] = path.split("/");
  if (more.length > 0) return undefined;
  if (root === "api") {
    if (group === undefined) return apiVersions(source.options.externalAddress);
    return version === undefined ? apiResourceList(resources, "", group) : undefined;
  }
  if (root !== "apis") return undefined;
  if (group === undefined) return apiGroupList(resources);
  if (group === "") return undefined;
  return version === undefined
    ? apiGroup(resources, group)
    : apiResourceList(resources, group, version);
}

/** Whether the first clause that we could honour asks for the aggregated form. */
function wantsAggregated(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes("APIGroupDiscoveryList")) return false;
  for (const { type, params } of acceptClauses(accept)) {
    if (type !== "application/json" && type !== "application/*" && type !== "*/*") continue;
    if (!params.has("as")) return false;
    if (
      params.get("as") === "APIGroupDiscoveryList" &&
      params.get("g") === "apidiscovery.k8s.io" &&
      params.get("v") === "v2"
    )
      return true;
  }
  return false;
}

/** Upper-case hex, as upstream writes hashes into ETags. */
export function hexOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text.toUpperCase();
}
