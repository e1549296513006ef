import { describe, expect, it } from "vitest";
import type { Node, Pod } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { ClusterState } from "../cluster-state.ts";
import { type PodFacts, podFactsOf } from "../pod-facts.ts";
import { schedulerProfile } from "../profile.ts";
import { noVolumes } from "../volumes/volume-view.ts";
import { topologyScore } from "./topology-score.ts";

const births = { resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

function replica(name: string): PodFacts {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "web" };
  const pod: Served<Pod> = {
    metadata: {
      ...births,
      name,
      uid: name,
      namespace: "default",
      ownerReferences: [{ ...owner, controller: true }],
    },
    spec: { containers: [{ name: "c", image: "i" }] },
  };
  return podFactsOf(pod, schedulerProfile.requestsUsual);
}

/** Nodes n0, n1 ... in these zones; "" is in none. */
function clusterOf(zones: readonly string[]): ClusterState {
  const state = new ClusterState(() => ({}), noVolumes);
  for (const [index, zone] of zones.entries()) {
    const labels = zone === "" ? {} : { "topology.kubernetes.io/zone": zone };
    const name = `n${index}`;
    const node: Served<Node> = { metadata: { ...births, name, uid: name, labels } };
    state.putNode(node);
  }
  return state;
}

function scoresOf(cluster: ClusterState): readonly number[] | undefined {
  return topologyScore(replica("new"), cluster.nodes, cluster);
}

describe("the score for spreading siblings", () => {
  it("makes no difference for the first of them where all nodes are in zones, or none is", () => {
    expect(scoresOf(clusterOf(["a", "a", "b"]))).toBeUndefined();
    expect(scoresOf(clusterOf(["", ""]))).toBeUndefined();
  });

  it("tells nodes in zones from others also for the first", () => {
    expect(scoresOf(clusterOf(["a", ""]))).toEqual([33, 100]);
  });

  it("prefers other hosts and other zones than those of a sibling", () => {
    const cluster = clusterOf(["a", "a", "b"]);
    cluster.putPod(replica("first"), "n0");
    const [same = 0, neighbour = 0, far = 0] = scoresOf(cluster) ?? [];
    expect(same).toBeLessThan(neighbour);
    expect(neighbour).toBeLessThan(far);
  });
});
