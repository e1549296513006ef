// `wavetank load` as users run it: in a process of its own, against a server in another.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kubectlOf } from "../../scripts/fetch-kubectl.ts";
import type { FleetReport, PopulationReport } from "../../src/fleet/report.ts";
import { type Server, bin, startServer } from "./server.ts";

const run = promisify(execFile);
let server: Server;
let folder: string;

beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), "wavetank-load-"));
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const args = (...more: string[]): string[] => [
  bin,
  "load",
  "--kubeconfig",
  server.kubeconfig,
  ...more,
];

async function loadJson(...more: string[]): Promise<FleetReport> {
  const { stdout } = await run("node", args("-o", "json", ...more), { maxBuffer: 1e8 });
  return JSON.parse(stdout) as FleetReport;
}

async function kubectl(...more: string[]): Promise<string> {
  const { stdout } = await run(kubectlOf("36"), ["--kubeconfig", server.kubeconfig, ...more]);
  return stdout.trim();
}

/** Of configmaps and namespaces, as the server counts them. */
async function openWatches(): Promise<number> {
  const lines = (await kubectl("get", "--raw", "/metrics"))
    .split("\n")
    .filter((line) => line.startsWith("apiserver_longrunning_requests{"))
    .filter((line) => /resource="(configmaps|namespaces)"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

function population(report: FleetReport, name: string): PopulationReport {
  const found = report.populations.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no population ${name}`);
  return found;
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("wavetank load", () => {
  it("storms, reports, and leaves nothing behind when told so", async () => {
    const report = await loadJson("daemonset-list-storm", "--scale", "0.05", "--cleanup");
    expect(report.outcome).toBe("completed");
    const collectors = population(report, "collectors");
    expect(collectors.errors).toEqual([]);
    expect(collectors).toMatchObject({ requests: { started: 240, succeeded: 240 } });
    expect(collectors.verbs).toMatchObject([{ verb: "LIST", latencyMs: { count: 240 } }]);
    expect(collectors.bytes.received).toBeGreaterThan(240 * 89 * 1_500);
    // In a process of its own, and there from the start.
    expect(population(report, "bystander").requests.succeeded).toBeGreaterThan(0);
    expect(await kubectl("get", "pods", "-A", "-o", "name")).toBe("");
    expect(await kubectl("get", "clusterroles", "-o", "name")).not.toContain("storm-collector");
  });

  it("acts as the users of the file, over HTTP/1.1 as well", async () => {
    const path = file(
      "users.yaml",
      `name: users
populations:
  - name: node
    protocol: http1
    identity: { kind: user, name: "system:node:{{.node}}", groups: ["a, b", "system:nodes"] }
    behaviour: { kind: lister, times: 3, read: { resource: secrets } }
  - name: self
    behaviour: { kind: lister, read: { resource: secrets } }
`,
    );
    const report = await loadJson(path);
    const [refusal] = population(report, "node").errors;
    expect(refusal).toMatchObject({ status: 403, reason: "Forbidden", count: 3 });
    expect(refusal?.message).toContain('User "system:node:node-1"');
    expect(population(report, "self").errors).toEqual([]);
  });

  it("follows the cluster, and goes on when Ctrl-C ends it", async () => {
    const path = file(
      "informers.yaml",
      `name: informers
populations:
  - name: informers
    count: 20
    behaviour: { kind: informer, views: [{ resource: configmaps }, { resource: namespaces }] }
`,
    );
    const child: ChildProcess = spawn("node", args("-o", "json", path), {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    // Once every informer watches, each sees the new object.
    await expect.poll(openWatches, { timeout: 30_000 }).toBe(40);
    await kubectl("create", "configmap", "seen");
    child.kill("SIGINT");
    await once(child, "exit");
    const informers = population(JSON.parse(stdout) as FleetReport, "informers");
    expect(informers).toMatchObject({
      members: { count: 20, synced: 20 },
      watches: { opened: 40, peak: 40, open: 0 },
    });
    expect(informers.watches.events).toBeGreaterThanOrEqual(20);
  });

  it.each([
    ["a file that is not there", ["nowhere.yaml"], "is no file that can be read, and no name"],
    ["no file at all", [], "load what?"],
    [
      "a wrong path",
      ["hot-writer", "--set", "populations.x.count=1"],
      "expected one of writers, bystander",
    ],
    [
      "a wrong value",
      ["hot-writer", "--set", "populations.writers.count=no"],
      'expected a whole number from 1 to 20000, found "no"',
    ],
    ["no server", ["hot-writer", "--kubeconfig", "/nowhere"], "wavetank: kubeconfig /nowhere: "],
  ])("says what is wrong with %s", async (_, more, message) => {
    await expect(run("node", args(...more))).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    });
  });

  it("lists what comes with it", async () => {
    const { stdout } = await run("node", [bin, "load", "--list"]);
    expect(stdout).toContain("daemonset-list-storm  80 collectors");
  });
});
