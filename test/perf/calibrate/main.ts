// `npm run calibrate`: what work costs a server, as a file for `wavetank rehearse --profile FILE`.
//   npm run calibrate                                   a server of its own (dist/wavetank.js), started for it
//   npm run calibrate -- --kubeconfig PATH              any API server that lets us read /metrics; about a minute
//   npm run calibrate -- --write my-server.yaml         into a file (.json: as JSON); else it is printed
//   npm run calibrate -- --behaves 1.30                 the profile for what is not measured; default: its /version
// It works in a namespace of its own, which it removes at the end, also after Ctrl-C. The kubeconfig should lead to one API
// server, not to a balancer before several: CPU and memory are those of whoever answers.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ServerCredentials,
  readKubeconfig,
} from "../../../src/host/node/kubeconfig-credentials.ts";
import { costNamePattern } from "../../../src/rehearsal/cost-schema.ts";
import { startServer } from "../../wire/server.ts";
import { LoadClient, quantile } from "../load-client.ts";
import { memoryOf, cpuSeconds } from "../server-process.ts";
import { createNamespace, removeNamespace } from "../subject.ts";
import { type Measurements, type Measured, costFile, residuals } from "./cost-file.ts";
import { bytesOfWatch, copiesOfAnswer } from "./memory.ts";
import { ServerMeter } from "./server-meter.ts";
import { type Workload, configMap, reading, writing } from "./workloads.ts";

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: "string" },
    context: { type: "string" },
    write: { type: "string" },
    behaves: { type: "string" },
    name: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});

const usage = `npm run calibrate -- [options]

What work costs a server, as a file for \`wavetank rehearse --profile FILE\`; takes one to two minutes.

  --kubeconfig PATH  an API server that lets us read /metrics; default: a server of its own (dist/wavetank.js)
  --context NAME     of that kubeconfig; default: the current one
  --write FILE       into a file (.json: as JSON); default: standard output
  --behaves VERSION  the profile for what is not measured; default: the server's /version
  --name NAME        what the coefficients are called`;
if (flags.help === true) {
  console.log(usage);
  process.exit(0);
}

// Known before the minute of work, not after it.
if (flags.name !== undefined && !costNamePattern.test(flags.name)) {
  console.error(
    `calibrate: --name ${flags.name}: expected small letters, digits, - and ., like my-server`,
  );
  process.exit(2);
}

/** A server allows 100 streams in one, and we have 2,000 watches. */
const connections = 24;
const alone = 200;
const settleMs = 2_000;
const say = (text: string): void => console.error(text);

interface Found {
  readonly measurements: Measurements;
  readonly version: string;
}

/** On whatever answers there; `kubeconfig` is a path. */
async function measure(kubeconfig: string): Promise<Found> {
  const target = readKubeconfig(kubeconfig, flags.context);
  const clients = open(target);
  const [first] = clients as [LoadClient];
  const interrupted = (): void => void removeNamespace(first).finally(() => process.exit(130));
  const version = JSON.parse(
    (await first.expect(200, "GET", "/version", { keep: true })).body.toString(),
  ) as { gitVersion: string };
  await createNamespace(first);
  process.once("SIGINT", interrupted);
  try {
    const meter = new ServerMeter(first);
    say("idle");
    await meter.learnIdle();
    say("watches");
    const watchBytes = await bytesOfWatch(clients, meter);
    const workloads: Measured[] = [];
    for (const workload of [...writing, ...reading])
      workloads.push(await bill(clients, meter, workload));
    say("answers that nobody reads");
    const encodeCopies = await copiesOfAnswer(first, target, meter);
    say("one write after another");
    const commitWaitMs = await commitWait(first);
    const measurements = { workloads, watchBytes, encodeCopies, commitWaitMs, restart: undefined };
    return { measurements, version: version.gitVersion };
  } finally {
    process.off("SIGINT", interrupted);
    say("cleaning up");
    await removeNamespace(first);
    for (const client of clients) client.close();
  }
}

