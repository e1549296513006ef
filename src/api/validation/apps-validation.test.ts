import { refusalTests, updateRefusalTests } from "./refusal.testbed.ts";

const workload = (spec: object): object => ({
  spec: {
    selector: { matchLabels: { app: "db" } },
    template: {
      metadata: { labels: { app: "db" } },
      spec: { containers: [{ name: "c", image: "i", volumeMounts: [mount] }], ...spec },
    },
  },
});
const mount = { name: "data", mountPath: "/data" };
const notFound = 'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"';
const deadline = (kind: string): string =>
  `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${kind} is not Supported`;

const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const stateful = (more: object, pod: object = {}): { spec: object } => {
  const { spec } = workload(pod) as { spec: object };
  return { spec: { ...spec, volumeClaimTemplates: [claim], ...more } };
};

refusalTests("apps.v1.StatefulSet", [
  ["mounts a claim that only its pods will have", stateful({})],
  ["mounts a volume nobody has", stateful({ volumeClaimTemplates: [] }), notFound],
  [
    "claims nothing",
    stateful({ volumeClaimTemplates: [{ metadata: { name: "data" }, spec: {} }] }),
    "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
    "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
  ],
  [
    "a claim without a name",
    stateful({ volumeClaimTemplates: [{ ...claim, metadata: {} }] }),
    "spec.template.spec.volumes[0].persistentVolumeClaim.claimName: Required value",
    "spec.template.spec.volumes[0].name: Required value",
    notFound,
  ],
  [
    "a service that cannot be",
    stateful({ serviceName: "Bad Value!" }),
    `spec.serviceName: Invalid value: "Bad Value!": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
  ],
  [
    "ends its pods",
    stateful({}, { activeDeadlineSeconds: 5, restartPolicy: "Never" }),
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    deadline("StatefulSet"),
  ],
]);

const broken = stateful({ volumeClaimTemplates: [] });
updateRefusalTests("apps.v1.StatefulSet", [
  ["a template that was bad before", broken, { spec: { ...broken.spec, replicas: 2 } }],
  [
    "a template that becomes bad",
    stateful({}),
    stateful({}, { containers: [] }),
    "spec.template.spec.containers: Required value",
  ],
]);

refusalTests("apps.v1.Deployment", [
  [
    "mounts a volume nobody has",
    workload({ activeDeadlineSeconds: 5 }),
    notFound,
    deadline("ReplicaSet"),
  ],
]);

refusalTests("apps.v1.DaemonSet", [
  [
    "mounts a volume nobody has",
    workload({ activeDeadlineSeconds: 5 }),
    notFound,
    deadline("DaemonSet"),
  ],
]);
