import { expect, it } from "vitest";
import { formatQuantity } from "../quantity.ts";
import type { Container, PodSpec } from "../types/core-v1.ts";
import { podAmounts } from "./pod-limits.ts";

function container(cpu: string, extra: Partial<Container> = {}): Container {
  return { name: "c", resources: { requests: { cpu }, limits: { cpu } }, ...extra };
}

const sidecar = { restartPolicy: "Always" };

it.each<[string, PodSpec, string, string]>([
  ["the sum", { containers: [container("1"), container("500m")] }, "1500m", "1500m"],
  [
    "an init container that needs more",
    { containers: [container("1")], initContainers: [container("3"), container("2")] },
    "3",
    "3",
  ],
  [
    "sidecars beside both",
    {
      containers: [container("1")],
      initContainers: [container("1", sidecar), container("3"), container("1", sidecar)],
    },
    "4",
    "4",
  ],
  [
    "overhead, which limits nothing by itself",
    { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }], overhead: { cpu: "1" } },
    "2",
    "",
  ],
  [
    "what is said of the pod as a whole",
    { containers: [container("1")], resources: { requests: { cpu: "5" } } },
    "5",
    "1",
  ],
])("counts %s", (_, spec, requests, limits) => {
  const cpu = (side: "requests" | "limits") => {
    const amount = podAmounts(spec, side).get("cpu");
    return amount === undefined ? "" : formatQuantity(amount);
  };
  expect([cpu("requests"), cpu("limits")]).toEqual([requests, limits]);
});
