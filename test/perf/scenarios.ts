// The measured stories. Each takes a target and, where the server is ours, its pid; each reports figures and leaves
// nothing running.
import { setTimeout as pause } from "node:timers/promises";
import type { ClientHttp2Stream } from "node:http2";
import { startBystander } from "./bystander.ts";
import type { Report } from "./figures.ts";
import { LoadClient, inParallel, quantile } from "./load-client.ts";
import { configMap, fullNodes, fullPod, podName } from "./objects.ts";
import { costOf, memoryOf, resetPeak } from "./server-process.ts";
import { type Subject, path, takeLoopLag } from "./subject.ts";

const mib = 1024 * 1024;

function connections(subject: Subject, count: number): readonly LoadClient[] {
  return Array.from({ length: count }, () => new LoadClient(subject.target));
}

function closeAll(clients: readonly LoadClient[]): void {
  for (const client of clients) client.close();
}

function oneOf<T>(values: readonly T[], index: number): T {
  return values[index % values.length]!;
}

/** Pods `from` to `to`, 64 at a time over 8 connections. */
export async function populate(subject: Subject, from: number, to: number): Promise<void> {
  const clients = connections(subject, 8);
  await inParallel(to - from, 64, async (index) => {
    const body = fullPod(from + index);
    await oneOf(clients, index).expect(201, "POST", path("pods"), { body });
  });
  closeAll(clients);
}

export async function measureLists(subject: Subject, report: Report): Promise<void> {
  const clients = connections(subject, 10);
  const list = (client: LoadClient) => client.expect(200, "GET", "/api/v1/pods");
  const first = oneOf(clients, 0);
  const warm = await list(first);
  report({ what: "LIST of all pods: body", value: warm.size / mib, unit: "MiB" });
  const rounds = 5;
  const { result, cpuSeconds } = await costOf(subject.pid, () =>
    inParallel(rounds, 1, async () => void (await list(first))),
  );
  report({ what: "LIST of all pods: time", value: quantile(result, 0.5), unit: "ms" });
  if (cpuSeconds !== undefined)
    report({
      what: "LIST of all pods: server CPU",
      value: cpuSeconds / rounds,
      unit: "s",
      goal: { atMost: 0.45 },
    });
  await tenAtOnce(subject, clients, report);
  closeAll(clients);
}

async function tenAtOnce(
  subject: Subject,
  clients: readonly LoadClient[],
  report: Report,
): Promise<void> {
  const { pid } = subject;
  const bystander = await startBystander(subject.kubeconfig, path(`pods/${podName(1)}`));
  const metrics = oneOf(clients, 0);
  await takeLoopLag(metrics);
  if (pid !== undefined) resetPeak(pid);
  const before = pid === undefined ? 0 : memoryOf(pid).rss;
  await Promise.all(clients.map((client) => client.expect(200, "GET", "/api/v1/pods")));
  const peak = pid === undefined ? 0 : memoryOf(pid).peak;
  const gets = await bystander.stop();
  const lag = await takeLoopLag(metrics);
  if (pid !== undefined)
    report({
      what: "ten LISTs at once: RSS growth at the peak",
      value: (peak - before) / mib,
      unit: "MiB",
      goal: { atMost: 64 },
    });
  const goal = { atMost: 20 };
  report({ what: "GET meanwhile: p99", value: quantile(gets, 0.99), unit: "ms", goal });
  if (lag === undefined) return;
  const what = "event loop's lag meanwhile";
  report({ what: `${what}: p99`, value: lag.p99Ms, unit: "ms", goal: { atMost: 10 } });
  report({ what: `${what}: longest`, value: lag.maxMs, unit: "ms" });
}

/** Server CPU of one LIST of a node's pods, in ms; undefined for a foreign server. */
export async function measureNodeList(
  subject: Subject,
  pods: number,
  report: Report,
): Promise<number | undefined> {
  const clients = connections(subject, 16);
  const nodes = fullNodes(pods);
  const ask = async (index: number): Promise<void> => {
    const selector = encodeURIComponent(`spec.nodeName=node-${(index * 7) % nodes}`);
    await oneOf(clients, index).expect(200, "GET", `/api/v1/pods?fieldSelector=${selector}`);
  };
  await inParallel(300, 16, ask);
  const requests = 2000;
  const { result, cpuSeconds } = await costOf(subject.pid, () => inParallel(requests, 16, ask));
  closeAll(clients);
  const name = `LIST of one node among ${pods.toLocaleString("en-US")} pods`;
  report({ what: `${name}: p99`, value: quantile(result, 0.99), unit: "ms" });
  if (cpuSeconds === undefined) return undefined;
  const cpu = (cpuSeconds / requests) * 1000;
  report({ what: `${name}: server CPU`, value: cpu, unit: "ms", goal: { atMost: 1.8 } });
  return cpu;
}

