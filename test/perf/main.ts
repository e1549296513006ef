// `npm run bench`: starts its own servers (dist/wavetank.js), loads them from this process, prints a table.
//   npm run bench -- --only start,lists,requests,nodes,watches,creates,etcd,ledger,cluster
//   npm run bench -- --kubeconfig PATH     the same work against any API server; CPU and memory then stay blank
//   npm run bench -- --pods 3000           smaller, for a quick look
//   npm run bench -- --only cluster --stories pods,deployments,namespaces,force --profile FOLDER
import { setTimeout as pause } from "node:timers/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startServer } from "../wire/server.ts";
import { type Figure, type Report, printTable } from "./figures.ts";
import { LoadClient, quantile } from "./load-client.ts";
import { measureCluster } from "./cluster.ts";
import { startEtcd } from "../etcd.ts";
import { measureBareEtcd } from "./bare-etcd.ts";
import { measureLedger } from "./ledger.ts";
import { measureRequests } from "./requests.ts";
import {
  measureCreates,
  measureLists,
  measureNodeList,
  measureWatches,
  populate,
} from "./scenarios.ts";
import { cpuSeconds, memoryOf } from "./server-process.ts";
import { type Subject, createNamespace, removeNamespace } from "./subject.ts";
import { readKubeconfig } from "../../src/host/node/kubeconfig-credentials.ts";

const mib = 1024 * 1024;
const all = [
  "start",
  "lists",
  "requests",
  "nodes",
  "watches",
  "creates",
  "etcd",
  "cluster",
  "ledger",
];

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    only: { type: "string", default: all.join(",") },
    pods: { type: "string", default: "30000" },
    nodes: { type: "string", default: "5000" },
    stories: { type: "string", default: "pods,deployments,namespaces,force" },
    profile: { type: "string" },
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
  console.error(machine());
  if (flags.kubeconfig === undefined) await benchOwn();
  else await benchForeign(flags.kubeconfig);
  console.log(`${printTable(figures)}\n\n${machine()}`);
}

/** What the figures depend on beside the code. */
function machine(): string {
  const [processor] = cpus();
  const load = loadavg().map((value) => value.toFixed(1));
  return `${cpus().length} x ${processor?.model}, Node ${process.version}, load ${load.join(" ")}`;
}

async function benchForeign(kubeconfig: string): Promise<void> {
  const subject: Subject = { target: readKubeconfig(kubeconfig), kubeconfig };
  const client = new LoadClient(subject.target);
  await createNamespace(client);
  try {
    await foreignStories(subject);
  } finally {
    await removeNamespace(client);
    client.close();
  }
}

async function foreignStories(subject: Subject): Promise<void> {
  if (["lists", "requests", "nodes"].some((story) => only.has(story)))
    await populate(subject, 0, pods);
  if (only.has("lists")) await measureLists(subject, report);
  if (only.has("requests")) await measureRequests(subject, pods, report);
  if (only.has("nodes")) await measureNodeList(subject, pods, report);
  if (only.has("watches")) await measureWatches(subject, report);
  if (only.has("creates")) await measureCreates(subject, "the given server", report);
}

async function benchOwn(): Promise<void> {
  if (only.has("start")) await benchStart();
  if (only.has("lists") || only.has("requests")) await benchLists();
  if (only.has("nodes")) await benchNodes();
  if (only.has("watches")) await onServer(["--memory"], undefined, measureWatches);
  if (only.has("creates"))
    await onServer([], undefined, async (subject) => {
      await measureCreates(subject, "lmdb", report);
    });
  if (only.has("etcd")) await benchEtcd();
  if (only.has("ledger")) await measureLedger(report);
  if (only.has("cluster"))
    await measureCluster(
      {
        nodes: Number(flags.nodes),
        pods: Math.round(pods / 3),
        deployments: Math.round(pods / 50),
        contents: pods,
        profile: flags.profile,
      },
      new Set(flags.stories.split(",")),
      report,
    );
}

