// Who asked, and what kind of request it was: the two halves of a ledger row's identity. Values that differ from request
// to request (names, selector values, revisions) are left out, so that many requests share a row.
import { BoundedMap } from "../../std/bounded-map.ts";
import type { RequestDigest } from "../request-digest.ts";

export interface Client {
  readonly user: string;
  readonly userAgent: string;
  readonly source: string;
  /** UIDs of FlowSchema and PriorityLevelConfiguration; "" where there are none. */
  readonly flowSchema: string;
  readonly priorityLevel: string;
  /** Of system:masters: flow control lets it pass unmeasured. */
  readonly exempt: boolean;
}

/** What a LIST says of the state it wants. */
export type Freshness = "" | "quorum" | "any" | "not-older" | "exact" | "continue";

export interface Shape {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** One namespace; false: all, or none there is. */
  readonly namespaced: boolean;
  /** `app=?,tier in (?)` */
  readonly labelSelector: string;
  /** `spec.nodeName=?` */
  readonly fieldSelector: string;
  readonly resourceVersion: Freshness;
  /** "" for no limit. */
  readonly limit: string;
  /** Of requests about no resource. */
  readonly path: string;
}

const agentLengthMax = 128;
const pathLengthMax = 64;
const limitLengthMax = 6;
/** Selector texts whose shape is remembered. */
const shapesKept = 1_000;

/** Text of both halves; equal for requests of one row. Hot: made for every request. */
export function keyOf(digest: RequestDigest, selectors: SelectorShapes): string {
  const d = digest;
  const who = `${d.user.name}\n${d.userAgent}\n${d.source}\n${d.flowSchema}`;
  if (!d.isResource) return `${who}\n${d.verb}\n${d.path}`;
  const what = `${who}\n${d.verb}\n${d.resource}.${d.group}/${d.subresource}\n${d.namespace === "" ? "" : "n"}`;
  if (d.verb === "get") return `${what}\n${d.resourceVersion === "" ? "" : "v"}`;
  if (d.verb !== "list" && d.verb !== "watch" && d.verb !== "deletecollection") return what;
  const labels = selectors.of(d.labelSelector);
  return `${what}\n${labels}\n${selectors.of(d.fieldSelector)}\n${freshnessOf(d)}\n${d.limit}`;
}

export function clientOf(digest: RequestDigest): Client {
  return {
    user: digest.user.name,
    userAgent: digest.userAgent.slice(0, agentLengthMax),
    source: digest.source,
    flowSchema: digest.flowSchema,
    priorityLevel: digest.priorityLevel,
    exempt: digest.user.groups.includes("system:masters"),
  };
}

export function shapeOf(digest: RequestDigest, selectors: SelectorShapes): Shape {
  return {
    verb: digest.verb,
    group: digest.group,
    resource: digest.resource,
    subresource: digest.subresource,
    namespaced: digest.namespace !== "",
    labelSelector: selectors.of(digest.labelSelector),
    fieldSelector: selectors.of(digest.fieldSelector),
    resourceVersion: freshnessOf(digest),
    limit: digest.limit === "0" ? "" : digest.limit.slice(0, limitLengthMax),
    path: digest.path.slice(0, pathLengthMax),
  };
}

function freshnessOf({
  verb,
  resourceVersion,
  continue: token,
  ...rest
}: RequestDigest): Freshness {
  if (verb === "get") return resourceVersion === "" ? "quorum" : "not-older";
  if (verb !== "list" && verb !== "watch") return "";
  if (token !== "") return "continue";
  if (resourceVersion === "") return "quorum";
  if (resourceVersion === "0") return "any";
  const exact = rest.resourceVersionMatch === "Exact" || (verb === "list" && rest.limit !== "");
  return exact ? "exact" : "not-older";
}

/** Selectors without their values, remembered because one client asks the same over and over. */
export class SelectorShapes {
  readonly #known = new BoundedMap<string>(shapesKept);

  of(selector: string): string {
    if (selector === "") return "";
    const known = this.#known.get(selector);
    if (known !== undefined) return known;
    const shape = selectorShape(selector);
    this.#known.set(selector, shape);
    return shape;
  }
}

/** Order of terms and number of values do not matter. */
export function selectorShape(selector: string): string {
  const terms = selector
    .replaceAll(/\([^)]*\)/g, "(?)")
    .split(",")
    .map((term) =>
      term
        .trim()
        .replace(/\s+/g, " ")
        .replace(/^([^=!()]+)(==|!=|=).*$/, "$1$2?"),
    );
  return terms.sort().join(",").slice(0, agentLengthMax);
}
