// The measured stories. Each takes a target and, where the server is ours, its pid; each reports figures and leaves
// nothing running.
import type { ClientHttp2Stream } from "node:http2";
import type { Report } from "./figures.ts";
import { LoadClient, type Target, inParallel, quantile } from "./load-client.ts";
import { configMap, fullPod } from "./objects.ts";
import { cpuSeconds, memoryOf, resetPeak } from "./server-process.ts";

export interface Subject {
  readonly target: Target;
  /** Absent for a server that is not ours: CPU and memory cannot be told. */
  readonly pid?: number;
}

const mib = 1024 * 1024;
const podsPerNode = 110;
const namespace = "bench";

export async function createNamespace(subject: Subject): Promise<void> {
  const client = new LoadClient(subject.target);
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace },
  });
  await client.send("POST", "/api/v1/namespaces", body);
  client.close();
}

/** Pods `from` to `to`, 64 at a time over 8 connections. */
export async function populate(subject: Subject, from: number, to: number): Promise<void> {
  const clients = Array.from({ length: 8 }, () => new LoadClient(subject.target));
  const nodes = Math.ceil(to / podsPerNode);
  await inParallel(to - from, 64, async (index) => {
    const client = clients[index % clients.length] ?? clients[0];
    if (client === undefined) return;
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const answer = await client.send("POST", path, fullPod(from + index, nodes), true);
    if (answer.status !== 201)
      throw new Error(`creating a pod answered ${answer.status}: ${answer.body.toString()}`);
  });
  for (const client of clients) client.close();
}

export async function measureLists(subject: Subject, report: Report): Promise<void> {
  const clients = Array.from({ length: 10 }, () => new LoadClient(subject.target));
  const list = (client: LoadClient) => client.send("GET", "/api/v1/pods");
  const first = clients[0];
  if (first === undefined) return;
  const warm = await list(first);
  report({ what: "LIST of all pods: body", value: warm.size / mib, unit: "MiB" });
  const cpuBefore = subject.pid === undefined ? 0 : cpuSeconds(subject.pid);
  const rounds = 5;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push((await list(first)).ms);
  report({ what: "LIST of all pods: time", value: quantile(times, 0.5), unit: "ms" });
  if (subject.pid !== undefined)
    report({
      what: "LIST of all pods: server CPU",
      value: (cpuSeconds(subject.pid) - cpuBefore) / rounds,
      unit: "s",
      goal: { atMost: 0.45 },
    });
  await tenAtOnce(subject, clients, report);
  for (const client of clients) client.close();
}

