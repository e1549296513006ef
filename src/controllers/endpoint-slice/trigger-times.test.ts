import { expect, it } from "vitest";
import type { Pod } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { TriggerTimes } from "./trigger-times.ts";

const stored = { uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
const service = { metadata: { ...stored, name: "s" } };

function pod(name: string, lastTransitionTime: string): Served<Pod> {
  return {
    metadata: { ...stored, name },
    status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
  };
}

it("tells the earliest of what is new since the last time", () => {
  const times = new TriggerTimes();
  const next = (...pods: Served<Pod>[]) => times.next("ns/s", service, pods);
  const [first, second, third] = ["01", "02", "03"].map((s) => `2026-01-01T00:00:${s}Z`);
  expect(next(pod("a", second!))).toBe("2026-01-01T00:00:00Z");
  expect(next(pod("a", second!))).toBeUndefined();
  expect(next(pod("a", third!), pod("b", first!))).toBe(first);
  expect(next(pod("b", first!))).toBeUndefined();
  times.forget("ns/s");
  expect(next()).toBe("2026-01-01T00:00:00Z");
});
