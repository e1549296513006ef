// A whole cluster as kubectl sees it: controllers, scheduler and simulated nodes beside the server, in real time.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;
let kubectl: Kubectl;

beforeAll(async () => {
  server = await startServer({ nodes: 3 });
  kubectl = kubectlFor("36", server.kubeconfig);
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

const waitFor = (...args: string[]): Promise<string> =>
  kubectl.ok(["wait", "--timeout=60s", ...args]);

it("has nodes that are ready", async () => {
  await waitFor("--for=condition=Ready", "node", "--all");
  expect(await kubectl.ok(["get", "nodes"])).toMatch(/^node-1 +Ready +<none> +\d+s +v1\.36\.0$/m);
});

it("rolls a Deployment out, forth and back", async () => {
  await kubectl.ok(["create", "deployment", "web", "--image=nginx:1", "--replicas=3"]);
  await kubectl.ok(["rollout", "status", "deployment/web", "--timeout=60s"]);
  expect(await kubectl.ok(["get", "deployment", "web"])).toMatch(/^web +3\/3 +3 +3 +\d+s$/m);
  await kubectl.ok(["set", "image", "deployment/web", "nginx=nginx:2"]);
  await kubectl.ok(["rollout", "status", "deployment/web", "--timeout=60s"]);
  await kubectl.ok(["rollout", "undo", "deployment/web"]);
  await kubectl.ok(["rollout", "status", "deployment/web", "--timeout=60s"]);
  const images = [
    "get",
    "pods",
    "-l",
    "app=web",
    "-o",
    "jsonpath={.items[*].spec.containers[0].image}",
  ];
  await kubectl.ok(["scale", "deployment/web", "--replicas=5"]);
  await kubectl.ok(["rollout", "status", "deployment/web", "--timeout=60s"]);
  const running = ["--field-selector=status.phase=Running"];
  expect((await kubectl.ok([...images, ...running])).split(" ")).toContain("nginx:1");
  const history = await kubectl.ok(["rollout", "history", "deployment/web"]);
  expect(history).toMatch(/^3 +<none>$/m);
  expect(await kubectl.ok(["describe", "deployment", "web"])).toContain("ScalingReplicaSet");
});

it("keeps a Service's endpoints", async () => {
  await kubectl.ok(["expose", "deployment", "web", "--port=80"]);
  await waitFor(
    "--for=jsonpath={.endpoints[4].conditions.ready}=true",
    "endpointslice",
    "-l",
    "kubernetes.io/service-name=web",
  );
  const slices = await kubectl.json([
    "get",
    "endpointslices",
    "-l",
    "kubernetes.io/service-name=web",
  ]);
  expect(slices.items[0].endpoints).toHaveLength(5);
});

it("runs Jobs, StatefulSets and DaemonSets", async () => {
  await kubectl.ok(["create", "job", "once", "--image=busybox", "--", "true"]);
  await waitFor("--for=condition=complete", "job/once");
  const set = (kind: string, name: string, more: string): string => `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  ${more}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: c, image: busybox}]}
`;
  const replicas = "serviceName: db\n  replicas: 2";
  await kubectl.ok(["apply", "-f", "-"], set("StatefulSet", "db", replicas));
  await kubectl.ok(["apply", "-f", "-"], set("DaemonSet", "agent", ""));
  await kubectl.ok(["rollout", "status", "statefulset/db", "--timeout=60s"]);
  await kubectl.ok(["rollout", "status", "daemonset/agent", "--timeout=60s"]);
  expect(await kubectl.ok(["get", "pods", "-l", "app=db", "-o", "name"])).toBe(
    "pod/db-0\npod/db-1\n",
  );
  const agents = await kubectl.json(["get", "pods", "-l", "app=agent"]);
  expect(
    agents.items.map((pod: { spec: { nodeName: string } }) => pod.spec.nodeName).sort(),
  ).toEqual(["node-1", "node-2", "node-3"]);
});

it("collects what is owned, and drains namespaces", async () => {
  await kubectl.ok(["create", "namespace", "shop"]);
  await kubectl.ok(["-n", "shop", "create", "deployment", "cart", "--image=nginx", "--replicas=4"]);
  await kubectl.ok(["-n", "shop", "rollout", "status", "deployment/cart", "--timeout=60s"]);
  await kubectl.ok(["delete", "namespace", "shop", "--timeout=60s"]);
  expect(await kubectl.fails(["get", "namespace", "shop"])).toContain(
    'namespaces "shop" not found',
  );
  await kubectl.ok(["delete", "statefulset", "db"]);
  await waitFor("--for=delete", "pod", "-l", "app=db");
});

it("respects a PodDisruptionBudget when a node is drained", async () => {
  await kubectl.ok([
    "create",
    "poddisruptionbudget",
    "web",
    "--selector=app=web",
    "--min-available=5",
  ]);
  await waitFor("--for=jsonpath={.status.currentHealthy}=5", "poddisruptionbudget/web");
  const drain = ["drain", "node-1", "--ignore-daemonsets", "--force"];
  const blocked = await kubectl.fails([...drain, "--timeout=2s"]);
  expect(blocked).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
  await kubectl.ok(["delete", "poddisruptionbudget", "web"]);
  await kubectl.ok([...drain, "--timeout=60s"]);
  expect(await kubectl.ok(["get", "nodes"])).toMatch(/^node-1 +Ready,SchedulingDisabled /m);
  await kubectl.ok(["rollout", "status", "deployment/web", "--timeout=60s"]);
  await kubectl.ok(["uncordon", "node-1"]);
});
