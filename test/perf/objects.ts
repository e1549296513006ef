// Synthetic objects of known size.

const lorem = "the quick brown fox jumps over the lazy dog and runs on along the river bank ";

function filler(seed: number, length: number): string {
  const start = seed % lorem.length;
  return (lorem.slice(start) + lorem.repeat(Math.ceil(length / lorem.length))).slice(0, length);
}

export function podName(index: number): string {
  return `pod-${String(index).padStart(6, "0")}`;
}

export const podsPerNode = 110;
/** Nodes fill up so many at a time, turn by turn, so that a node's pods lie scattered among others'. */
const nodesPerBlock = 16;

/** Nodes that hold all their pods when there are `pods` of them: every one has the same number, however many there are. */
export function fullNodes(pods: number): number {
  return Math.floor(pods / (podsPerNode * nodesPerBlock)) * nodesPerBlock;
}

function nodeOf(index: number): string {
  const block = Math.floor(index / (podsPerNode * nodesPerBlock));
  return `node-${block * nodesPerBlock + (index % nodesPerBlock)}`;
}

/** About 6 KB of JSON as served: containers with env, mounts and probes, annotations; its status is short. */
export function fullPod(index: number): string {
  const container = (name: string): object => ({
    name,
    image: `registry.example/team/${name}:v1.${index % 50}.3`,
    args: ["--config=/etc/app/config.yaml", `--shard=${index}`, "--log-level=info"],
    env: Array.from({ length: 12 }, (_, n) => ({
      name: `SETTING_${n}`,
      value: filler(index + n, 40),
    })),
    ports: [{ name: "http", containerPort: 8080 }],
    resources: {
      requests: { cpu: "250m", memory: "256Mi" },
      limits: { cpu: "1", memory: "512Mi" },
    },
    volumeMounts: [
      { name: "config", mountPath: "/etc/app" },
      { name: "cache", mountPath: "/var/cache/app" },
    ],
    livenessProbe: { httpGet: { path: "/healthz", port: "http" }, initialDelaySeconds: 5 },
    readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
  });
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: podName(index),
      labels: {
        app: `app-${index % 100}`,
        "pod-template-hash": `${index % 1000}`,
        tier: "backend",
      },
      annotations: {
        "example.com/config-checksum": filler(index, 64),
        "example.com/notes": filler(index + 7, 740),
      },
    },
    spec: {
      nodeName: nodeOf(index),
      containers: [container("app"), container("sidecar")],
      volumes: [
        { name: "config", configMap: { name: `config-${index % 100}` } },
        { name: "cache", emptyDir: {} },
      ],
    },
  });
}

/** A ConfigMap of about 2 KB. */
export function configMap(name: string, seed: number): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    data: { text: filler(seed, 1800) },
  });
}

const smallTemplate = {
  containers: [
    {
      name: "app",
      image: "registry.example/app:v1",
      resources: { requests: { cpu: "10m", memory: "16Mi" } },
    },
  ],
};

/** As small as one writes them by hand. */
export function smallPod(index: number): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `small-${index}`, labels: { app: "small" } },
    spec: smallTemplate,
  });
}

/** Of one pod. */
export function smallDeployment(index: number): string {
  const labels = { app: `small-${index}` };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `small-${index}` },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: smallTemplate },
    },
  });
}
