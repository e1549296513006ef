// A judge that remembers decides as one that does not, whatever happens to nodes and pods in between.
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Node, Pod } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import { ClusterState } from "./cluster-state.ts";
import { NodeJudge } from "./node-judge.ts";
import { planPod } from "./plan.ts";
import { type PodFacts, podFactsOf } from "./pod-facts.ts";
import { schedulerProfile as profile } from "./profile.ts";
import { noVolumes } from "./volumes/volume-view.ts";

const births = { resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

function podOf(name: string, { cpu, tolerant, owner }: Wanted): PodFacts {
  const pod: Served<Pod> = {
    metadata: {
      ...births,
      name,
      uid: name,
      namespace: "default",
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true },
      ],
    },
    spec: {
      containers: [{ name: "c", image: "i", resources: { requests: { cpu: `${cpu}` } } }],
      tolerations: tolerant ? [{ key: "k", operator: "Exists" }] : [],
    },
  };
  return podFactsOf(pod, profile.requestsUsual);
}

function nodeOf(place: number, { cordoned, tainted }: NodeChange): Served<Node> {
  const name = `n${place}`;
  const labels = { "topology.kubernetes.io/zone": `z${place % 2}` };
  return {
    metadata: { ...births, name, uid: name, labels },
    spec: {
      unschedulable: cordoned,
      taints: tainted ? [{ key: "k", effect: "NoSchedule" }] : [],
    },
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "5" } },
  };
}

interface Wanted {
  readonly cpu: number;
  readonly tolerant: boolean;
  readonly owner: string;
}

interface NodeChange {
  readonly cordoned: boolean;
  readonly tainted: boolean;
}

const placeOf = fc.nat(3);
const step = fc.oneof(
  fc.record({
    kind: fc.constant("pod" as const),
    cpu: fc.constantFrom(1, 2),
    tolerant: fc.boolean(),
    owner: fc.constantFrom("a", "b"),
  }),
  fc.record({
    kind: fc.constant("node" as const),
    place: placeOf,
    cordoned: fc.boolean(),
    tainted: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("no node" as const), place: placeOf }),
  fc.record({ kind: fc.constant("no pod" as const), which: fc.nat(30) }),
);

it("decides as if it remembered nothing", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const state = new ClusterState(() => ({}), noVolumes);
      for (let place = 0; place < 3; place++)
        state.putNode(nodeOf(place, { cordoned: false, tainted: false }));
      const remembering = new NodeJudge(profile);
      for (const [index, one] of steps.entries()) {
        if (one.kind === "node") state.putNode(nodeOf(one.place, one));
        else if (one.kind === "no node") state.removeNode(`n${one.place}`);
        else if (one.kind === "no pod") state.removePod(`p${one.which}`);
        else {
          const pod = podOf(`p${index}`, one);
          const ground = { profile, nominated: () => [], startAt: 0, chance: () => 0.5 };
          const verdict = planPod(pod, state, { ...ground, judge: remembering });
          expect(verdict).toEqual(
            planPod(pod, state, { ...ground, judge: new NodeJudge(profile) }),
          );
          if (verdict.do === "bind") state.putPod(pod, verdict.node);
        }
      }
    }),
  );
});

it("asks a node again only when something about it changed", () => {
  const state = new ClusterState(() => ({}), noVolumes);
  for (let place = 0; place < 3; place++)
    state.putNode(nodeOf(place, { cordoned: false, tainted: false }));
  const judge = new NodeJudge(profile);
  const first = podOf("p", { cpu: 1, tolerant: false, owner: "a" });
  const second = podOf("q", { cpu: 1, tolerant: false, owner: "b" });
  const before = state.nodes.map((node, place) => judge.for(first)(node, place));
  state.putPod(first, "n1");
  const after = state.nodes.map((node, place) => judge.for(second)(node, place));
  expect(after.map((one, place) => one === before[place])).toEqual([true, false, true]);
});
