import { refusalTests } from "./refusal.testbed.ts";

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

refusalTests("apps.v1.StatefulSet", [
  ["mounts a claim that only its pods will have", workload({})],
  [
    "ends its pods",
    workload({ activeDeadlineSeconds: 5, restartPolicy: "Never" }),
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    deadline("StatefulSet"),
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
