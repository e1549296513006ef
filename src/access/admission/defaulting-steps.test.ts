import { expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import { admissionCall } from "../admission-call.testbed.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { createAdmissionChain } from "./chain.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";

const added = (key: string) => ({
  key: `node.kubernetes.io/${key}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
});

test.each([
  [[], [added("not-ready"), added("unreachable")]],
  [
    [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" }],
    [
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
      added("unreachable"),
    ],
  ],
  [[{ operator: "Exists" }], [{ operator: "Exists" }]],
  [
    [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
    [
      { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
      added("not-ready"),
      added("unreachable"),
    ],
  ],
])("tolerations %j", async (tolerations, result) => {
  const object: KubeObject = { metadata: { name: "p" }, spec: { tolerations } };
  await defaultTolerationSeconds(admissionCall("CREATE", "pods", object));
  expect(object["spec"]).toEqual({ tolerations: result });
});

test("claims get the newest default class", async () => {
  const made = (name: string, creationTimestamp: string, isDefault = "true"): KubeObject => ({
    metadata: {
      name,
      creationTimestamp,
      annotations: { "storageclass.kubernetes.io/is-default-class": isDefault },
    },
  });
  const held = new HeldObjects().put(
    "storageclasses.storage.k8s.io",
    made("a", "2026-01-01T00:00:00Z"),
    made("c", "2026-01-02T00:00:00Z"),
    made("b", "2026-01-02T00:00:00Z"),
    made("z", "2026-01-03T00:00:00Z", "false"),
  );
  const classOf = async (spec: object, annotations = {}) => {
    const object: KubeObject = { metadata: { name: "x", annotations }, spec };
    await defaultStorageClass(held)(admissionCall("CREATE", "persistentvolumeclaims", object));
    return (object["spec"] as { storageClassName?: string }).storageClassName;
  };
  expect(await classOf({})).toBe("b");
  expect(await classOf({ storageClassName: "" })).toBe("");
  expect(await classOf({}, { "volume.beta.kubernetes.io/storage-class": "old" })).toBeUndefined();
});

test.each([
  ["persistentvolumes", "kubernetes.io/pv-protection"],
  ["persistentvolumeclaims", "kubernetes.io/pvc-protection"],
  ["volumeattributesclasses.storage.k8s.io", "kubernetes.io/vac-protection"],
])("%s are held by %s", async (resource, finalizer) => {
  const object: KubeObject = { metadata: { name: "x", finalizers: ["a/b"] } };
  const chain = createAdmissionChain([storageObjectInUseProtection], []);
  await chain.mutate(admissionCall("CREATE", resource, object));
  await chain.mutate(admissionCall("CREATE", resource, object));
  expect(object.metadata.finalizers).toEqual(["a/b", finalizer]);
});
