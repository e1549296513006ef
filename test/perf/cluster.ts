// The cluster at work: nodes come, pods are scheduled, run and go, Deployments roll out, full namespaces are emptied; all
// the while somebody else wants small answers.
import { startServer, type Server } from "../wire/server.ts";
import { startBystander } from "./bystander.ts";
import { EventCount } from "./event-count.ts";
import type { Report } from "./figures.ts";
import { LoadClient, inParallel, quantile } from "./load-client.ts";
import { printCounts, requestCounts } from "./request-count.ts";
import { configMap, smallDeployment, smallPod } from "./objects.ts";
import { cpuSeconds } from "./server-process.ts";
import { type Subject, createNamespace, namespace, path, takeLoopLag } from "./subject.ts";
import { readKubeconfig } from "../../src/host/node/kubeconfig-credentials.ts";

export interface ClusterSize {
  readonly nodes: number;
  readonly pods: number;
  readonly deployments: number;
  /** In a namespace that is deleted. */
  readonly contents: number;
  /** Where the server's CPU profile goes when it ends; undefined: none is taken. */
  readonly profile: string | undefined;
}

/** As kwok's own benchmark raises the limits of the components that it starts. */
const rates = ["--kube-api-qps=5000", "--kube-api-burst=5000"];
const withinMs = { atMost: 60_000 };

export async function measureCluster(
  size: ClusterSize,
  stories: ReadonlySet<string>,
  report: Report,
): Promise<void> {
  const began = performance.now();
  const { nodes, profile } = size;
  const nodeFlags = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const server = await startServer({ flags: rates, nodes, nodeFlags });
  try {
    const stage = await Stage.set(server, report);
    await nodesReady(stage, size.nodes, began);
    if (stories.has("pods")) await podsComeAndGo(stage, size.pods);
    if (stories.has("deployments")) await deploymentsReady(stage, size.deployments);
    if (stories.has("namespaces")) {
      await namespaceOf(stage, "configmaps", size.contents);
      await namespaceOf(stage, "pods", size.contents);
    }
    if (stories.has("force")) await forceDeletion(stage, size.pods);
    stage.close();
  } catch (error) {
    console.error(error);
    throw error;
  } finally {
    await server.stop();
    process.stderr.write(server.stderr());
  }
}

/** What the stories share. */
class Stage {
  readonly subject: Subject & { readonly pid: number };
  readonly clients: readonly LoadClient[];
  readonly report: Report;

  private constructor(server: Server, report: Report) {
    const { kubeconfig, pid } = server;
    this.subject = { target: readKubeconfig(kubeconfig), kubeconfig, pid };
    this.clients = Array.from({ length: 8 }, () => new LoadClient(this.subject.target));
    this.report = report;
  }

  static async set(server: Server, report: Report): Promise<Stage> {
    const stage = new Stage(server, report);
    await createNamespace(stage.client(0));
    const body = configMap("bystander", 1);
    await stage.client(0).expect(201, "POST", path("configmaps"), { body });
    return stage;
  }

  client(index: number): LoadClient {
    return this.clients[index % this.clients.length]!;
  }

  close(): void {
    for (const client of this.clients) client.close();
  }

  /** Runs `work` beside a bystander, and tells its time, its cost and what the bystander had to wait. */
  async act(what: string, work: () => Promise<void>): Promise<number> {
    const { kubeconfig, pid } = this.subject;
    const bystander = await startBystander(kubeconfig, path("configmaps/bystander"));
    await takeLoopLag(this.client(7));
    const countsBefore = await requestCounts(this.client(7));
    const [began, cpuBefore] = [performance.now(), cpuSeconds(pid)];
    await work();
    const [ms, cpu] = [performance.now() - began, cpuSeconds(pid) - cpuBefore];
    const gets = await bystander.stop();
    const lag = await takeLoopLag(this.client(7));
    console.error(printCounts(countsBefore, await requestCounts(this.client(7))));
    this.report({ what, value: ms, unit: "ms", goal: withinMs });
    this.report({ what: `${what}: server CPU`, value: cpu, unit: "s" });
    const goal = { atMost: 100 };
    this.report({ what: `${what}: GET p99`, value: quantile(gets, 0.99), unit: "ms", goal });
    if (lag !== undefined)
      this.report({ what: `${what}: event loop's lag p99`, value: lag.p99Ms, unit: "ms" });
    return ms;
  }
}

async function nodesReady(stage: Stage, nodes: number, began: number): Promise<void> {
  const { subject, report } = stage;
  const ready = new Set<string>();
  const client = stage.client(1);
  const stream = client.open("GET", "/api/v1/nodes?watch=true");
  await new Promise<void>((resolve, reject) => {
    stream.once("error", reject);
    let rest = "";
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const { object } = JSON.parse(line) as NodeEvent;
        const condition = object.status?.conditions?.find(({ type }) => type === "Ready");
        if (condition?.status === "True") ready.add(object.metadata.name);
      }
      if (ready.size >= nodes) resolve();
    });
  });
  stream.close();
  const what = `${nodes.toLocaleString("en-US")} nodes Ready, from the start of the process`;
  report({ what, value: performance.now() - began, unit: "ms", goal: withinMs });
  report({ what: `${what}: server CPU`, value: cpuSeconds(subject.pid), unit: "s" });
}

