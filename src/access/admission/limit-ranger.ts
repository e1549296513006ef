// LimitRanger: containers get the default requests and limits of their namespace, and pods and claims that ask for less
// or more than its limit ranges allow are refused (upstream: plugin/pkg/admission/limitranger).
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from "../../api/types/core-v1.ts";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMillis,
} from "../../api/quantity.ts";
import { podAmounts } from "../../api/quota/pod-limits.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { AdmissionStep } from "./chain.ts";
import { isNewPod } from "./new-pod.ts";
import { refuse } from "./refusal.ts";

type Amounts = Readonly<Record<string, string>>;

interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

const annotation = "kubernetes.io/limit-ranger";

export function limitRangeDefaults(reader: ObjectReader): AdmissionStep {
  return (attributes) => {
    if (!isNewPod(attributes)) return;
    for (const range of rangesOf(reader, attributes)) giveDefaults(attributes.object as Pod, range);
  };
}

export function limitRangeLimits(reader: ObjectReader): AdmissionStep {
  return (attributes) => {
    const check = checkOf(attributes);
    if (check === undefined) return;
    for (const range of rangesOf(reader, attributes)) {
      const complaints = (range.spec?.limits ?? []).flatMap(check);
      const [first] = complaints;
      if (first === undefined) continue;
      throw refuse(attributes, complaints.length === 1 ? first : `[${complaints.join(", ")}]`);
    }
  };
}

function rangesOf(reader: ObjectReader, { namespace }: AdmissionAttributes): readonly LimitRange[] {
  return reader.list("limitranges", namespace);
}

/* ---- defaults ---- */

