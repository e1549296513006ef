// What a pod as a whole asks of a node and may use of it: its containers together or its greediest init container,
// whichever is more, plus what running it costs (upstream: component-helpers/resource/helpers.go).
import { type Quantity, addQuantities, compareQuantities, parseQuantity } from "../quantity.ts";
import type { Container, PodSpec } from "../types/core-v1.ts";

export type Amounts = ReadonlyMap<string, Quantity>;

export function podAmounts(spec: PodSpec, side: "requests" | "limits"): Amounts {
  const { containers = [], initContainers = [], overhead, resources } = spec;
  const of = (container: Container): Amounts => amountsOf(container.resources?.[side]);
  let running = containers.map(of).reduce(plus, new Map());
  let sidecars: Amounts = new Map();
  let peak: Amounts = new Map();
  for (const container of initContainers) {
    if (container.restartPolicy === "Always") {
      running = plus(running, of(container));
      sidecars = plus(sidecars, of(container));
      peak = most(peak, sidecars);
    } else peak = most(peak, plus(sidecars, of(container)));
  }
  // What is said of the pod as a whole goes before what its containers say.
  const whole = new Map([...most(running, peak), ...amountsOf(resources?.[side])]);
  const cost = amountsOf(overhead);
  // Overhead does not limit what had no limit.
  if (side === "requests") return plus(whole, cost);
  return plus(whole, new Map([...cost].filter(([name]) => whole.has(name))));
}

function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

function plus(a: Amounts, b: Amounts): Amounts {
  return merge(a, b, addQuantities);
}

function most(a: Amounts, b: Amounts): Amounts {
  return merge(a, b, (x, y) => (compareQuantities(x, y) < 0 ? y : x));
}

function merge(a: Amounts, b: Amounts, of: (x: Quantity, y: Quantity) => Quantity): Amounts {
  const merged = new Map(a);
  for (const [name, amount] of b) {
    const other = merged.get(name);
    merged.set(name, other === undefined ? amount : of(other, amount));
  }
  return merged;
}
