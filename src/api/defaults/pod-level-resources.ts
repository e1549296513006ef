// Resources a pod asks for as a whole (KEP-2837): what its author leaves out follows from what the containers ask for
// together, then from the pod's own limits (upstream: pkg/apis/core/v1/defaults.go, component-helpers/resource).
import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from "../quantity.ts";
import type { Container, PodSpec } from "../types/core-v1.ts";

type Kind = "limits" | "requests";
type Quantities = Record<string, string>;

const hugePages = "hugepages-";
const overcommittable = ["cpu", "memory"];

export function defaultPodLevelResources(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources || (isUnset(resources.limits) && isUnset(resources.requests))) return;
  const limits: Quantities = { ...resources.limits };
  for (const [name, total] of Object.entries(totals(spec, "limits"))) {
    if (name.startsWith(hugePages) && resources.requests?.[name] === undefined) {
      limits[name] ??= total;
    }
  }
  if (isUnset(limits)) limitByContainers(spec, limits);
  const requests: Quantities = { ...resources.requests };
  // Upstream takes these two steps the other way round, but again on every read, and so ends here as well.
  if (!isUnset(limits)) {
    const asked = totals(spec, "requests");
    for (const name of overcommittable) {
      if (asked[name] !== undefined) requests[name] ??= asked[name];
    }
    for (const [name, limit] of Object.entries(limits)) {
      if (isPodLevel(name)) requests[name] ??= limit;
    }
  }
  if (!isUnset(limits)) resources.limits = limits;
  if (!isUnset(requests)) resources.requests = requests;
}

/** Without limits of its own, the pod is limited where every container is. */
function limitByContainers(spec: PodSpec, limits: Quantities): void {
  const all = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const sums = totals(spec, "limits");
  for (const name of overcommittable) {
    const isLimited = all.every((container) => container.resources?.limits?.[name] !== undefined);
    if (isLimited && sums[name] !== undefined) limits[name] = sums[name];
  }
}

/** The most the containers can hold at one time: side by side, except that init containers take turns. */
function totals(spec: PodSpec, kind: Kind): Quantities {
  const running: Quantities = {};
  const peak: Quantities = {};
  for (const container of spec.initContainers ?? []) {
    const own = container.resources?.[kind] ?? {};
    if (isSidecar(container)) {
      add(running, own);
      raise(peak, running);
    } else {
      const together = { ...running };
      add(together, own);
      raise(peak, together);
    }
  }
  const total = { ...running };
  for (const container of spec.containers ?? []) add(total, container.resources?.[kind] ?? {});
  raise(total, peak);
  return total;
}

function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

function add(total: Quantities, more: Quantities): void {
  for (const [name, quantity] of Object.entries(more)) {
    if (!isPodLevel(name)) continue;
    const before = total[name];
    total[name] =
      before === undefined
        ? quantity
        : formatQuantity(addQuantities(parseQuantity(before), parseQuantity(quantity)));
  }
}

function raise(total: Quantities, other: Quantities): void {
  for (const [name, quantity] of Object.entries(other)) {
    const before = total[name];
    const isMore =
      before === undefined || compareQuantities(parseQuantity(quantity), parseQuantity(before)) > 0;
    if (isMore) total[name] = quantity;
  }
}

/** What a pod may be given as a whole; also keeps names like `toString` out of the sums. */
function isPodLevel(name: string): boolean {
  return overcommittable.includes(name) || name.startsWith(hugePages);
}

function isUnset(list: Quantities | undefined): boolean {
  return Object.keys(list ?? {}).length === 0;
}
