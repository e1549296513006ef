// The audit log and the ledger beside each other, filled by real clients: what one counts the other counts too, and who
// costs most stands first.
import { spawnSync } from "node:child_process";
import { Agent } from "node:https";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { type Identity, ask, identityOf } from "./raw-client.ts";
import { type Server, bin, startServer } from "./server.ts";

const ledgerPath = "/debug/wavetank/ledger?limit=10000";
const everything =
  "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived, ResponseStarted]\nrules: [{level: Metadata}]\n";

/** Keeps its connections: handshakes would be most of the test. */
const agent = new Agent({ keepAlive: true, maxSockets: 24 });

let folder: string;
let server: Server;
let kubectl: Kubectl;
let admin: Identity;

interface Event {
  readonly verb: string;
  readonly requestURI: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code: number };
}

function auditEvents(): Event[] {
  const lines = readFileSync(join(folder, "audit.log"), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Event);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "wavetank-accounting-"));
  writeFileSync(join(folder, "policy.yaml"), everything);
  const audit = [
    `--audit-policy-file=${folder}/policy.yaml`,
    `--audit-log-path=${folder}/audit.log`,
  ];
  server = await startServer({ flags: ["--memory", ...audit] });
  kubectl = kubectlFor("36", server.kubeconfig);
  admin = identityOf(server.kubeconfig);
});

