import { expect, test } from "vitest";
import { refusalTests, updateRefusals, updateRefusalTests } from "./refusal.testbed.ts";

const size = (storage: string): object => ({ resources: { requests: { storage } } });
const claim = (more: object = {}): object => ({
  spec: { accessModes: ["ReadWriteOnce"], ...size("1Gi"), ...more },
});

refusalTests("core.v1.PersistentVolumeClaim", [
  ["good", claim()],
  [
    "nothing",
    {},
    "spec.accessModes: Required value: at least 1 access mode is required",
    "spec.resources[storage]: Required value",
  ],
  [
    "modes",
    claim({ accessModes: ["x", "ReadWriteOncePod", "ReadWriteOnce"], volumeMode: "y" }),
    'spec.accessModes: Unsupported value: "x": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
    'spec.volumeMode: Unsupported value: "y": supported values: "Block", "Filesystem"',
  ],
  [
    "size",
    claim(size("0")),
    'spec.resources[storage]: Invalid value: "0": must be greater than zero',
  ],
  [
    "source",
    claim({ dataSource: { kind: "Pod", name: "" } }),
    "spec.dataSource.name: Required value",
    "spec.dataSource: Invalid value: \"Pod\": must be 'PersistentVolumeClaim' when referencing the default apiGroup",
  ],
]);

const bound = (more: object, capacity = "1Gi"): object => ({
  ...claim({ volumeName: "v", storageClassName: "fast", ...more }),
  status: { phase: "Bound", capacity: { storage: capacity } },
});
updateRefusalTests("core.v1.PersistentVolumeClaim", [
  ["bound at last", claim(), claim({ volumeName: "v" })],
  ["given a class", claim(), claim({ storageClassName: "fast" })],
  ["grown", bound({}), bound(size("2Gi"))],
  [
    "another class of attributes",
    bound({ volumeAttributesClassName: "a" }),
    bound({ volumeAttributesClassName: "b" }),
  ],
  [
    "shrunk below its capacity",
    bound(size("2Gi"), "2Gi"),
    bound(size("1Gi"), "2Gi"),
    "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity",
  ],
  ["taken back while growing", bound(size("3Gi")), bound(size("2Gi"))],
  [
    "grown before it was bound",
    claim(),
    claim(size("2Gi")),
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n- resources.requests.storage: "1Gi"\n+ resources.requests.storage: "2Gi"',
  ],
]);

test("a class is not exchanged", () => {
  const [complaint] = updateRefusals("core.v1.PersistentVolumeClaim", [
    bound({}),
    bound({ storageClassName: "slow" }),
  ]);
  expect(complaint).toBe(
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n- storageClassName: "fast"\n+ storageClassName: "slow"',
  );
});

const volume = (more: object = {}): object => ({
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    hostPath: { path: "/a" },
    ...more,
  },
});

refusalTests("core.v1.PersistentVolume", [
  ["good", volume()],
  [
    "nothing",
    {},
    "spec.accessModes: Required value",
    "spec.capacity: Required value",
    'spec.capacity: Unsupported value: null: supported values: "storage"',
    "spec: Required value: must specify a volume type",
  ],
  [
    "two sources",
    volume({ nfs: { server: "s", path: "/" } }),
    "spec.nfs: Forbidden: may not specify more than 1 volume type",
  ],
  [
    "policy",
    volume({ persistentVolumeReclaimPolicy: "x" }),
    'spec.persistentVolumeReclaimPolicy: Unsupported value: "x": supported values: "Delete", "Recycle", "Retain"',
  ],
  [
    "affinity",
    volume({ nodeAffinity: {} }),
    "spec.nodeAffinity.required: Required value: must specify required node constraints",
  ],
  [
    "CSI",
    volume({ hostPath: undefined, csi: { driver: "", volumeHandle: "" } }),
    "spec.csi.driver: Required value",
    "spec.csi.volumeHandle: Required value",
  ],
]);
updateRefusalTests("core.v1.PersistentVolume", [
  ["more room", volume(), volume({ capacity: { storage: "2Gi" } })],
  [
    "another source",
    volume(),
    volume({ hostPath: { path: "/b", type: "" } }),
    'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n- hostPath.path: "/a"\n+ hostPath.path: "/b"',
  ],
  [
    "another mode",
    volume(),
    volume({ volumeMode: "Block" }),
    'volumeMode: Invalid value: "Block": field is immutable',
  ],
]);