function giveDefaults(pod: Pod, range: LimitRange): void {
  const items = (range.spec?.limits ?? []).filter(({ type }) => type === "Container");
  const limits: Amounts = Object.assign({}, ...items.map((item) => item.default ?? {}));
  const requests: Amounts = Object.assign({}, ...items.map((item) => item.defaultRequest ?? {}));
  const said = [
    ...(pod.spec?.containers ?? []).flatMap((one) => fill(one, "container", { requests, limits })),
    ...(pod.spec?.initContainers ?? []).flatMap((one) =>
      fill(one, "init container", { requests, limits }),
    ),
  ];
  if (said.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${said.join("; ")}`,
  };
}

function fill(container: Container, word: string, defaults: Asked): string[] {
  const set = (["requests", "limits"] as const).map((side) => {
    const present = container.resources?.[side] ?? {};
    const missing = Object.keys(defaults[side]).filter((name) => present[name] === undefined);
    if (missing.length === 0) return "";
    const added = Object.fromEntries(missing.map((name) => [name, defaults[side][name] ?? "0"]));
    container.resources = { ...container.resources, [side]: { ...present, ...added } };
    return `${missing.toSorted().join(", ")} ${side.slice(0, -1)} for ${word} ${container.name}`;
  });
  return set.filter((text) => text !== "");
}

/* ---- limits ---- */

/** What to ask of each item of a limit range; undefined: none of its business. */
function checkOf(
  attributes: AdmissionAttributes,
): ((item: LimitRangeItem) => string[]) | undefined {
  const { operation, resource, subresource, object } = attributes;
  if (resource.group !== "" || object === undefined) return undefined;
  const isResize = operation === "UPDATE" && subresource === "resize";
  if (resource.resource === "pods" && (isNewPod(attributes) || isResize))
    return (item) => podComplaints(object, item);
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  if (resource.resource !== "persistentvolumeclaims" || subresource !== "" || !isWrite)
    return undefined;
  const isGoing = typeof object.metadata.deletionTimestamp === "string";
  return isGoing ? undefined : (item) => claimComplaints(object, item);
}

function podComplaints({ spec }: Pod, item: LimitRangeItem): string[] {
  if (item.type === "Container") {
    const all = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
    return all.flatMap(({ resources }) =>
      complaintsOf(item, { requests: resources?.requests ?? {}, limits: resources?.limits ?? {} }),
    );
  }
  if (item.type !== "Pod" || spec === undefined) return [];
  const amounts = (side: "requests" | "limits"): Amounts =>
    Object.fromEntries(
      [...podAmounts(spec, side)].map(([name, amount]) => [name, formatQuantity(amount)]),
    );
  return complaintsOf(item, { requests: amounts("requests"), limits: amounts("limits") });
}

function complaintsOf(item: LimitRangeItem, asked: Asked): string[] {
  const each = (
    amounts: Amounts | undefined,
    check: (limit: Limit, asked: Asked) => string | undefined,
  ): string[] =>
    Object.entries(amounts ?? {}).flatMap(
      ([resource, bound]) => check({ type: item.type, resource, bound }, asked) ?? [],
    );
  return [
    ...each(item.min, tooLittle),
    ...each(item.max, tooMuch),
    ...each(item.maxLimitRequestRatio, tooFarApart),
  ];
}

function claimComplaints({ spec }: PersistentVolumeClaim, item: LimitRangeItem): string[] {
  if (item.type !== "PersistentVolumeClaim") return [];
  const requests = spec?.resources?.requests ?? {};
  const limitOf = ([resource, bound]: [string, string]): Limit => ({
    type: item.type,
    resource,
    bound,
  });
  return [
    ...Object.entries(item.min ?? {}).flatMap(
      (entry) => tooLittle(limitOf(entry), { requests, limits: {} }) ?? [],
    ),
    ...Object.entries(item.max ?? {}).flatMap(
      (entry) => requestTooMuch(limitOf(entry), requests) ?? [],
    ),
  ];
}

interface Limit {
  readonly type: string;
  readonly resource: string;
  readonly bound: string;
}

function tooLittle(
  { type, resource, bound }: Limit,
  { requests, limits }: Asked,
): string | undefined {
  const least = `minimum ${resource} usage per ${type} is ${bound}`;
  const [request, limit] = [requests[resource], limits[resource]];
  if (request === undefined) return `${least}.  No request is specified`;
  if (isLess(request, bound)) return `${least}, but request is ${request}`;
  if (limit !== undefined && isLess(limit, bound)) return `${least}, but limit is ${limit}`;
  return undefined;
}

function tooMuch(
  { type, resource, bound }: Limit,
  { requests, limits }: Asked,
): string | undefined {
  const most = `maximum ${resource} usage per ${type} is ${bound}`;
  const [request, limit] = [requests[resource], limits[resource]];
  if (limit === undefined) return `${most}.  No limit is specified`;
  if (isLess(bound, limit)) return `${most}, but limit is ${limit}`;
  if (request !== undefined && isLess(bound, request)) return `${most}, but request is ${request}`;
  return undefined;
}

/** Claims have no limits. */
function requestTooMuch({ type, resource, bound }: Limit, requests: Amounts): string | undefined {
  const most = `maximum ${resource} usage per ${type} is ${bound}`;
  const request = requests[resource];
  if (request === undefined) return `${most}.  No request is specified`;
  return isLess(bound, request) ? `${most}, but request is ${request}` : undefined;
}

function tooFarApart(
  { type, resource, bound }: Limit,
  { requests, limits }: Asked,
): string | undefined {
  const most = `${resource} max limit to request ratio per ${type} is ${bound}`;
  const request = millisOf(requests[resource]);
  if (request === 0) return `${most}, but no request is specified or request is 0`;
  const limit = millisOf(limits[resource]);
  if (limit === 0) return `${most}, but no limit is specified or limit is 0`;
  const ratio = limit / request;
  if (ratio * 1_000 <= millisOf(bound)) return undefined;
  return `${most}, but provided ratio is ${ratio.toFixed(6)}`;
}

function isLess(a: string, b: string): boolean {
  return compareQuantities(parseQuantity(a), parseQuantity(b)) < 0;
}

function millisOf(text: string | undefined): number {
  return text === undefined ? 0 : Number(quantityMillis(parseQuantity(text)));
}
