import { expect, it } from "vitest";
import type { Pod } from "../api/types/core-v1.ts";
import { RememberedParts } from "./pod-part.ts";

const pod: Pod = {
  metadata: { name: "web", generation: 1, annotations: { "wavetank.dev/stop-seconds": "1" } },
  spec: { containers: [{ name: "c", image: "i" }] },
  status: { phase: "Pending" },
};

function changed(metadata: Pod["metadata"]): Pod {
  return { ...pod, metadata: { ...pod.metadata, ...metadata } };
}

it("works out a pod's parts once while only its status changes", () => {
  const parts = new RememberedParts();
  const first = parts.of(pod);
  const later = { ...changed({ resourceVersion: "2" }), status: { phase: "Running" } };
  expect(parts.of(later)).toBe(first);
});

it("works them out anew when containers, annotations or owners say something else", () => {
  const parts = new RememberedParts();
  expect(parts.of(pod)[0]?.behaviour.stopMs).toBe(1_000);
  const slower = changed({ annotations: { "wavetank.dev/stop-seconds": "2" } });
  expect(parts.of(slower)[0]?.behaviour.stopMs).toBe(2_000);
  const owner = { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "j", controller: true };
  const ofJob = changed({ ownerReferences: [owner] });
  expect(parts.of(ofJob)[0]?.behaviour.runMs(0)).toBe(1_000);
  const other = { ...changed({ generation: 2 }), spec: { containers: [{ name: "d" }] } };
  expect(parts.of(other)[0]?.container.name).toBe("d");
});

it("trusts no pod without a generation", () => {
  const parts = new RememberedParts();
  const { generation: _, ...metadata } = pod.metadata;
  parts.of({ ...pod, metadata });
  const other = { ...pod, metadata, spec: { containers: [{ name: "d" }] } };
  expect(parts.of(other)[0]?.container.name).toBe("d");
});
