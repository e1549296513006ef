import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import type { PodSpec } from "../../api/types/core-v1.ts";
import { admissionCall, refusalOf } from "../admission-call.testbed.ts";
import { createTestHost } from "../../host/host.testbed.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { serviceAccountMutation, serviceAccountValidation } from "./service-account.ts";

const container = (extra = {}) => ({ name: "c", image: "i", ...extra });
const pod = (spec: object = { containers: [container()] }, annotations = {}): KubeObject => ({
  metadata: { name: "p", namespace: "ns", annotations },
  spec,
});

function setUp() {
  const host = createTestHost(0);
  const held = new HeldObjects()
    .put("serviceaccounts", { metadata: { name: "default", namespace: "ns" } })
    .put("serviceaccounts", {
      metadata: { name: "quiet", namespace: "ns" },
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: "registry" }],
    });
  return { host, held, step: serviceAccountMutation(host, held, "projected") };
}

const volume = (name: string) => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [
            { path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } },
          ],
        },
      },
    ],
    defaultMode: 420,
  },
});
const mount = (name: string) => ({
  name,
  readOnly: true,
  mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
});

async function mutated(object: KubeObject): Promise<PodSpec> {
  await setUp().step(admissionCall("CREATE", "pods", object));
  return object["spec"] as PodSpec;
}

describe("serviceAccountMutation", () => {
  test("names the default account and mounts its token in every container", async () => {
    const own = {
      volumeMounts: [{ name: "v", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }],
    };
    const spec = await mutated(
      pod({ initContainers: [container()], containers: [container(), container(own)] }),
    );
    const name = spec.volumes?.[0]?.name ?? "";
    expect(name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(spec.serviceAccountName).toBe("default");
    expect(spec.serviceAccount).toBe("default");
    expect(spec.volumes).toEqual([volume(name)]);
    expect(spec.initContainers?.[0]?.volumeMounts).toEqual([mount(name)]);
    expect(spec.containers?.map((one) => one.volumeMounts)).toEqual([
      [mount(name)],
      own.volumeMounts,
    ]);
  });

  test("keeps a volume that is there", async () => {
    const spec = await mutated(
      pod({ containers: [container()], volumes: [{ name: "kube-api-access-mine" }] }),
    );
    expect(spec.volumes).toEqual([{ name: "kube-api-access-mine" }]);
    expect(spec.containers?.[0]?.volumeMounts).toEqual([mount("kube-api-access-mine")]);
  });

  test("minds the account's switch and gives its pull secrets", async () => {
    const spec = await mutated(pod({ serviceAccount: "quiet", containers: [container()] }));
    expect(spec.serviceAccountName).toBe("quiet");
    expect(spec.volumes).toBeUndefined();
    expect(spec.imagePullSecrets).toEqual([{ name: "registry" }]);
  });

  test("the pod's own switch wins", async () => {
    const quiet = await mutated(
      pod({ containers: [container()], automountServiceAccountToken: false }),
    );
    expect(quiet.volumes).toBeUndefined();
    const loud = { serviceAccountName: "quiet", automountServiceAccountToken: true };
    expect((await mutated(pod({ containers: [container()], ...loud }))).volumes).toHaveLength(1);
  });

  test("leaves updates, subresources and mirror pods alone", async () => {
    const { step } = setUp();
    const mirror = pod(undefined, { "kubernetes.io/config.mirror": "hash" });
    const cases = [
      admissionCall("UPDATE", "pods", pod()),
      admissionCall("CREATE", "pods", pod(), { subresource: "binding" }),
      admissionCall("CREATE", "pods", mirror),
    ];
    for (const attributes of cases) {
      await step(attributes);
      expect(attributes.object?.["spec"]).toEqual({ containers: [container()] });
    }
  });

  test("refuses an account that does not exist", async () => {
    const object = pod({ serviceAccountName: "x", containers: [] });
    expect(await refusalOf(setUp().step, admissionCall("CREATE", "pods", object))).toEqual({
      code: 403,
      message:
        'pods "p" is forbidden: error looking up service account ns/x: serviceaccount "x" not found',
    });
  });

  test("waits a moment for the default account of a new namespace", async () => {
    const { host, held, step } = setUp();
    const object = { metadata: { generateName: "p-", namespace: "new" }, spec: { containers: [] } };
    let done = false;
    const pending = Promise.resolve(step(admissionCall("CREATE", "pods", object))).then(() => {
      done = true;
    });
    await host.advance(100);
    held.put("serviceaccounts", { metadata: { name: "default", namespace: "new" } });
    await host.advance(100);
    await pending;
    expect(done).toBe(true);
  });
});

describe("serviceAccountValidation", () => {
  const step = serviceAccountValidation(setUp().held);
  const mirror = (spec: object) => pod(spec, { "kubernetes.io/config.mirror": "hash" });

  test.each<[string, KubeObject, string]>([
    ["no account", pod({}), "no service account specified for pod ns/p"],
    [
      "a lost account",
      pod({ serviceAccountName: "x" }),
      'error looking up service account ns/x: serviceaccount "x" not found',
    ],
    [
      "a mirror pod with an account",
      mirror({ serviceAccountName: "default" }),
      "a mirror pod may not reference service accounts",
    ],
    [
      "a mirror pod with a secret",
      mirror({ volumes: [{ name: "v", secret: { secretName: "s" } }] }),
      "a mirror pod may not reference secrets",
    ],
    [
      "a mirror pod with a token",
      mirror({ volumes: [volume("v")] }),
      "a mirror pod may not use ServiceAccountToken volume projections",
    ],
  ])("refuses %s", async (_, object, why) => {
    expect(await refusalOf(step, admissionCall("CREATE", "pods", object))).toEqual({
      code: 403,
      message: `pods "p" is forbidden: ${why}`,
    });
  });

  test("passes what has its account, and plain mirror pods", async () => {
    for (const object of [
      pod({ serviceAccountName: "default" }),
      mirror({ containers: [container()] }),
    ]) {
      expect(await refusalOf(step, admissionCall("CREATE", "pods", object))).toBeUndefined();
    }
  });
});
