import { describe, expect, it } from "vitest";
import type { Node, Pod, PodSpec } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import { ClusterState } from "./cluster-state.ts";
import { fitMessage } from "./fit-message.ts";
import { NodeJudge } from "./node-judge.ts";
import { enoughNodes, planPod } from "./plan.ts";
import { type PodFacts, podFactsOf } from "./pod-facts.ts";
import { type Preemption, planPreemption } from "./preemption.ts";
import { schedulerProfile as profile } from "./profile.ts";
import { noVolumes } from "./volumes/volume-view.ts";

interface PodSketch extends PodSpec {
  readonly labels?: Record<string, string>;
  readonly cpu?: string;
}

function facts(name: string, { labels = {}, cpu, ...spec }: PodSketch = {}): PodFacts {
  const resources = cpu === undefined ? {} : { requests: { cpu } };
  const pod = {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name,
      namespace: "default",
      uid: name,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels,
    },
    spec: { containers: [{ name: "c", image: "i", resources }], ...spec },
  };
  return podFactsOf(pod satisfies Served<Pod>, profile.requestsUsual);
}

function node(
  name: string,
  sketch: Partial<Node["spec"]> & { labels?: Record<string, string> } = {},
): Served<Node> {
  const { labels = {}, ...spec } = sketch;
  return {
    metadata: {
      name,
      uid: name,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { "kubernetes.io/hostname": name, ...labels },
    },
    spec,
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "3" } },
  };
}

function cluster(
  nodes: readonly Served<Node>[],
  placed: Record<string, PodFacts[]> = {},
): ClusterState {
  const state = new ClusterState(() => ({}), noVolumes);
  for (const one of nodes) state.putNode(one);
  for (const [name, pods] of Object.entries(placed))
    for (const pod of pods) state.putPod(pod, name);
  return state;
}

const ground = {
  profile,
  judge: new NodeJudge(profile),
  nominated: () => [],
  startAt: 0,
  chance: () => 0,
};

/** The node, or the message without what preemption adds. */
function verdict(pod: PodFacts, state: ClusterState): string {
  const outcome = planPod(pod, state, ground);
  if (outcome.do === "bind") return outcome.node;
  return fitMessage(state.nodes.length, outcome, "");
}

const onlyOn = (name: string): NonNullable<PodSpec["affinity"]> => {
  const byName = { key: "metadata.name", operator: "In", values: [name] };
  const nodeSelectorTerms = [{ matchFields: [byName] }];
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
};
const web = { app: "web" };
const likesWeb = { labelSelector: { matchLabels: web }, topologyKey: "zone" };
const zones = [node("a", { labels: { zone: "x" } }), node("b", { labels: { zone: "y" } })];

