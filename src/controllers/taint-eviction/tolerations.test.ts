import { describe, expect, it } from "vitest";
import type { Taint, Toleration } from "../../api/types/core-v1.ts";
import { stayOf } from "./tolerations.ts";

const dead: Taint = { key: "dead", effect: "NoExecute" };
const slow: Taint = { key: "slow", value: "yes", effect: "NoExecute" };

describe("stayOf", () => {
  it.each<[string, Taint[], Toleration[], string]>([
    ["no taint", [], [], "stay"],
    ["no toleration", [dead], [], "go"],
    ["the wrong effect", [dead], [{ operator: "Exists", effect: "NoSchedule" }], "go"],
    ["everything tolerated", [dead, slow], [{ operator: "Exists" }], "stay"],
    ["one of two tolerated", [dead, slow], [{ key: "dead", operator: "Exists" }], "go"],
    ["the wrong value", [slow], [{ key: "slow", value: "no" }], "go"],
    [
      "for a while",
      [dead],
      [{ key: "dead", operator: "Exists", tolerationSeconds: 300 }],
      "300000",
    ],
    [
      "the shorter of two",
      [dead, slow],
      [
        { key: "dead", operator: "Exists", tolerationSeconds: 300 },
        { key: "slow", value: "yes", tolerationSeconds: 20 },
      ],
      "20000",
    ],
    ["not at all", [dead], [{ key: "dead", operator: "Exists", tolerationSeconds: -5 }], "0"],
  ])("%s", (_, taints, tolerations, expected) => {
    const stay = stayOf(taints, tolerations);
    expect(stay.do === "go later" ? String(stay.afterMs) : stay.do).toBe(expected);
  });
});