function open(target: ServerCredentials): LoadClient[] {
  return Array.from({ length: connections }, () => new LoadClient(target));
}

async function bill(
  clients: readonly LoadClient[],
  meter: ServerMeter,
  workload: Workload,
): Promise<Measured> {
  say(workload.name);
  const { cpuMs, result } = await meter.cpuMsOf(() => workload.run(clients));
  return { name: workload.name, work: result, cpuMs };
}

async function commitWait(client: LoadClient): Promise<number> {
  const times = async (job: (index: number) => Promise<unknown>): Promise<number> => {
    const ms: number[] = [];
    for (let index = 0; index < alone; index++) {
      const began = performance.now();
      await job(index);
      ms.push(performance.now() - began);
    }
    return quantile(ms, 0.5);
  };
  const read = await times(() => client.expect(200, "GET", configMap("small-1")));
  const write = await times((index) => {
    const body = JSON.stringify({ metadata: { annotations: { alone: String(index) } } });
    return client.expect(200, "PATCH", configMap("small-1"), { body });
  });
  return Math.max(0, write - read);
}

/* ---- a server of our own, which can be started again ---- */

async function measureOwn(): Promise<Found> {
  const server = await startServer({ flags: [] });
  try {
    const found = await measure(server.kubeconfig);
    const { commitWaitMs } = found.measurements;
    say(`a commit to its own disk: ${commitWaitMs?.toFixed(2)} ms`);
    const restart = await restarts();
    return { ...found, measurements: { ...found.measurements, commitWaitMs: undefined, restart } };
  } finally {
    await server.stop();
  }
}

/** In a folder of its own: what a start costs with 40 MB of objects more. */
async function restarts(): Promise<Measurements["restart"]> {
  say("starts without and with data");
  const first = await startServer({ flags: [] });
  const { dataDir } = first;
  await pause(settleMs);
  const empty = startOf(first.pid);
  const clients = open(readKubeconfig(first.kubeconfig));
  await createNamespace(clients[0]!);
  let megabytes = 0;
  for (const workload of writing) megabytes += (await workload.run(clients)).megabytes;
  for (const client of clients) client.close();
  // Stopping removes the folder, so the second server is started on it while the first is still there to be stopped.
  process.kill(first.pid, "SIGTERM");
  await pause(settleMs);
  const second = await startServer({ flags: [], dataDir });
  await pause(settleMs);
  const full = startOf(second.pid);
  await second.stop();
  await first.stop();
  return {
    decodePerMegabyte: Math.max(0, (full.cpuMs - empty.cpuMs) / megabytes),
    cacheCopies: Math.max(0, (full.bytes - empty.bytes) / (megabytes * 1e6)),
  };
}

function startOf(pid: number): { cpuMs: number; bytes: number } {
  return { cpuMs: cpuSeconds(pid) * 1_000, bytes: memoryOf(pid).anonymous };
}

/* ---- */

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

const own = flags.kubeconfig === undefined;
const { measurements, version } = await (flags.kubeconfig === undefined
  ? measureOwn()
  : measure(flags.kubeconfig));
const model = cpus()[0]?.model ?? "unknown CPU";
const how = own
  ? `measured on ${today()}, ${cpus().length} x ${model}, Node ${process.version}`
  : `measured on ${today()} through the API of ${version}, its own CPU and memory`;
const minor = /^v?(\d+\.\d+)/.exec(version)?.[1] ?? "1.36";
const behaves = flags.behaves ?? (own ? "wavetank" : minor);
const file = costFile(measurements, {
  name: flags.name ?? (own ? "wavetank" : "my-server"),
  behaves,
  how,
});
for (const line of residuals(measurements)) say(line);
const json = flags.write?.endsWith(".json") === true;
const text = json ? `${JSON.stringify(file, undefined, 2)}\n` : stringify(file, { lineWidth: 0 });
if (flags.write === undefined) console.log(text);
else writeFileSync(flags.write, text);