async function tenAtOnce(
  subject: Subject,
  clients: readonly LoadClient[],
  report: Report,
): Promise<void> {
  const bystander = new LoadClient(subject.target);
  const { pid } = subject;
  if (pid !== undefined) resetPeak(pid);
  const before = pid === undefined ? 0 : memoryOf(pid).rss;
  let listing = true;
  const gets: number[] = [];
  const probing = (async () => {
    while (listing) {
      gets.push(
        (await bystander.send("GET", `/api/v1/namespaces/${namespace}/pods/pod-000001`)).ms,
      );
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  await Promise.all(clients.map((client) => client.send("GET", "/api/v1/pods")));
  listing = false;
  await probing;
  if (pid !== undefined)
    report({
      what: "ten LISTs at once: RSS growth at the peak",
      value: (memoryOf(pid).peak - before) / mib,
      unit: "MiB",
      goal: { atMost: 64 },
    });
  report({
    what: "GET meanwhile: p99",
    value: quantile(gets, 0.99),
    unit: "ms",
    goal: { atMost: 20 },
  });
  bystander.close();
}

/** Server CPU of one LIST of a node's pods, in ms; undefined for a foreign server. */
export async function measureNodeList(
  subject: Subject,
  pods: number,
  report: Report,
): Promise<number | undefined> {
  const clients = Array.from({ length: 16 }, () => new LoadClient(subject.target));
  const nodes = Math.ceil(pods / podsPerNode);
  const ask = async (index: number): Promise<void> => {
    const node = `node-${(index * 7) % nodes}`;
    const client = clients[index % clients.length];
    const answer = await client?.send("GET", `/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`);
    if (answer?.status !== 200) throw new Error(`LIST of ${node} answered ${answer?.status}`);
  };
  await inParallel(300, 16, ask);
  const before = subject.pid === undefined ? 0 : cpuSeconds(subject.pid);
  const requests = 2000;
  const times = await inParallel(requests, 16, ask);
  for (const client of clients) client.close();
  const name = `LIST of one node among ${pods.toLocaleString("en-US")} pods`;
  report({ what: `${name}: p99`, value: quantile(times, 0.99), unit: "ms" });
  if (subject.pid === undefined) return undefined;
  const cpu = ((cpuSeconds(subject.pid) - before) / requests) * 1000;
  report({ what: `${name}: server CPU`, value: cpu, unit: "ms", goal: { atMost: 1.8 } });
  return cpu;
}

export async function measureWatches(subject: Subject, report: Report): Promise<void> {
  const objects = 10_000;
  const writer = new LoadClient(subject.target);
  await inParallel(objects, 64, async (index) => {
    await writer.send("POST", path("configmaps"), configMap(`watched-${index}`, index));
  });
  const few = await watchAndWrite(subject, 100, writer);
  const many = await watchAndWrite(subject, objects, writer);
  writer.close();
  if (subject.pid === undefined) return;
  report({
    what: "10,000 watches on single objects: RSS each",
    value: many.bytesPerWatch / 1024,
    unit: "KiB",
    goal: { atMost: 25 },
  });
  report({ what: "write + event, 100 watches: server CPU", value: few.cpuMicros, unit: "us" });
  report({ what: "write + event, 10,000 watches: server CPU", value: many.cpuMicros, unit: "us" });
  report({
    what: "the same as a ratio",
    value: many.cpuMicros / few.cpuMicros,
    unit: "x",
    goal: { atMost: 1.5 },
  });
}

interface WatchCost {
  readonly bytesPerWatch: number;
  /** Server CPU of a PATCH and the delivery of its event. */
  readonly cpuMicros: number;
}

async function watchAndWrite(
  subject: Subject,
  watches: number,
  writer: LoadClient,
): Promise<WatchCost> {
  const { pid } = subject;
  const streamsPerConnection = 10;
  const memoryBefore = pid === undefined ? 0 : memoryOf(pid).rss;
  const clients: LoadClient[] = [];
  let delivered = 0;
  for (let index = 0; index < watches; index++) {
    if (index % streamsPerConnection === 0) clients.push(new LoadClient(subject.target));
    const stream = clients.at(-1)?.open("GET", watchPath(index));
    if (stream === undefined) continue;
    stream.on("data", () => delivered++);
    await answered(stream);
  }
  const memoryAfter = pid === undefined ? 0 : memoryOf(pid).rss;
  const writes = 4000;
  const write = async (index: number): Promise<void> => {
    const name = `watched-${(index * 13) % watches}`;
    const patch = JSON.stringify({ data: { n: `${watches}-${index}` } });
    const answer = await writer.send("PATCH", `${path("configmaps")}/${name}`, patch);
    if (answer.status !== 200) throw new Error(`PATCH of ${name} answered ${answer.status}`);
  };
  await inParallel(500, 16, write);
  const cpuBefore = pid === undefined ? 0 : cpuSeconds(pid);
  delivered = 0;
  await inParallel(writes, 16, (index) => write(index + 500));
  while (delivered < writes) await new Promise((resolve) => setTimeout(resolve, 5));
  const cpuMicros = pid === undefined ? 0 : ((cpuSeconds(pid) - cpuBefore) / writes) * 1e6;
  for (const client of clients) client.close();
  return { bytesPerWatch: (memoryAfter - memoryBefore) / watches, cpuMicros };
}

function path(resource: string): string {
  return `/api/v1/namespaces/${namespace}/${resource}`;
}

/** From now on: the initial state would be one event a watch. */
function watchPath(index: number): string {
  const selector = encodeURIComponent(`metadata.name=watched-${index}`);
  return `${path("configmaps")}?watch=true&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&fieldSelector=${selector}`;
}

function answered(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once("error", reject);
    stream.once("response", (headers) =>
      headers[":status"] === 200
        ? resolve()
        : reject(new Error(`watch answered ${headers[":status"]}`)),
    );
  });
}

/** Durable creates of 2 KB objects by 64 clients. Gives creates a second. */
export async function measureCreates(
  subject: Subject,
  store: string,
  report: Report,
): Promise<number> {
  const clients = Array.from({ length: 64 }, () => new LoadClient(subject.target));
  const create = async (prefix: string, index: number): Promise<void> => {
    const body = configMap(`${prefix}-${index}`, index);
    const answer = await clients[index % clients.length]?.send("POST", path("configmaps"), body);
    if (answer?.status !== 201) throw new Error(`create answered ${answer?.status}`);
  };
  await inParallel(2000, 64, (index) => create(`warm-${store}`, index));
  const cpuBefore = subject.pid === undefined ? 0 : cpuSeconds(subject.pid);
  const began = performance.now();
  const count = 20_000;
  const times = await inParallel(count, 64, (index) => create(`made-${store}`, index));
  const rate = count / ((performance.now() - began) / 1000);
  for (const client of clients) client.close();
  report({
    what: `creates on ${store}, 64 clients: rate`,
    value: rate,
    unit: "/s",
    ...(store === "lmdb" ? { goal: { atLeast: 2500 } } : {}),
  });
  report({ what: `creates on ${store}: p99`, value: quantile(times, 0.99), unit: "ms" });
  if (subject.pid !== undefined)
    report({
      what: `creates on ${store}: server CPU each`,
      value: ((cpuSeconds(subject.pid) - cpuBefore) / count) * 1e6,
      unit: "us",
    });
  return rate;
}
