// The plugins that are one rule each.
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { encodeBase64 } from "../../std/base64.ts";
import { admissionCall, refusalOf } from "../admission-call.testbed.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { certificateSigners, certificateSubjects } from "./certificate-signers.ts";
import { claimResize } from "./claim-resize.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { taintNewNodes } from "./node-taints.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { runtimeClassMutation, runtimeClassValidation } from "./runtime-class.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

it("new nodes are tainted once", async () => {
  const node: KubeObject = { metadata: { name: "n" }, spec: { podCIDR: "10.0.0.0/24" } };
  for (const _ of [1, 2]) await taintNewNodes(admissionCall("CREATE", "nodes", node));
  expect(node["spec"]).toEqual({ podCIDR: "10.0.0.0/24", taints: [notReady] });
});

it("pods take over zone and region of their node, by binding or at once", async () => {
  const zone = { "topology.kubernetes.io/zone": "z" };
  const held = new HeldObjects().put("nodes", {
    metadata: { name: "n", labels: { ...zone, other: "x" } },
  });
  const binding: KubeObject = { metadata: { name: "p" }, target: { name: "n" } };
  const step = podTopologyLabels(held);
  await step(admissionCall("CREATE", "pods", binding, { subresource: "binding" }));
  expect(binding.metadata.labels).toEqual(zone);
  const pod: KubeObject = { metadata: { name: "p", labels: { a: "b" } }, spec: { nodeName: "n" } };
  await step(admissionCall("CREATE", "pods", pod));
  expect(pod.metadata.labels).toEqual({ a: "b", ...zone });
});

