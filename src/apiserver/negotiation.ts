// Which media type an answer takes and which shape (upstream: endpoints/handlers/negotiation). Pure, apart from a
// bounded memo of Accept headers that the server owns.
import { type StatusError, notAcceptable } from "../api/meta/errors.ts";

export type MediaType = "json" | "yaml" | "protobuf";

export interface Transform {
  readonly kind: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  readonly version: "v1" | "v1beta1";
}

export interface Negotiated {
  readonly media: MediaType;
  readonly transform: Transform | undefined;
  /** The clause said `pretty=1`. */
  readonly pretty: boolean;
}

/** What an endpoint can answer with, in order of preference. */
export interface Offer {
  readonly media: readonly MediaType[];
  /** Table and PartialObjectMetadata; errors and plain documents have neither. */
  readonly transforms: boolean;
}

export const contentTypeOf: Readonly<Record<MediaType, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  protobuf: "application/vnd.kubernetes.protobuf",
};

export const builtInOffer: Offer = { media: ["json", "yaml", "protobuf"], transforms: true };
export const plainOffer: Offer = { media: ["json", "yaml", "protobuf"], transforms: false };

const acceptsJson: Negotiated = { media: "json", transform: undefined, pretty: false };

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly params: readonly (readonly [string, string])[];
}

/** Undefined when no clause can be honoured. */
export function negotiate(accept: string | undefined, offer: Offer): Negotiated | undefined {
  if (accept === undefined || accept === "")
    return { ...acceptsJson, media: offer.media[0] ?? "json" };
  for (const clause of parseAccept(accept)) {
    for (const media of offer.media) {
      if (!matches(clause, contentTypeOf[media])) continue;
      const negotiated = honour(clause, media, offer);
      if (negotiated !== undefined) return negotiated;
    }
  }
  return undefined;
}

/** Parameters of the first clause, in order of preference, that wants the type; for discovery. */
export function acceptClauses(
  accept: string,
): readonly { type: string; params: ReadonlyMap<string, string> }[] {
  return parseAccept(accept).map((clause) => ({
    type: `${clause.type}/${clause.subtype}`,
    params: new Map(clause.params),
  }));
}

function parseAccept(accept: string): Clause[] {
  const clauses: Clause[] = [];
  for (const part of accept.split(",")) {
    const words = part.split(";");
    const [type, subtype, ...more] = words[0]!.trim().split("/");
    if (type === undefined || more.length > 0) continue;
    if (subtype === undefined && type !== "*") continue;
    clauses.push({ type, subtype: subtype ?? "*", ...readParams(words.slice(1)) });
  }
  // Stable: equal quality keeps the order sent, wildcards after what is named.
  return clauses.sort((a, b) => b.quality - a.quality || wildness(a) - wildness(b));
}

function readParams(words: readonly string[]): {
  quality: number;
  params: [string, string][];
} {
  let quality = 1;
  const params: [string, string][] = [];
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 0) continue;
    const name = word.slice(0, at).trim();
    const value = word.slice(at + 1).trim();
    if (name === "q") quality = Number(value) || 0;
    else params.push([name, value]);
  }
  return { quality, params };
}

function wildness(clause: Clause): number {
  if (clause.type === "*") return 2;
  return clause.subtype === "*" ? 1 : 0;
}

function matches(clause: Clause, contentType: string): boolean {
  if (clause.type === "*") return clause.subtype === "*";
  if (clause.type !== "application") return false;
  return clause.subtype === "*" || `application/${clause.subtype}` === contentType;
}

function honour(clause: Clause, media: MediaType, offer: Offer): Negotiated | undefined {
  let pretty = false;
  const target = { kind: "", group: "", version: "" };
  let transforms = false;
  for (const [name, value] of clause.params) {
    if (name === "as" || name === "g" || name === "v") {
      transforms = true;
      target[name === "as" ? "kind" : name === "g" ? "group" : "version"] = value;
    } else if (name === "stream") {
      if (value !== "" && (value !== "watch" || media === "yaml")) return undefined;
    } else if (name === "sv") {
      if (value !== "" && value !== "v1") return undefined;
    } else if (name === "pretty") pretty = value === "1";
  }
  if (!transforms) return { media, transform: undefined, pretty };
  const transform = offer.transforms ? findTransform(target, media) : undefined;
  return transform === undefined ? undefined : { media, transform, pretty };
}

function findTransform(
  target: { kind: string; group: string; version: string },
  media: MediaType,
): Transform | undefined {
  const { kind, group, version } = target;
  if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  if (kind === "Table") return media === "protobuf" ? undefined : { kind, version };
  if (kind === "PartialObjectMetadata" || kind === "PartialObjectMetadataList")
    return { kind, version };
  return undefined;
}

const memoMax = 256;

/** Remembers what Accept headers led to: a few texts make up nearly all traffic. */
export class Negotiator {
  readonly #offer: Offer;
  readonly #memo = new Map<string, Negotiated | undefined>();

  constructor(offer: Offer) {
    this.#offer = offer;
  }

  /** Undefined when nothing acceptable is on offer. */
  find(accept: string | undefined): Negotiated | undefined {
    if (accept === undefined || accept === "" || accept === "application/json") return acceptsJson;
    const known = this.#memo.get(accept);
    if (known !== undefined || this.#memo.has(accept)) return known;
    const found = negotiate(accept, this.#offer);
    if (this.#memo.size >= memoMax) this.#memo.clear();
    this.#memo.set(accept, found);
    return found;
  }

  /** Throws 406. */
  get(accept: string | undefined): Negotiated {
    const found = this.find(accept);
    if (found === undefined) throw mediaTypesOnly(this.#offer.media.map((m) => contentTypeOf[m]));
    return found;
  }
}

export function mediaTypesOnly(accepted: readonly string[]): StatusError {
  return notAcceptable(`only the following media types are accepted: ${accepted.join(", ")}`);
}

/** The body's media type; undefined when it is none that built-in kinds take. Empty counts as JSON. */
export function bodyMedia(contentType: string | undefined): MediaType | undefined {
  const type = baseType(contentType);
  if (type === "" || type === "application/json") return "json";
  if (type === "application/yaml") return "yaml";
  return type === "application/vnd.kubernetes.protobuf" ? "protobuf" : undefined;
}

/** A Content-Type without its parameters. */
export function baseType(contentType: string | undefined): string {
  if (contentType === undefined) return "";
  const end = contentType.indexOf(";");
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** `?pretty` decides; else the programs with which people look by eye. */
export function wantsPretty(pretty: string | undefined, userAgent: string | undefined): boolean {
  if (pretty !== undefined && pretty !== "") return /^(1|t|T|true|TRUE|True)$/.test(pretty);
  if (userAgent === undefined) return false;
  return (
    userAgent.startsWith("curl") ||
    userAgent.startsWith("Wget") ||
    userAgent.startsWith("Mozilla/5.0")
  );
}
