// Synthetic objects of known size.

const lorem = "the quick brown fox jumps over the lazy dog and runs on along the river bank ";

function filler(seed: number, length: number): string {
  const start = seed % lorem.length;
  return (lorem.slice(start) + lorem.repeat(Math.ceil(length / lorem.length))).slice(0, length);
}

/** About 6 KB of JSON as served: containers with env, mounts and probes, annotations, a full status is not sent. */
export function fullPod(index: number, nodes: number): string {
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
      name: `pod-${String(index).padStart(6, "0")}`,
      labels: {
        app: `app-${index % 100}`,
        "pod-template-hash": `${index % 1000}`,
        tier: "backend",
      },
      annotations: {
        "example.com/config-checksum": filler(index, 64),
        "example.com/notes": filler(index + 7, 560),
      },
    },
    spec: {
      nodeName: `node-${index % nodes}`,
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
