import { expect, it } from "vitest";
import type { Node, Pod } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import { ClusterState } from "./cluster-state.ts";
import { podFactsOf } from "./pod-facts.ts";
import { schedulerProfile } from "./profile.ts";
import { noVolumes } from "./volumes/volume-view.ts";

const births = { resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
const node: Served<Node> = {
  metadata: { ...births, name: "n", uid: "n" },
  status: { allocatable: { cpu: "4" } },
};
const pod: Served<Pod> = {
  metadata: { ...births, name: "p", uid: "p", namespace: "default" },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] },
};
const facts = podFactsOf(pod, schedulerProfile.requestsUsual);
const going: Served<Pod> = {
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:01:00Z" },
};

it("shows a pod that is on its way out, and counts it once until it is gone", () => {
  const state = new ClusterState(() => ({}), noVolumes);
  state.putNode(node);
  state.putPod(facts, "n");
  const before = state.find("n")?.requested;
  state.renewPod({ ...facts, pod: going });
  expect(state.find("n")?.pods.get("p")?.pod).toBe(going);
  expect(state.find("n")?.requested).toEqual(before);
  expect(before?.["cpu"]).toBeGreaterThan(0);
  state.removePod("p");
  expect(state.find("n")?.requested["cpu"]).toBe(0);
});

it("knows nothing of a pod that it does not count", () => {
  const state = new ClusterState(() => ({}), noVolumes);
  state.putNode(node);
  state.renewPod(facts);
  expect(state.find("n")?.pods.size).toBe(0);
});

it("renews a pod whose node is gone", () => {
  const state = new ClusterState(() => ({}), noVolumes);
  state.putNode(node);
  state.putPod(facts, "n");
  state.removeNode("n");
  state.renewPod({ ...facts, pod: going });
  state.putNode(node);
  expect(state.find("n")?.pods.get("p")?.pod).toBe(going);
});
