// Each storm that comes with us, smaller, beside twenty clients that do nothing wrong: `wavetank top` names the one who
// storms and nobody else, and the guard that it suggests is taken.
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import type { FleetReport } from "../../src/fleet/report.ts";
import { kubectlFor } from "./kubectl.ts";
import { type Server, bin, startServer } from "./server.ts";

const run = promisify(execFile);
let folder: string;
let server: Server;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "wavetank-storms-"));
  server = await startServer();
});

afterEach(async () => {
  await server.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

interface PopulationFile {
  readonly prepare: readonly object[];
  readonly populations: readonly object[];
}

const innocentNamespace = "innocent";
const innocents: PopulationFile = {
  prepare: [
    { manifest: { apiVersion: "v1", kind: "Namespace", metadata: { name: innocentNamespace } } },
    {
      manifest: {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "innocents" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [{ kind: "Group", name: "innocents", apiGroup: "rbac.authorization.k8s.io" }],
      },
    },
    {
      count: 30,
      manifest: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "own-{{.index}}", namespace: innocentNamespace },
      },
    },
  ],
  populations: [
    [
      "innocent-pollers",
      { kind: "poller", everySeconds: 0.5, read: read({ name: "own-{{.index}}" }) },
    ],
    ["innocent-informers", { kind: "informer", views: [read({})] }],
  ].map(([name, behaviour]) => ({
    name,
    count: 20,
    userAgent: "team-{{.index}}/1.0",
    identity: { kind: "user", name: "innocent-{{.index}}", groups: ["innocents"] },
    behaviour,
  })),
};

function read(more: object): object {
  return { resource: "configmaps", namespace: innocentNamespace, ...more };
}

/** A shipped storm with the innocents in it. */
function crowded(name: string): string {
  const url = new URL(`../../populations/${name}.yaml`, import.meta.url);
  const storm = parse(readFileSync(url, "utf8")) as PopulationFile;
  const path = join(folder, `${name}.yaml`);
  const prepare = [...storm.prepare, ...innocents.prepare];
  const populations = [...storm.populations, ...innocents.populations];
  writeFileSync(path, stringify({ ...storm, prepare, populations }));
  return path;
}

interface Storm {
  readonly file: string;
  readonly set: readonly string[];
  readonly culprit: string;
  readonly agent: string;
  readonly findings: readonly string[];
  readonly guards: readonly string[];
}

const storms: readonly Storm[] = [
  {
    file: "daemonset-list-storm",
    set: [
      "populations.collectors.count=20",
      "populations.collectors.nodes=20",
      "prepare.6.count=2000",
      "prepare.6.nodes=20",
    ],
    culprit: "system:serviceaccount:storm:collector",
    agent: "vector/0.28 kube-rs",
    findings: ["identical-agents", "quorum-list", "relist-loop"],
    guards: ["bound-list-pods-collector"],
  },
  {
    file: "informer-fleet",
    set: ["prepare.4.count=40", "populations.informers.count=8"],
    culprit: "system:serviceaccount:fleet:operator",
    agent: "operator-0/1.0",
    findings: ["large-list"],
    guards: ["bound-list-secrets-operator"],
  },
  {
    file: "hot-writer",
    set: [],
    culprit: "system:serviceaccount:hot:operator",
    agent: "hot-operator/1.0",
    findings: ["hot-writer"],
    guards: ["bound-patch-configmaps-operator"],
  },
  {
    file: "hot-writer",
    set: ["populations.writers.behaviour.change=small"],
    culprit: "system:serviceaccount:hot:operator",
    agent: "hot-operator/1.0",
    findings: ["hot-writer"],
    guards: ["bound-patch-configmaps-operator"],
  },
  {
    file: "mass-deleter",
    set: ["prepare.5.count=1000", "populations.watchers.count=10"],
    culprit: "system:serviceaccount:purge:cleanup",
    agent: "cleanup-job/1.0",
    findings: ["mass-delete"],
    guards: ["bound-delete-configmaps-cleanup"],
  },
  {
    file: "kubelet-reboot-wave",
    set: ["populations.kubelets.count=15", "populations.kubelets.nodes=15"],
    culprit: "system:node:*",
    agent: "kubelet/v1.23.0",
    findings: ["list-per-object"],
    guards: ["bound-list-secrets-nodes"],
  },
];

/** Ends as Ctrl-C ends it, with its report. */
function startStorm({ file, set }: Storm): { end(): Promise<FleetReport> } {
  const changes = set.flatMap((change) => ["--set", change]);
  const load = ["load", crowded(file), "--duration", "5m", "-o", "json", ...changes];
  const child = spawn("node", [bin, ...load, "--kubeconfig", server.kubeconfig], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const said = text(child.stdout);
  return {
    async end() {
      child.kill("SIGINT");
      return JSON.parse(await said) as FleetReport;
    },
  };
}

async function top(...more: string[]): Promise<string> {
  const args = [bin, "top", "--once", "--kubeconfig", server.kubeconfig, ...more];
  return (await run("node", args, { maxBuffer: 1e8 })).stdout;
}

interface Shown {
  readonly rows: readonly { readonly name: string; readonly findings: readonly string[] }[];
  readonly findings: readonly { readonly id: string; readonly user: string }[];
}

async function shown(...more: string[]): Promise<Shown> {
  return JSON.parse(await top("-o", "json", ...more)) as Shown;
}

it.each(storms)("the culprit of $file $set is $culprit", { timeout: 240_000 }, async (one) => {
  const storm = startStorm(one);
  const found = async (): Promise<string[]> => (await shown()).findings.map(({ id }) => id);
  const wanted = expect.arrayContaining([...one.findings]) as string[];
  await expect.poll(found, { timeout: 90_000, interval: 1_000 }).toEqual(wanted);
  const byAgent = await shown("--by", "agent");
  const { rows, findings } = await shown();
  const guard = await top("--suggest-guard");
  for (const { name, errors } of (await storm.end()).populations)
    expect([name, errors]).toEqual([name, []]);
  expect([...new Set(findings.map(({ user }) => user))]).toEqual([one.culprit]);
  const worst = rows.find((row) => row.findings.length > 0)!;
  expect(worst.name).toMatch(new RegExp(`^${one.culprit.replace("*", ".*")}$`));
  expect(rows.filter(({ name }) => name.startsWith("innocent-")).length).toBe(20);
  const marked = byAgent.rows.filter((row) => row.findings.length > 0);
  expect(marked.map(({ name }) => name)).toContain(one.agent);
  const applied = await kubectlFor("36", server.kubeconfig).ok(["apply", "-f", "-"], guard);
  for (const name of one.guards)
    expect(applied).toContain(`flowschema.flowcontrol.apiserver.k8s.io/${name} created`);
});
