import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { admissionCall, refusalOf } from "../admission-call.testbed.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { podSecurity } from "./pod-security.ts";

const key = (mode: string): string => `pod-security.kubernetes.io/${mode}`;

function setUp(labels: Record<string, string>, ...pods: KubeObject[]) {
  const modes = Object.fromEntries(
    Object.entries(labels).map(([mode, level]) => [key(mode), level]),
  );
  const held = new HeldObjects()
    .put("namespaces", { metadata: { name: "ns", labels: modes } })
    .put("pods", ...pods);
  return podSecurity(held);
}

const pod = (spec: object, name = "p"): KubeObject => ({
  metadata: { name, namespace: "ns" },
  spec: { containers: [{ name: "c" }], ...spec },
});

const hardened = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [
    {
      name: "c",
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    },
  ],
};
const container = (securityContext: object): object => ({
  containers: [{ name: "c", securityContext }],
});

describe("a pod", () => {
  const plainRefusal =
    'pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

  it.each<[string, Record<string, string>, object, string | undefined]>([
    ["anything where nothing is asked", {}, { hostNetwork: true }, undefined],
    ["a plain one", { enforce: "restricted" }, {}, plainRefusal],
    ["a hardened one", { enforce: "restricted" }, hardened, undefined],
    ["a plain one at baseline", { enforce: "baseline" }, {}, undefined],
  ])("%s", async (_, labels, spec, message) => {
    const call = admissionCall("CREATE", "pods", pod(spec));
    expect((await refusalOf(setUp(labels), call))?.message).toBe(message);
  });

  it.each<[object, string]>([
    [{ hostNetwork: true, hostPID: true }, "host namespaces (hostNetwork=true, hostPID=true)"],
    [
      container({ privileged: true }),
      'privileged (container "c" must not set securityContext.privileged=true)',
    ],
    [
      container({ capabilities: { add: ["SYS_ADMIN", "CHOWN"] } }),
      'non-default capabilities (container "c" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [{ volumes: [{ name: "h", hostPath: { path: "/" } }] }, 'hostPath volumes (volume "h")'],
    [
      {
        containers: [
          { name: "a", ports: [{ hostPort: 80 }] },
          { name: "b", ports: [{ hostPort: 443 }] },
        ],
      },
      'hostPort (containers "a", "b" use hostPorts 443, 80)',
    ],
    [
      container({ procMount: "Unmasked" }),
      'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ],
    [
      { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
      "forbidden sysctls (kernel.msgmax)",
    ],
    [
      { securityContext: { seccompProfile: { type: "Unconfined" } } },
      'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      container({ seLinuxOptions: { type: "x", user: "u" } }),
      'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "x"; user may not be set)',
    ],
    [
      { containers: [{ name: "c", livenessProbe: { httpGet: { host: "h" } } }] },
      'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
    ],
    [
      container({ appArmorProfile: { type: "Unconfined" } }),
      'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
    ],
  ])("%j breaks baseline", async (spec, why) => {
    const call = admissionCall("CREATE", "pods", pod(spec));
    const refusal = await refusalOf(setUp({ enforce: "baseline" }), call);
    expect(refusal?.message).toBe(
      `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${why}`,
    );
  });

  it("is judged by the rules of the version asked for", async () => {
    const call = admissionCall(
      "CREATE",
      "pods",
      pod({ containers: [{ name: "c", livenessProbe: { httpGet: { host: "h" } } }] }),
    );
    expect(
      await refusalOf(setUp({ enforce: "baseline", "enforce-version": "v1.33" }), call),
    ).toBeUndefined();
  });

  it("may change anything but its images", async () => {
    const [oldObject, object] = [pod({}), pod({ activeDeadlineSeconds: 1 })];
    const step = setUp({ enforce: "restricted" });
    expect(
      await refusalOf(step, admissionCall("UPDATE", "pods", object, { oldObject })),
    ).toBeUndefined();
    const image = pod({ containers: [{ name: "c", image: "i" }] });
    const refusal = await refusalOf(step, admissionCall("UPDATE", "pods", image, { oldObject }));
    expect(refusal?.code).toBe(403);
  });
});

it("templates only earn a warning", async () => {
  const warnings: string[] = [];
  const object = {
    metadata: { name: "d", namespace: "ns" },
    spec: { template: pod({ hostIPC: true }) },
  };
  const call = admissionCall("CREATE", "deployments.apps", object, {
    warn: (text) => warnings.push(text),
  });
  expect(await refusalOf(setUp({ enforce: "baseline" }), call)).toBeUndefined();
  expect(warnings).toEqual([
    'would violate PodSecurity "baseline:latest": host namespaces (hostIPC=true)',
  ]);
});

describe("a namespace", () => {
  const labelled = (labels: Record<string, string>): KubeObject => ({
    metadata: { name: "ns", labels },
  });

  it("must name levels that exist", async () => {
    const call = admissionCall(
      "CREATE",
      "namespaces",
      labelled({ [key("enforce")]: "strict", [key("warn-version")]: "1.2" }),
    );
    expect((await refusalOf(setUp({}), call))?.message).toBe(
      'Namespace "ns" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.2": must be "latest" or "v1.x"]',
    );
  });

  it("is told whom a stricter level would hit", async () => {
    const warnings: string[] = [];
    const step = setUp({}, pod({ hostPID: true }, "b"), pod({ hostPID: true }, "a"), pod({}, "c"));
    const call = admissionCall("UPDATE", "namespaces", labelled({ [key("enforce")]: "baseline" }), {
      oldObject: labelled({}),
      warn: (text) => warnings.push(text),
    });
    expect(await refusalOf(step, call)).toBeUndefined();
    expect(warnings).toEqual([
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      "a (and 1 other pod): host namespaces",
    ]);
  });
});