export async function measureWatches(subject: Subject, report: Report): Promise<void> {
  const objects = 10_000;
  const writer = new LoadClient(subject.target);
  await inParallel(objects, 64, async (index) => {
    const body = configMap(watchedName(index), index);
    await writer.expect(201, "POST", path("configmaps"), { body });
  });
  const few = await watchAndWrite(subject, 100, writer);
  const many = await watchAndWrite(subject, objects, writer);
  writer.close();
  if (few === undefined || many === undefined) return;
  report({
    what: "10,000 watches on single objects: RSS each",
    value: many.bytesPerWatch / 1024,
    unit: "KiB",
    goal: { atMost: 25 },
  });
  report({ what: "PATCH + event, 100 watches: server CPU", value: few.cpuMicros, unit: "us" });
  report({ what: "PATCH + event, 10,000 watches: server CPU", value: many.cpuMicros, unit: "us" });
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

const streamsPerConnection = 10;

async function watchAndWrite(
  subject: Subject,
  watches: number,
  writer: LoadClient,
): Promise<WatchCost | undefined> {
  const { pid } = subject;
  const memoryBefore = pid === undefined ? 0 : memoryOf(pid).rss;
  const clients = connections(subject, watches / streamsPerConnection);
  let delivered = 0;
  for (let index = 0; index < watches; index++) {
    const client = clients[Math.floor(index / streamsPerConnection)]!;
    const stream = client.open("GET", watchPath(index));
    stream.on("data", () => delivered++);
    await answered(stream);
  }
  const memoryAfter = pid === undefined ? 0 : memoryOf(pid).rss;
  const writes = 4000;
  const write = async (index: number): Promise<void> => {
    const name = watchedName((index * 13) % watches);
    const body = JSON.stringify({ data: { n: `${watches}-${index}` } });
    await writer.expect(200, "PATCH", path(`configmaps/${name}`), { body });
  };
  await inParallel(500, 16, write);
  delivered = 0;
  const { cpuSeconds } = await costOf(pid, async () => {
    await inParallel(writes, 16, (index) => write(index + 500));
    while (delivered < writes) await pause(5);
  });
  closeAll(clients);
  if (cpuSeconds === undefined) return undefined;
  const bytesPerWatch = (memoryAfter - memoryBefore) / watches;
  return { bytesPerWatch, cpuMicros: (cpuSeconds / writes) * 1e6 };
}

function watchedName(index: number): string {
  return `watched-${index}`;
}

/** From now on: the initial state would be one event a watch. */
function watchPath(index: number): string {
  const selector = encodeURIComponent(`metadata.name=${watchedName(index)}`);
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
  const clients = connections(subject, 64);
  const create = async (name: string, index: number): Promise<void> => {
    const body = configMap(`${name}-${index}`, index);
    await oneOf(clients, index).expect(201, "POST", path("configmaps"), { body });
  };
  await inParallel(4000, 64, (index) => create("warm", index));
  const began = performance.now();
  const count = 20_000;
  const { result, cpuSeconds } = await costOf(subject.pid, () =>
    inParallel(count, 64, (index) => create("made", index)),
  );
  const rate = count / ((performance.now() - began) / 1000);
  closeAll(clients);
  report({
    what: `creates on ${store}, 64 clients: rate`,
    value: rate,
    unit: "/s",
    ...(store === "lmdb" ? { goal: { atLeast: 2500 } } : {}),
  });
  report({ what: `creates on ${store}: p99`, value: quantile(result, 0.99), unit: "ms" });
  if (cpuSeconds !== undefined)
    report({
      what: `creates on ${store}: server CPU each`,
      value: (cpuSeconds / count) * 1e6,
      unit: "us",
    });
  return rate;
}
