import { describe, expect, it } from "vitest";
import type { ObjectReference } from "../../api/types/core-v1.ts";
import type { StorageClass } from "../../api/types/storage-v1.ts";
import { volumeAnnotations } from "../../api/volume/annotations.ts";
import type { Claim, Volume } from "./claim-and-volume.ts";
import { type ClaimView, planClaim } from "./plan.ts";
import { planVolume } from "./plan-volume.ts";

const stored = { resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
const accessModes = ["ReadWriteOnce"];

function claim(spec: Claim["spec"] = {}, annotations: Record<string, string> = {}): Claim {
  const resources = { requests: { storage: "1Gi" } };
  return {
    metadata: { ...stored, uid: "c", name: "c", namespace: "ns", annotations },
    spec: { accessModes, resources, ...spec },
  };
}

function volume(name: string, spec: Volume["spec"] = {}, more: Partial<Volume> = {}): Volume {
  return {
    metadata: { ...stored, uid: name, name, ...more.metadata },
    spec: { accessModes, capacity: { storage: "2Gi" }, ...spec },
    status: { phase: "Available", ...more.status },
  };
}

const ref = (uid: string): ObjectReference => ({ namespace: "ns", name: "c", uid });
const done = { [volumeAnnotations.bindCompleted]: "yes" };
const late: StorageClass = {
  metadata: { name: "x" },
  provisioner: "example.com/disk",
  volumeBindingMode: "WaitForFirstConsumer",
};
const early: StorageClass = { ...late, volumeBindingMode: "Immediate" };
const node = { metadata: { name: "n" } };

/** The plan in a word. */
function outcome(view: Partial<ClaimView>): string {
  const whole = { claim: claim(), volumes: [], storageClass: undefined, node: undefined };
  const plan = planClaim({ ...whole, waitingPod: undefined, ...view });
  if (plan.do === "bind") return `bind ${plan.volume.metadata.name}`;
  return `${plan.do} ${plan.said?.reason ?? ""}`.trim();
}

describe("planClaim", () => {
  const x = { storageClassName: "x" };
  it.each<[string, Partial<ClaimView>, string]>([
    ["nothing there", {}, "wait FailedBinding"],
    [
      "smallest of those that suit",
      {
        volumes: [
          volume("big", { capacity: { storage: "9Gi" } }),
          volume("fit"),
          volume("small", { capacity: { storage: "1Mi" } }),
          volume("classy", x),
          volume("block", { volumeMode: "Block" }),
          volume("shared", { accessModes: ["ReadOnlyMany"] }),
          volume("taken", { claimRef: { namespace: "ns", name: "d", uid: "d" } }),
        ],
      },
      "bind fit",
    ],
    [
      "one that the selector finds",
      {
        claim: claim({ selector: { matchLabels: { a: "b" } } }),
        volumes: [
          volume("other"),
          { ...volume("mine"), metadata: { ...volume("mine").metadata, labels: { a: "b" } } },
        ],
      },
      "bind mine",
    ],
    ["no such class", { claim: claim(x) }, "wait ProvisioningFailed"],
    [
      "somebody else provisions",
      { claim: claim(x), storageClass: early },
      "wait ExternalProvisioning",
    ],
    [
      "not before there is a pod",
      { claim: claim(x), storageClass: late, volumes: [volume("v", x)] },
      "wait WaitForFirstConsumer",
    ],
    [
      "not before the pod has a node",
      { claim: claim(x), storageClass: late, volumes: [volume("v", x)], waitingPod: "p" },
      "wait WaitForPodScheduled",
    ],
    [
      "once it has",
      { claim: claim(x), storageClass: late, volumes: [volume("v", x)], node },
      "bind v",
    ],
    [
      "a reserved one needs no node",
      { claim: claim(x), storageClass: late, volumes: [volume("v", { ...x, claimRef: ref("") })] },
      "bind v",
    ],
    ["named one is missing", { claim: claim({ volumeName: "v" }) }, "wait"],
    ["named one", { claim: claim({ volumeName: "v" }), volumes: [volume("v")] }, "bind v"],
    [
      "named one does not suit",
      { claim: claim({ volumeName: "v" }), volumes: [volume("v", x)] },
      "wait VolumeMismatch",
    ],
    [
      "named one is another's",
      { claim: claim({ volumeName: "v" }), volumes: [volume("v", { claimRef: ref("other") })] },
      "wait",
    ],
    ["bound one is gone", { claim: claim({ volumeName: "v" }, done) }, "lose ClaimLost"],
    [
      "bound one is another's",
      { claim: claim({ volumeName: "v" }, done), volumes: [volume("v", { claimRef: ref("d") })] },
      "lose ClaimMisbound",
    ],
  ])("%s", (_, view, expected) => {
    expect(outcome(view)).toBe(expected);
  });
});

describe("planVolume", () => {
  const byController = {
    metadata: {
      ...stored,
      uid: "v",
      name: "v",
      annotations: { [volumeAnnotations.boundByController]: "yes" },
    },
  };
  it.each<[string, Volume, Claim | undefined, string]>([
    ["free", volume("v"), undefined, "phase Available"],
    ["reserved", volume("v", { claimRef: ref("") }), undefined, "phase Available"],
    ["reserved, and the claim is there", volume("v", { claimRef: ref("") }), claim(), "wakeClaim"],
    ["half bound", volume("v", { claimRef: ref("c") }), claim(), "wakeClaim"],
    ["bound", volume("v", { claimRef: ref("c") }), claim({ volumeName: "v" }), "phase Bound"],
    ["left", volume("v", { claimRef: ref("c") }), undefined, "phase Released"],
    [
      "left for another of the name",
      volume("v", { claimRef: ref("b") }),
      claim(),
      "phase Released",
    ],
    [
      "beaten to it",
      volume("v", { claimRef: ref("c") }, byController),
      claim({ volumeName: "w" }),
      "unbind",
    ],
    [
      "left, and nobody can delete it",
      volume("v", { claimRef: ref("c"), persistentVolumeReclaimPolicy: "Delete" }),
      undefined,
      "phase Failed",
    ],
  ])("%s", (_, of, by, expected) => {
    const plan = planVolume(of, by);
    expect(plan.do === "phase" ? `phase ${plan.phase}` : plan.do).toBe(expected);
  });
});
