// `npm run bench`: starts its own servers (dist/wavetank.js), loads them from this process, prints a table.
//   npm run bench -- --only start,lists,nodes,watches,creates,etcd
//   npm run bench -- --kubeconfig PATH     the same work against any API server; CPU and memory then stay blank
//   npm run bench -- --pods 3000           smaller, for a quick look
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { startServer } from "../wire/server.ts";
import { type Figure, type Report, printTable } from "./figures.ts";
import { LoadClient, quantile, readTarget } from "./load-client.ts";
import { startEtcd } from "../etcd.ts";
import { measureBareEtcd } from "./bare-etcd.ts";
import {
  type Subject,
  createNamespace,
  measureCreates,
  measureLists,
  measureNodeList,
  measureWatches,
  populate,
} from "./scenarios.ts";
import { memoryOf } from "./server-process.ts";

const mib = 1024 * 1024;
const all = ["start", "lists", "nodes", "watches", "creates", "etcd"];

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    only: { type: "string", default: all.join(",") },
    pods: { type: "string", default: "30000" },
    "most-pods": { type: "string", default: "150000" },
  },
});
const only = new Set(flags.only.split(","));
const pods = Number(flags.pods);
const mostPods = Number(flags["most-pods"]);

const figures: Figure[] = [];
const report: Report = (figure) => {
  figures.push(figure);
  console.error(`  ${figure.what}: ${figure.value.toPrecision(4)} ${figure.unit}`);
};

async function main(): Promise<void> {
  if (flags.kubeconfig === undefined) await benchOwn();
  else await benchForeign(flags.kubeconfig);
  console.log(printTable(figures));
}

async function benchForeign(kubeconfig: string): Promise<void> {
  const subject: Subject = { target: readTarget(kubeconfig) };
  await createNamespace(subject);
  if (only.has("lists") || only.has("nodes")) await populate(subject, 0, pods);
  if (only.has("lists")) await measureLists(subject, report);
  if (only.has("nodes")) await measureNodeList(subject, pods, report);
  if (only.has("watches")) await measureWatches(subject, report);
  if (only.has("creates")) await measureCreates(subject, "the given server", report);
}

async function benchOwn(): Promise<void> {
  if (only.has("start")) await benchStart();
  if (only.has("lists")) await benchLists();
  if (only.has("nodes")) await benchNodes();
  if (only.has("watches")) await onServer(["--memory"], measureWatches);
  if (only.has("creates"))
    await onServer([], async (subject) => {
      await measureCreates(subject, "lmdb", report);
    });
  if (only.has("etcd")) await benchEtcd();
}

/** A server of its own for one story. */
async function onServer(
  serverFlags: readonly string[],
  story: (subject: Subject, report: Report) => Promise<void>,
): Promise<void> {
  const server = await startServer({ flags: serverFlags });
  const subject = { target: readTarget(server.kubeconfig), pid: server.pid };
  try {
    await createNamespace(subject);
    await story(subject, report);
  } finally {
    await server.stop();
  }
}

async function timedStart(dataDir?: string): Promise<{ ms: number; dataDir: string; rss: number }> {
  const began = performance.now();
  const server = await startServer({ flags: [], ...(dataDir === undefined ? {} : { dataDir }) });
  const client = new LoadClient(readTarget(server.kubeconfig));
  const answer = await client.send("GET", "/readyz");
  const ms = performance.now() - began;
  if (answer.status !== 200) throw new Error(`/readyz answered ${answer.status}`);
  client.close();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const { rss } = memoryOf(server.pid);
  await server.stop();
  return { ms, dataDir: server.dataDir, rss };
}

async function benchStart(): Promise<void> {
  const starts = [];
  for (let round = 0; round < 9; round++) starts.push(await timedStart());
  report({
    what: "start with an empty folder to /readyz",
    value: quantile(
      starts.map((start) => start.ms),
      0.5,
    ),
    unit: "ms",
    goal: { atMost: 400 },
  });
  report({
    what: "idle RSS",
    value:
      quantile(
        starts.map((start) => start.rss),
        0.5,
      ) / mib,
    unit: "MiB",
    goal: { atMost: 150 },
  });
}

/** Lists, memory and restart share one loaded folder. */
async function benchLists(): Promise<void> {
  const dataDir = `/tmp/wavetank-bench-${process.pid}`;
  const server = await startServer({ flags: [], dataDir });
  const subject = { target: readTarget(server.kubeconfig), pid: server.pid };
  await createNamespace(subject);
  await populate(subject, 0, pods);
  await measureLists(subject, report);
  await server.stop();
  await benchRestart(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
}

async function benchRestart(dataDir: string): Promise<void> {
  const starts = [];
  for (let round = 0; round < 3; round++) starts.push(await timedStart(dataDir));
  const what = `start with ${pods.toLocaleString("en-US")} pods on disk`;
  const middle = starts.toSorted((a, b) => a.ms - b.ms)[1];
  report({
    what: `${what} to /readyz`,
    value: middle?.ms ?? NaN,
    unit: "ms",
    goal: { atMost: 1500 },
  });
  const server = await startServer({ flags: [], dataDir });
  const client = new LoadClient(readTarget(server.kubeconfig));
  const json = (await client.send("GET", "/api/v1/pods")).size;
  client.close();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const memory = memoryOf(server.pid);
  await server.stop();
  const goal = (json * 1.3) / mib + 100;
  report({ what: `${what}: JSON`, value: json / mib, unit: "MiB" });
  report({
    what: `${what}: RSS`,
    value: memory.rss / mib,
    unit: "MiB",
    goal: { atMost: Math.round(goal) },
  });
  report({ what: `${what}: RSS without mapped files`, value: memory.anonymous / mib, unit: "MiB" });
}

async function benchNodes(): Promise<void> {
  await onServer(["--memory"], async (subject) => {
    const sizes = [...new Set([3000, pods, mostPods])].filter((size) => size >= 3000);
    const costs: (number | undefined)[] = [];
    let made = 0;
    for (const size of sizes) {
      await populate(subject, made, size);
      made = size;
      costs.push(await measureNodeList(subject, size, report));
    }
    const [first, last] = [costs[0], costs.at(-1)];
    if (first !== undefined && last !== undefined)
      report({
        what: "one node's LIST: largest cluster against smallest",
        value: last / first,
        unit: "x",
        goal: { atMost: 1.2 },
      });
  });
}

async function benchEtcd(): Promise<void> {
  const etcd = await startEtcd();
  try {
    const bare = await measureBareEtcd(etcd.url, report);
    let rate = 0;
    await onServer(["--etcd-servers", etcd.url], async (subject) => {
      rate = await measureCreates(subject, "etcd", report);
    });
    report({
      what: "creates on etcd: bare client against the whole pipeline",
      value: bare / rate,
      unit: "x",
      goal: { atMost: 1.3 },
    });
  } finally {
    await etcd.remove();
  }
}

await main();