describe("a runtime class", () => {
  const held = new HeldObjects().put("runtimeclasses.node.k8s.io", {
    metadata: { name: "sand" },
    overhead: { podFixed: { cpu: "250m" } },
    scheduling: {
      nodeSelector: { runtime: "sand" },
      tolerations: [{ key: "sand", operator: "Exists" }],
    },
  });
  const call = (spec: object) => admissionCall("CREATE", "pods", { metadata: { name: "p" }, spec });

  it("puts its costs and its nodes into the pod", async () => {
    const spec = { runtimeClassName: "sand", nodeSelector: { a: "b" } };
    await runtimeClassMutation(held)(call(spec));
    expect(spec).toEqual({
      runtimeClassName: "sand",
      overhead: { cpu: "250m" },
      nodeSelector: { a: "b", runtime: "sand" },
      tolerations: [{ key: "sand", operator: "Exists" }],
    });
  });

  it.each([
    [{ runtimeClassName: "x" }, 'pod rejected: RuntimeClass "x" not found'],
    [
      { runtimeClassName: "sand", overhead: { cpu: "1" } },
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    ],
    [
      { runtimeClassName: "sand", nodeSelector: { runtime: "y" } },
      "conflict: runtimeClass.scheduling.nodeSelector[runtime] = sand; pod.spec.nodeSelector[runtime] = y",
    ],
  ])("refuses %j", async (spec, why) => {
    expect((await refusalOf(runtimeClassMutation(held), call(spec)))?.message).toBe(
      `pods "p" is forbidden: ${why}`,
    );
  });

  it("is where overhead comes from", async () => {
    const refusal = await refusalOf(runtimeClassValidation(held), call({ overhead: { cpu: "1" } }));
    expect(refusal?.message).toContain(
      "Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
    expect(
      await refusalOf(
        runtimeClassValidation(held),
        call({ overhead: { cpu: "250m" }, runtimeClassName: "sand" }),
      ),
    ).toBeUndefined();
  });
});

it.each([
  ["Pending", true, "2Gi", "Only bound persistent volume claims can be expanded"],
  [
    "Bound",
    false,
    "2Gi",
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
  ],
  ["Bound", true, "2Gi", undefined],
  ["Pending", false, "1Gi", undefined],
])(
  "a %s claim of a class that allows it: %s grows to %s",
  async (phase, allowVolumeExpansion, storage, why) => {
    const held = new HeldObjects().put("storageclasses.storage.k8s.io", {
      metadata: { name: "c" },
      allowVolumeExpansion,
    });
    const claim = (size: string): KubeObject => ({
      metadata: { name: "d", namespace: "ns" },
      spec: { storageClassName: "c", resources: { requests: { storage: size } } },
      status: { phase },
    });
    const call = admissionCall("UPDATE", "persistentvolumeclaims", claim(storage), {
      oldObject: claim("1Gi"),
    });
    const message = (await refusalOf(claimResize(held), call))?.message;
    expect(message).toBe(
      why === undefined ? undefined : `persistentvolumeclaims "d" is forbidden: ${why}`,
    );
  },
);

it("ingresses get the default class", async () => {
  const annotations = { "ingressclass.kubernetes.io/is-default-class": "true" };
  const held = new HeldObjects().put(
    "ingressclasses.networking.k8s.io",
    { metadata: { name: "nginx", annotations } },
    { metadata: { name: "other" } },
  );
  const ingress = (spec: object): KubeObject => ({
    metadata: { name: "i", namespace: "ns" },
    spec,
  });
  const bare = ingress({});
  await defaultIngressClass(held)(admissionCall("CREATE", "ingresses.networking.k8s.io", bare));
  expect(bare["spec"]).toEqual({ ingressClassName: "nginx" });
  const own = ingress({ ingressClassName: "own" });
  await defaultIngressClass(held)(admissionCall("CREATE", "ingresses.networking.k8s.io", own));
  expect(own["spec"]).toEqual({ ingressClassName: "own" });
});

describe("certificate requests", () => {
  const signerName = "kubernetes.io/kube-apiserver-client";
  const request = (status: object = {}, body = ""): KubeObject => ({
    metadata: { name: "r" },
    spec: { signerName, request: body },
    status,
  });
  const allows = (names: readonly string[]) => ({
    authorize: ({ request: asked }: { request: { name?: string } }) =>
      Promise.resolve({ allowed: names.includes(asked.name ?? ""), reason: "" }),
  });
  const update = (subresource: string, object: KubeObject) =>
    admissionCall("UPDATE", "certificatesigningrequests.certificates.k8s.io", object, {
      subresource,
      oldObject: request(),
    });

  it.each([
    [[signerName], undefined],
    [["kubernetes.io/*"], undefined],
    [[], `user not permitted to approve requests with signerName "${signerName}"`],
  ])("are approved by those who may %j", async (names, why) => {
    const refusal = await refusalOf(
      certificateSigners(allows(names) as never),
      update("approval", request()),
    );
    if (why === undefined) expect(refusal).toBeUndefined();
    else expect(refusal?.message).toContain(why);
  });

  it("are filled by their signer alone, other status is free", async () => {
    const step = certificateSigners(allows([]) as never);
    expect(
      (await refusalOf(step, update("status", request({ certificate: "x" }))))?.message,
    ).toContain("not permitted to sign requests");
    expect(
      await refusalOf(step, update("status", request({ conditions: [{ type: "Other" }] }))),
    ).toBeUndefined();
  });

  it("may not ask to be a master", async () => {
    const der = (organization: string): Uint8Array =>
      new Uint8Array([
        0x30,
        0x14,
        0x06,
        0x03,
        0x55,
        0x04,
        0x0a,
        0x0c,
        organization.length,
        ...new TextEncoder().encode(organization),
      ]);
    const pem = (organization: string): string =>
      encodeBase64(
        new TextEncoder().encode(
          `-----BEGIN CERTIFICATE REQUEST-----\n${encodeBase64(der(organization))}\n-----END CERTIFICATE REQUEST-----\n`,
        ),
      );
    const create = (organization: string) =>
      admissionCall(
        "CREATE",
        "certificatesigningrequests.certificates.k8s.io",
        request({}, pem(organization)),
      );
    expect((await refusalOf(certificateSubjects, create("system:masters")))?.message).toContain(
      "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed",
    );
    expect(await refusalOf(certificateSubjects, create("developers-all"))).toBeUndefined();
  });
});
