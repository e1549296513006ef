// Resource lists as plain numbers, for arithmetic over many pods and nodes: cpu in thousandths, everything else in whole
// units (bytes, pieces), rounded up as upstream. What a pod asks for follows component-helpers/resource/helpers.go.
import { parseQuantity, quantityMillis, quantityUnits } from "../quantity.ts";
import type { Container, PodSpec } from "../types/core-v1.ts";

/** Resource name -> amount; absent is zero. */
export type Amounts = Readonly<Record<string, number>>;

export function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  const amounts: Record<string, number> = {};
  for (const [name, text] of Object.entries(list ?? {})) amounts[name] = amountOf(name, text);
  return amounts;
}

/** In the unit of the resource: `500m` of cpu is 500. */
export function amountOf(name: string, text: string): number {
  const quantity = parseQuantity(text);
  return Number(name === "cpu" ? quantityMillis(quantity) : quantityUnits(quantity));
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sum: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}

/** What a pod occupies on its node: the sum of what runs together, or the largest step of its initialization. */
export function podRequests(spec: PodSpec | undefined): Amounts {
  if (spec === undefined) return {};
  const { containers = [], initContainers = [] } = spec;
  let running: Amounts = {};
  for (const container of containers) running = addAmounts(running, requestsOf(container));
  // Sidecars run beside everything that starts after them.
  let sidecars: Amounts = {};
  let largestStep: Amounts = {};
  for (const container of initContainers) {
    const own = requestsOf(container);
    if (isSidecar(container)) sidecars = addAmounts(sidecars, own);
    largestStep = largest(largestStep, isSidecar(container) ? sidecars : addAmounts(sidecars, own));
  }
  const ofContainers = largest(addAmounts(running, sidecars), largestStep);
  // Requests of the pod as a whole replace the sum, resource by resource.
  const whole = { ...ofContainers, ...amountsOf(spec.resources?.requests) };
  return spec.overhead === undefined ? whole : addAmounts(whole, amountsOf(spec.overhead));
}

export function isSidecar({ restartPolicy }: Pick<Container, "restartPolicy">): boolean {
  return restartPolicy === "Always";
}

function requestsOf({ resources }: Container): Amounts {
  return amountsOf(resources?.requests);
}

function largest(a: Amounts, b: Amounts): Amounts {
  const most: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) most[name] = Math.max(most[name] ?? 0, amount);
  return most;
}