/** A server of its own for one story; the folder stays when it is given. */
async function onServer(
  serverFlags: readonly string[],
  dataDir: string | undefined,
  story: (subject: Subject, report: Report) => Promise<void>,
): Promise<void> {
  const own = dataDir === undefined ? {} : { dataDir };
  const server = await startServer({ flags: serverFlags, ...own });
  const { kubeconfig, pid } = server;
  const subject = { target: readKubeconfig(kubeconfig), kubeconfig, pid };
  try {
    const client = new LoadClient(subject.target);
    await createNamespace(client);
    client.close();
    await story(subject, report);
  } finally {
    await server.stop();
  }
}

interface Start {
  readonly ms: number;
  /** Server CPU up to a second after it was ready. */
  readonly cpuMs: number;
  readonly rss: number;
}

async function timedStart(dataDir?: string): Promise<Start> {
  const began = performance.now();
  const server = await startServer({ flags: [], ...(dataDir === undefined ? {} : { dataDir }) });
  const client = new LoadClient(readKubeconfig(server.kubeconfig));
  await client.expect(200, "GET", "/readyz");
  const ms = performance.now() - began;
  client.close();
  await pause(1000);
  const { rss } = memoryOf(server.pid);
  const cpuMs = cpuSeconds(server.pid) * 1000;
  await server.stop();
  return { ms, cpuMs, rss };
}

async function benchStart(): Promise<void> {
  const starts: Start[] = [];
  for (let round = 0; round < 9; round++) starts.push(await timedStart());
  const median = (of: (start: Start) => number): number => quantile(starts.map(of), 0.5);
  const what = "start with an empty folder";
  report({
    what: `${what} to /readyz`,
    value: median(({ ms }) => ms),
    unit: "ms",
    goal: { atMost: 400 },
  });
  report({ what: `${what}: server CPU`, value: median(({ cpuMs }) => cpuMs), unit: "ms" });
  const idle = median(({ rss }) => rss) / mib;
  report({ what: "idle RSS", value: idle, unit: "MiB", goal: { atMost: 150 } });
}

/** Lists, single requests, memory and restart share one loaded folder. */
async function benchLists(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "wavetank-bench-"));
  await onServer([], dataDir, async (subject) => {
    await populate(subject, 0, pods);
    if (only.has("lists")) await measureLists(subject, report);
    if (only.has("requests")) await measureRequests(subject, pods, report);
  });
  if (only.has("lists")) await benchRestart(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
}

async function benchRestart(dataDir: string): Promise<void> {
  const starts: Start[] = [];
  for (let round = 0; round < 3; round++) starts.push(await timedStart(dataDir));
  const median = (of: (start: Start) => number): number => quantile(starts.map(of), 0.5);
  const what = `start with ${pods.toLocaleString("en-US")} pods on disk`;
  report({
    what: `${what} to /readyz`,
    value: median(({ ms }) => ms),
    unit: "ms",
    goal: { atMost: 1500 },
  });
  report({ what: `${what}: server CPU`, value: median(({ cpuMs }) => cpuMs), unit: "ms" });
  const server = await startServer({ flags: [], dataDir });
  const client = new LoadClient(readKubeconfig(server.kubeconfig));
  const json = (await client.expect(200, "GET", "/api/v1/pods")).size;
  client.close();
  await pause(2000);
  const memory = memoryOf(server.pid);
  await server.stop();
  const held = `${pods.toLocaleString("en-US")} pods held`;
  report({ what: `${held}: JSON`, value: json / mib, unit: "MiB" });
  const atMost = Math.round((json * 1.3) / mib + 100);
  report({ what: `${held}: RSS`, value: memory.rss / mib, unit: "MiB", goal: { atMost } });
  report({ what: `${held}: RSS without mapped files`, value: memory.anonymous / mib, unit: "MiB" });
}

async function benchNodes(): Promise<void> {
  await onServer(["--memory"], undefined, async (subject) => {
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
    await onServer(["--etcd-servers", etcd.url], undefined, async (subject) => {
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