interface NodeEvent {
  readonly object: {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
  };
}

async function podsComeAndGo(stage: Stage, pods: number): Promise<void> {
  const count = pods.toLocaleString("en-US");
  await stage.act(`${count} pods Running`, () => runPods(stage, namespace, pods));
  const gone = await EventCount.open(stage.client(2), path("pods"), "DELETED");
  await stage.act(`${count} pods deleted, one by one`, async () => {
    await inParallel(pods, 64, async (index) => {
      await stage.client(index).expect(200, "DELETE", path(`pods/small-${index}`));
    });
    await gone.reach(pods);
  });
  gone.stop();
}

async function runPods(stage: Stage, inNamespace: string, pods: number): Promise<void> {
  const collection = `/api/v1/namespaces/${inNamespace}/pods`;
  const running = `${collection}?fieldSelector=status.phase%3DRunning`;
  const seen = await EventCount.open(stage.client(2), running, "ADDED");
  await inParallel(pods, 64, async (index) => {
    await stage.client(index).expect(201, "POST", collection, { body: smallPod(index) });
  });
  await seen.reach(pods);
  seen.stop();
}

async function deploymentsReady(stage: Stage, count: number): Promise<void> {
  const ready = new Set<string>();
  const collection = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const stream = stage.client(3).open("GET", `${collection}?watch=true`);
  let done: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (done = resolve));
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { object } = JSON.parse(line) as DeploymentEvent;
      if ((object.status?.readyReplicas ?? 0) > 0) ready.add(object.metadata.name);
    }
    if (ready.size >= count) done();
  });
  const what = `${count} Deployments ready`;
  const ms = await stage.act(what, async () => {
    await inParallel(count, 32, async (index) => {
      const body = smallDeployment(index);
      await stage.client(index).expect(201, "POST", collection, { body });
    });
    await all;
  });
  stream.close();
  const goal = { atLeast: 100 };
  stage.report({ what: `${what}: rate`, value: count / (ms / 1000), unit: "/s", goal });
}

interface DeploymentEvent {
  readonly object: {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly readyReplicas?: number };
  };
}

/** Fills a namespace and deletes it. */
async function namespaceOf(
  stage: Stage,
  resource: "configmaps" | "pods",
  count: number,
): Promise<void> {
  const name = `${namespace}-${resource}`;
  const client = stage.client(0);
  const all = "/api/v1/namespaces";
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await client.expect(201, "POST", all, { body });
  const collection = `${all}/${name}/${resource}`;
  if (resource === "pods") await runPods(stage, name, count);
  else
    await inParallel(count, 64, async (index) => {
      const text = configMap(`full-${index}`, index);
      await stage.client(index).expect(201, "POST", collection, { body: text });
    });
  const gone = await EventCount.open(
    stage.client(2),
    `${all}?fieldSelector=metadata.name%3D${name}`,
    "DELETED",
  );
  const what = `namespace of ${count.toLocaleString("en-US")} ${resource} deleted`;
  await stage.act(what, async () => {
    await client.expect(200, "DELETE", `${all}/${name}`);
    await gone.reach(1);
  });
  gone.stop();
}

/** Pods of nodes that lost power, as `kubectl delete pods --all --force --grace-period=0` deletes them. */
async function forceDeletion(stage: Stage, pods: number): Promise<void> {
  await runPods(stage, namespace, pods);
  const list = await stage.client(0).expect(200, "GET", path("pods"), { keep: true });
  const { items } = JSON.parse(list.body.toString()) as {
    items: { metadata: { name: string }; spec: { nodeName: string } }[];
  };
  const nodes = [...new Set(items.map(({ spec }) => spec.nodeName))];
  const body = JSON.stringify({ metadata: { annotations: { "wavetank.dev/power": "off" } } });
  await inParallel(nodes.length, 32, async (index) => {
    await stage.client(index).expect(200, "PATCH", `/api/v1/nodes/${nodes[index]}`, { body });
  });
  const gone = await EventCount.open(stage.client(2), path("pods"), "DELETED");
  const what = `${pods.toLocaleString("en-US")} pods of dead nodes deleted by force`;
  await stage.act(what, async () => {
    await inParallel(items.length, 64, async (index) => {
      const target = path(`pods/${items[index]!.metadata.name}?gracePeriodSeconds=0`);
      await stage.client(index).expect(200, "DELETE", target);
    });
    await gone.reach(items.length);
  });
  gone.stop();
}