describe("a pod goes", () => {
  it.each<[string, PodFacts, ClusterState, string]>([
    [
      "where most is left",
      facts("p"),
      cluster([node("a"), node("b")], { a: [facts("q", { cpu: "2" })] }),
      "b",
    ],
    ["nowhere without nodes", facts("p"), cluster([]), "no nodes available to schedule pods"],
    [
      "nowhere when it is too large",
      facts("p", { cpu: "3" }),
      cluster([node("a"), node("b")], {
        a: [facts("q", { cpu: "2" })],
        b: [facts("r", { cpu: "2" })],
      }),
      "0/2 nodes are available: 2 Insufficient cpu.",
    ],
    [
      "nowhere for reasons that differ",
      facts("p", { nodeSelector: { disk: "ssd" } }),
      cluster([
        node("a", { unschedulable: true }),
        node("b", { taints: [{ key: "k", effect: "NoSchedule" }] }),
        node("c"),
      ]),
      "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.",
    ],
    [
      "nowhere when places are full",
      facts("p"),
      cluster([node("a")], { a: ["1", "2", "3"].map((name) => facts(name)) }),
      "0/1 nodes are available: 1 Too many pods.",
    ],
    [
      "to the node that it names, without asking the others",
      facts("p", { affinity: onlyOn("b") }),
      cluster([node("a"), node("b"), node("c")], { b: [facts("q", { cpu: "2" })] }),
      "b",
    ],
    [
      "nowhere when the node that it names is full",
      facts("p", { affinity: onlyOn("b"), cpu: "3" }),
      cluster([node("a"), node("b"), node("c")], { b: [facts("q", { cpu: "2" })] }),
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    ],
    [
      "to the tainted node that it tolerates",
      facts("p", { tolerations: [{ key: "k", operator: "Exists" }], nodeSelector: { zone: "x" } }),
      cluster([
        node("a", { labels: { zone: "x" }, taints: [{ key: "k", effect: "NoSchedule" }] }),
        node("b"),
      ]),
      "a",
    ],
    [
      "to its kind",
      facts("p", {
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [likesWeb] } },
      }),
      cluster(zones, { b: [facts("q", { labels: web })] }),
      "b",
    ],
    [
      "nowhere when its kind is nowhere",
      facts("p", {
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [likesWeb] } },
      }),
      cluster(zones),
      "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.",
    ],
    [
      "first of its kind anywhere",
      facts("p", {
        labels: web,
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [likesWeb] } },
      }),
      cluster(zones),
      "a",
    ],
    [
      "away from its kind",
      facts("p", {
        affinity: {
          podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [likesWeb] },
        },
      }),
      cluster(zones, { a: [facts("q", { labels: web })] }),
      "b",
    ],
    [
      "away from those that want to be apart from it",
      facts("p", { labels: web }),
      cluster(zones, {
        a: [
          facts("q", {
            affinity: {
              podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [likesWeb] },
            },
          }),
        ],
      }),
      "b",
    ],
    [
      "where its kind is rarest",
      facts("p", {
        labels: web,
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "zone",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: web },
          },
        ],
      }),
      cluster(zones, { a: [facts("q", { labels: web })] }),
      "b",
    ],
    [
      "past a port that is taken",
      facts("p", { containers: [{ name: "c", ports: [{ containerPort: 80, hostPort: 80 }] }] }),
      cluster([node("a"), node("b")], {
        a: [
          facts("q", { containers: [{ name: "c", ports: [{ containerPort: 80, hostPort: 80 }] }] }),
        ],
      }),
      "b",
    ],
  ])("%s", (_name, pod, state, expected) => {
    expect(verdict(pod, state)).toBe(expected);
  });

  it.each([
    [10, 10],
    [99, 99],
    [100, 100],
    [1_000, 420],
    [5_000, 500],
    [20_000, 1_000],
  ])("after looking for %i nodes at %i that would do", (count, enough) => {
    expect(enoughNodes(count, profile)).toBe(enough);
  });

  it("past room that was made for others", () => {
    const state = cluster([node("a"), node("b")]);
    const nominated = (name: string): PodFacts[] =>
      name === "a" ? [facts("n", { cpu: "4", priority: 5 })] : [];
    expect(planPod(facts("p", { cpu: "1" }), state, { ...ground, nominated })).toMatchObject({
      do: "bind",
      node: "b",
    });
  });
});

describe("preemption", () => {
  const preempt = (pod: PodFacts, state: ClusterState): Preemption => {
    const outcome = planPod(pod, state, ground);
    const refusals = outcome.do === "wait" ? outcome.refusals : new Map<string, never>();
    return planPreemption(pod, state, { ...ground, refusals, budgets: [] });
  };
  const names = (preemption: Preemption): string =>
    preemption.do === "nothing"
      ? preemption.message
      : `${preemption.node}: ${preemption.victims.map(({ key }) => key).join(" ")}`;

  it.each<[string, PodFacts, ClusterState, string]>([
    [
      "takes the least important",
      facts("p", { cpu: "2", priority: 10 }),
      cluster([node("a"), node("b")], {
        a: [facts("q", { cpu: "4", priority: 5 })],
        b: [facts("r", { cpu: "2", priority: 1 }), facts("s", { cpu: "2", priority: 3 })],
      }),
      "b: default/r",
    ],
    [
      "finds nobody",
      facts("p", { cpu: "3" }),
      cluster([node("a")], { a: [facts("q", { cpu: "2" })] }),
      "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    ],
    [
      "does not help",
      facts("p", { cpu: "9", priority: 10 }),
      cluster([node("a")], { a: [facts("q", { cpu: "2" })] }),
      "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    ],
    [
      "is not wanted",
      facts("p", { cpu: "3", priority: 10, preemptionPolicy: "Never" }),
      cluster([node("a")], { a: [facts("q", { cpu: "2" })] }),
      "preemption: not eligible due to preemptionPolicy=Never.",
    ],
  ])("%s", (_name, pod, state, expected) => {
    expect(names(preempt(pod, state))).toBe(expected);
  });
});