afterEach(async () => {
  await server.stop("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function ledger(): Promise<any> {
  return JSON.parse(await kubectl.ok(["get", "--raw", ledgerPath]));
}

async function makeConfigMaps(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const body = JSON.stringify({ metadata: { name: `c${i}` }, data: { a: "x".repeat(200) } });
    await ask(admin, "/api/v1/namespaces/default/configmaps", { body, agent });
  }
}

describe("ledger and audit log", () => {
  it("agree over a mixed run", async () => {
    await kubectl.ok(["create", "configmap", "a", "--from-literal=x=1"]);
    await kubectl.ok(["label", "configmap", "a", "k=v"]);
    await kubectl.ok(["get", "configmaps", "-A", "-l", "k=v"]);
    await kubectl.fails(["get", "configmap", "none"]);
    await kubectl.fails(["get", "secrets", "--as", "bob"]);
    await kubectl.ok(["wait", "configmap/a", "--for=jsonpath={.data.x}=1"]);
    const watch = ["get", "configmaps", "--watch", "--request-timeout=1s"];
    await kubectl.run(watch);
    await kubectl.ok(["delete", "configmap", "a"]);
    await kubectl.ok(["apply", "-f", "-"], "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n");
    const { total } = await ledger();
    // The ledger's own request was not finished when it was counted.
    const events = auditEvents().filter(({ requestURI }) => requestURI !== ledgerPath);
    const sum = (name: string): number =>
      events.reduce(
        (all, event) => all + Number(event.annotations?.[`cost.wavetank.dev/${name}`] ?? 0),
        0,
      );
    expect(events.length).toBeGreaterThan(15);
    expect({
      requests: events.length,
      errors: events.filter(({ responseStatus }) => (responseStatus?.code ?? 0) >= 400).length,
      objectsScanned: sum("objects-scanned"),
      objectsReturned: sum("objects-returned"),
      bytesIn: sum("bytes-in"),
      bytesOut: sum("bytes-out"),
      storeReads: sum("store-reads"),
      storeWrites: sum("store-writes"),
      eventsDelivered: sum("events-delivered"),
    }).toEqual({
      requests: total.requests,
      errors: total.errors,
      objectsScanned: total.objectsScanned,
      objectsReturned: total.objectsReturned,
      bytesIn: total.bytesIn,
      bytesOut: total.bytesOut,
      storeReads: total.storeReads,
      storeWrites: total.storeWrites,
      eventsDelivered: total.eventsDelivered,
    });
  });
});

describe("the culprit among twenty innocents", () => {
  it("stands first, is told what is wrong, and a guard for it can be applied", async () => {
    await makeConfigMaps(600);
    await kubectl.ok([
      "create",
      "clusterrolebinding",
      "look",
      "--clusterrole=view",
      "--group=lookers",
    ]);
    const looker = (user: string, agent: string): Record<string, string> => ({
      "impersonate-user": user,
      "impersonate-group": "lookers",
      "user-agent": agent,
    });
    const innocent = async (index: number): Promise<void> => {
      const headers = looker(`innocent-${index}`, "operator/1.0");
      for (let turn = 0; turn < 10; turn++)
        await ask(admin, `/api/v1/namespaces/default/configmaps/c${turn}`, { headers, agent });
      await ask(admin, "/api/v1/configmaps?limit=50", { headers, agent });
    };
    const culprit = async (): Promise<void> => {
      const headers = looker("system:serviceaccount:default:collector", "collector/0.1");
      for (let turn = 0; turn < 200; turn++)
        await ask(admin, "/api/v1/configmaps", { headers, agent });
    };
    await Promise.all([culprit(), ...Array.from({ length: 20 }, (_, index) => innocent(index))]);
    const args = ["--once", "--kubeconfig", server.kubeconfig];
    const top = (...more: string[]) =>
      spawnSync("node", [bin, "top", ...args, ...more], { encoding: "utf8", timeout: 30_000 });
    const shown = JSON.parse(top("-o", "json").stdout);
    expect(shown.rows[0].name).toBe("system:serviceaccount:default:collector");
    const blamed = new Set(shown.findings.map(({ user }: { user: string }) => user));
    expect([...blamed]).toEqual(["system:serviceaccount:default:collector"]);
    const ids = shown.findings.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(["unpaged-full-list", "quorum-list", "relist-loop"]),
    );
    expect(top().stdout).toContain("! unpaged-full-list: system:serviceaccount:default:collector");
    const guard = top("--suggest-guard").stdout;
    const applied = await kubectl.ok(["apply", "-f", "-"], guard);
    expect(applied).toContain(
      "flowschema.flowcontrol.apiserver.k8s.io/bound-list-configmaps-collector created",
    );
    const headers = looker("system:serviceaccount:default:collector", "collector/0.1");
    const { metadata } = await kubectl.json([
      "get",
      "flowschema",
      "bound-list-configmaps-collector",
    ]);
    await expect
      .poll(async () => {
        const answer = await ask(admin, "/api/v1/configmaps?limit=1", { headers, agent });
        return answer.headers["x-kubernetes-pf-flowschema-uid"];
      })
      .toBe(metadata.uid);
  });

  it("tells who cannot be asked", async () => {
    const bare = await startServer({ flags: ["--memory", "--ledger-rows", "0"] });
    const top = (kubeconfig: string) =>
      spawnSync("node", [bin, "top", "--once", "--kubeconfig", kubeconfig], { encoding: "utf8" });
    expect(top(bare.kubeconfig).stderr).toContain("keeps no ledger");
    await bare.stop();
    writeFileSync(
      join(folder, "gone"),
      readFileSync(server.kubeconfig, "utf8").replace(/:\d+\n/, ":1\n"),
    );
    const gone = top(join(folder, "gone"));
    expect(gone.stderr).toMatch(/^wavetank: https:\/\/127\.0\.0\.1:1 cannot be reached/);
    expect(gone.status).toBe(1);
  });
});

describe("an audit policy with a mistake", () => {
  it("keeps the server from starting, in kube-apiserver's words", () => {
    writeFileSync(join(folder, "bad.yaml"), everything.replace("Metadata", "Much"));
    const flags = ["up", "--memory", "--port=0", "--data-dir", join(folder, "d")];
    const up = spawnSync("node", [bin, ...flags, "--audit-policy-file", join(folder, "bad.yaml")], {
      encoding: "utf8",
    });
    expect(up.stderr).toBe(
      `wavetank: loading audit policy file: rules[0].level: Unsupported value: "Much": supported values: "None", "Metadata", "Request", "RequestResponse": from file ${folder}/bad.yaml\n`,
    );
    expect(up.status).toBe(1);
  });
});
