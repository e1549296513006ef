import { describe, expect, it } from "vitest";
import type { PodSpec, Taint } from "../../api/types/core-v1.ts";
import { served } from "../pods/some-pod.testbed.ts";
import { daemonTolerations, fitOf, tolerates } from "./node-fit.ts";

const node = (labels: Record<string, string>, taints: Taint[] = []) => ({
  metadata: served("n1", { labels }),
  spec: { taints },
});
const required = (...nodeSelectorTerms: object[]): PodSpec => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  },
});
const expression = (key: string, operator: string, ...values: string[]): PodSpec =>
  required({ matchExpressions: [{ key, operator, values }] });
const field = (operator: string, value: string): PodSpec =>
  required({ matchFields: [{ key: "metadata.name", operator, values: [value] }] });

describe("a node fits", () => {
  it.each<[string, PodSpec, boolean]>([
    ["anything", {}, true],
    ["its name", { nodeName: "n1" }, true],
    ["no other name", { nodeName: "n2" }, false],
    ["its labels", { nodeSelector: { disk: "ssd" } }, true],
    ["no other labels", { nodeSelector: { disk: "hdd" } }, false],
    ["In", expression("disk", "In", "ssd", "hdd"), true],
    ["NotIn", expression("disk", "NotIn", "ssd"), false],
    ["NotIn what it lacks", expression("zone", "NotIn", "a"), true],
    ["Exists", expression("disk", "Exists"), true],
    ["DoesNotExist", expression("disk", "DoesNotExist"), false],
    ["Gt", expression("cores", "Gt", "7"), true],
    ["Lt", expression("cores", "Lt", "8"), false],
    ["Gt of no number", expression("disk", "Gt", "0"), false],
    ["its name as a field", field("In", "n1"), true],
    ["another name as a field", field("NotIn", "n1"), false],
    [
      "one of several terms",
      required(
        { matchExpressions: [{ key: "zone", operator: "Exists" }] },
        { matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] },
      ),
      true,
    ],
    ["no empty term", required({}), false],
  ])("%s", (_, spec, fits) => {
    expect(fitOf(node({ disk: "ssd", cores: "8" }), spec)).toEqual({
      shouldRun: fits,
      mayStay: fits,
    });
  });

  it.each<[string, boolean, boolean]>([
    ["NoSchedule", false, true],
    ["NoExecute", false, false],
    ["PreferNoSchedule", true, true],
  ])("with a taint %s", (effect, shouldRun, mayStay) => {
    expect(fitOf(node({}, [{ key: "gpu", effect }]), {})).toEqual({ shouldRun, mayStay });
    const tolerations = [{ key: "gpu", operator: "Exists" }];
    expect(fitOf(node({}, [{ key: "gpu", effect }]), { tolerations })).toEqual({
      shouldRun: true,
      mayStay: true,
    });
  });
});

describe("a toleration", () => {
  const taint = { key: "gpu", value: "a", effect: "NoSchedule" };
  it.each([
    [{ key: "gpu", value: "a" }, true],
    [{ key: "gpu", operator: "Equal", value: "b" }, false],
    [{ key: "gpu", operator: "Exists", effect: "NoExecute" }, false],
    [{ operator: "Exists" }, true],
    [{}, false],
  ])("%j bears it: %s", (toleration, bears) => {
    expect(tolerates(toleration, taint)).toBe(bears);
  });
});

describe("what all daemons bear", () => {
  it("is added to what this one bears, once", () => {
    const own = { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" };
    const keys = daemonTolerations({ tolerations: [own], hostNetwork: true }).map(({ key }) => key);
    expect(keys).toEqual([
      "node.kubernetes.io/not-ready",
      "node.kubernetes.io/unreachable",
      "node.kubernetes.io/disk-pressure",
      "node.kubernetes.io/memory-pressure",
      "node.kubernetes.io/pid-pressure",
      "node.kubernetes.io/unschedulable",
      "node.kubernetes.io/network-unavailable",
    ]);
  });
});
