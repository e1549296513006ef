import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import type { LimitRangeItem } from "../../api/types/core-v1.ts";
import { admissionCall, refusalOf } from "../admission-call.testbed.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { limitRangeDefaults, limitRangeLimits } from "./limit-ranger.ts";

const held = (...limits: LimitRangeItem[]): HeldObjects =>
  new HeldObjects().put("limitranges", {
    metadata: { name: "l", namespace: "ns" },
    spec: { limits },
  });

const pod = (requests: object, limits: object): KubeObject => ({
  metadata: { name: "p", namespace: "ns" },
  spec: { containers: [{ name: "c", resources: { requests, limits } }] },
});

describe("defaults", () => {
  it("fill what containers leave open, and say so", async () => {
    const reader = held({
      type: "Container",
      default: { cpu: "500m", memory: "1Gi" },
      defaultRequest: { cpu: "100m", memory: "1Gi" },
    });
    const object = pod({ memory: "10Mi" }, { cpu: "2" });
    await limitRangeDefaults(reader)(admissionCall("CREATE", "pods", object));
    expect(object["spec"]).toEqual({
      containers: [
        {
          name: "c",
          resources: {
            requests: { memory: "10Mi", cpu: "100m" },
            limits: { cpu: "2", memory: "1Gi" },
          },
        },
      ],
    });
    expect(object.metadata.annotations).toEqual({
      "kubernetes.io/limit-ranger":
        "LimitRanger plugin set: cpu request for container c; memory limit for container c",
    });
  });

  it("leave pods of other namespaces alone", async () => {
    const object = {
      metadata: { name: "p", namespace: "other" },
      spec: { containers: [{ name: "c" }] },
    };
    const reader = held({ type: "Container", default: { cpu: "1" } });
    await limitRangeDefaults(reader)(admissionCall("CREATE", "pods", object));
    expect(object.spec).toEqual({ containers: [{ name: "c" }] });
  });
});

it.each<[LimitRangeItem, object, object, string | undefined]>([
  [
    { type: "Container", min: { memory: "100Mi" } },
    { memory: "50Mi" },
    {},
    "minimum memory usage per Container is 100Mi, but request is 50Mi",
  ],
  [
    { type: "Container", min: { memory: "100Mi" } },
    {},
    {},
    "minimum memory usage per Container is 100Mi.  No request is specified",
  ],
  [
    { type: "Pod", max: { cpu: "1" } },
    { cpu: "1" },
    { cpu: "2" },
    "maximum cpu usage per Pod is 1, but limit is 2",
  ],
  [
    { type: "Container", max: { cpu: "1" } },
    { cpu: "1" },
    {},
    "maximum cpu usage per Container is 1.  No limit is specified",
  ],
  [
    { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    { cpu: "500m" },
    { cpu: "2" },
    "cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000",
  ],
  [
    { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
    { cpu: "1" },
    { cpu: "2" },
    undefined,
  ],
  [
    { type: "Container", min: { cpu: "1" }, max: { cpu: "2" } },
    { cpu: "500m" },
    { cpu: "3" },
    "[minimum cpu usage per Container is 1, but request is 500m, maximum cpu usage per Container is 2, but limit is 3]",
  ],
])("%j of %j %j", async (item, requests, limits, why) => {
  const call = admissionCall("CREATE", "pods", pod(requests, limits));
  const refusal = await refusalOf(limitRangeLimits(held(item)), call);
  expect(refusal?.message).toBe(why === undefined ? undefined : `pods "p" is forbidden: ${why}`);
});

it("bounds claims", async () => {
  const reader = held({
    type: "PersistentVolumeClaim",
    min: { storage: "1Gi" },
    max: { storage: "2Gi" },
  });
  const claim = (storage: string): KubeObject => ({
    metadata: { name: "d", namespace: "ns" },
    spec: { resources: { requests: { storage } } },
  });
  const refusal = async (storage: string) =>
    (
      await refusalOf(
        limitRangeLimits(reader),
        admissionCall("CREATE", "persistentvolumeclaims", claim(storage)),
      )
    )?.message;
  expect(await refusal("3Gi")).toBe(
    'persistentvolumeclaims "d" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  );
  expect(await refusal("1Gi")).toBeUndefined();
});
