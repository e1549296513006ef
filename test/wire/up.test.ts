// `wavetank up` as its users meet it: files, ports, signals, crashes.
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect as connect2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ask, identityOf } from "./raw-client.ts";
import { type Server, bin, startServer } from "./server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const folders: string[] = [];
const servers: Server[] = [];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "wavetank-up-"));
  folders.push(path);
  return path;
}

async function start(options: Parameters<typeof startServer>[0]): Promise<Server> {
  const server = await startServer(options);
  servers.push(server);
  return server;
}

function wavetank(...args: string[]): SpawnSyncReturns<string> {
  return spawnSync("node", [bin, ...args], { encoding: "utf8", timeout: 30_000 });
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop("SIGKILL")));
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

describe("files", () => {
  it("keeps objects, keys and resourceVersions over a restart", async () => {
    const dataDir = folder();
    const first = await start({ dataDir, flags: [] });
    const me = identityOf(first.kubeconfig);
    const made = await ask(me, configMaps, {
      body: '{"metadata":{"name":"kept"},"data":{"a":"1"}}',
    });
    expect(made.status).toBe(201);
    expect(await first.stop()).toBe(0);
    const second = await start({ dataDir, flags: [] });
    const again = identityOf(second.kubeconfig);
    expect(again.ca).toBe(me.ca);
    const got = await ask(again, `${configMaps}/kept`);
    expect(got.json).toEqual(made.json);
  });

  it("writes a kubeconfig for the owner only, where asked", async () => {
    const kubeconfig = join(folder(), "deep", "config");
    const server = await start({ flags: ["--memory", "--kubeconfig", kubeconfig] });
    expect(server.kubeconfig).toBe(kubeconfig);
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    expect(readFileSync(kubeconfig, "utf8")).toContain(`server: ${server.url}`);
  });

  it("lets one process have a folder", async () => {
    const dataDir = folder();
    await start({ dataDir, flags: [] });
    const second = wavetank("up", "--port", "0", "--data-dir", dataDir);
    expect(second.status).toBe(1);
    expect(second.stderr).toContain(dataDir);
    expect(second.stderr).toContain("another Wavetank is using it");
    expect(second.stderr).not.toContain("    at ");
  });
});

it("says so on a full disk, answers on, ends on SIGTERM, and keeps every write that it took", async () => {
  const dataDir = folder();
  const server = await start({ dataDir, flags: [], fileBlocksMax: 4096 });
  const me = identityOf(server.kubeconfig);
  const large = (index: number): string =>
    JSON.stringify({ metadata: { name: `large-${index}` }, data: { text: "x".repeat(50_000) } });
  let taken = 0;
  let answer = await ask(me, configMaps, { body: large(taken) });
  for (; answer.status === 201 && taken < 100; taken++)
    answer = await ask(me, configMaps, { body: large(taken + 1) });
  expect(answer.json).toMatchObject({
    code: 500,
    message: "a write to the store has failed; restart it",
  });
  expect((await ask(me, "/readyz")).status).toBe(500);
  expect((await ask(me, "/version")).status).toBe(200);
  expect(server.stderr()).toContain("STORE FAILED: a write did not reach the disk");
  expect(await server.stop()).toBe(0);
  const again = await start({ dataDir, flags: [] });
  const list = await ask(identityOf(again.kubeconfig), configMaps);
  const names = list.json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  for (let index = 0; index < taken; index++) expect(names).toContain(`large-${index}`);
});

describe("refusals that say what to do", () => {
  it("a folder whose kubeconfig belongs to a running server, whatever the store", async () => {
    const dataDir = folder();
    const first = await start({ dataDir, flags: [] });
    const kubeconfig = readFileSync(first.kubeconfig, "utf8");
    const second = wavetank("up", "--memory", "--port", "0", "--data-dir", dataDir);
    expect(second.status).toBe(1);
    expect(second.stderr).toContain("another Wavetank is using it");
    expect(readFileSync(first.kubeconfig, "utf8")).toBe(kubeconfig);
    const other = join(folder(), "kubeconfig");
    await start({ dataDir, flags: ["--memory", "--kubeconfig", other] });
  });

  it("a taken port", async () => {
    const server = await start({});
    const { port } = new URL(server.url);
    const second = wavetank("up", "--memory", "--port", port, "--data-dir", folder());
    expect(second.status).toBe(1);
    expect(second.stderr).toContain(`port ${port} on 127.0.0.1 is taken`);
    expect(second.stderr).toContain("--port");
  });

  it("a token file that is wrong or missing", () => {
    const tokens = join(folder(), "tokens.csv");
    const run = () => wavetank("up", "--memory", "--port", "0", "--token-auth-file", tokens);
    expect([run().status, run().stderr]).toEqual([
      1,
      expect.stringMatching(/^wavetank: .*ENOENT.*\n$/),
    ]);
    writeFileSync(tokens, "secret,alice,1\nsecret-of-bob,bob\n");
    expect([run().status, run().stderr]).toEqual([
      1,
      `wavetank: --token-auth-file ${tokens}: token file: line 2: must have at least 3 columns (token, user name, user uid)\n`,
    ]);
  });

  it.each([
    ["ca.crt", "ca", "it cannot be read"],
    ["server.key", "server", "it cannot be read"],
    ["service-account.key", "service-account.key", "it cannot be read"],
  ])("a damaged %s, which stays as it is", async (file, name, problem) => {
    const dataDir = folder();
    await (await start({ dataDir })).stop();
    const pki = join(dataDir, "pki");
    writeFileSync(join(pki, file), "garbage");
    const run = wavetank("up", "--memory", "--port", "0", "--data-dir", dataDir);
    expect(run.status).toBe(1);
    expect(run.stderr).toBe(
      `wavetank: ${join(pki, name)} cannot be used: ${problem}; move ${pki} away, then new keys are made and clients need the new kubeconfig\n`,
    );
    expect(readFileSync(join(pki, file), "utf8")).toBe("garbage");
  });

  it("an address that is not this machine's", () => {
    const run = wavetank("up", "--memory", "--bind-address", "192.0.2.1", "--data-dir", folder());
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/^wavetank: .*EADDRNOTAVAIL.*\n$/);
  });

  it("an address that is not this machine's", () => {
    const run = wavetank("up", "--memory", "--bind-address", "192.0.2.77", "--data-dir", folder());
    expect(run.status).toBe(1);
    expect(run.stderr).toContain("cannot listen on port 6443 of 192.0.2.77 (EADDRNOTAVAIL)");
  });

  it("memory and etcd at once", () => {
    const etcd = ["--etcd-servers", "http://127.0.0.1:1"];
    const run = wavetank("up", "--memory", ...etcd, "--data-dir", folder());
    expect(run.status).toBe(1);
    expect(run.stderr).toContain("--etcd-servers and --memory exclude each other");
  });

  it.each(["--kubernetes-version", "--profile"])("a %s that is not there", (option) => {
    const run = wavetank("up", option, "1.15", "--data-dir", folder());
    expect(run.status).toBe(1);
    expect(run.stderr).toContain("give one from 1.16 to 1.36");
  });

  it("no taint manager where Kubernetes cannot do without", () => {
    const run = wavetank("up", "--no-taint-manager", "--data-dir", folder());
    expect(run.status).toBe(1);
    expect(run.stderr).toContain("--kubernetes-version 1.26");
  });

  it("an unknown option", () => {
    const run = wavetank("up", "--prot", "1");
    expect(run.status).toBe(2);
    expect(run.stderr).toContain("--port");
  });

  it("an etcd that does not answer", () => {
    const run = wavetank(
      "up",
      "--port",
      "0",
      "--data-dir",
      folder(),
      "--etcd-servers",
      "http://127.0.0.1:1",
    );
    expect(run.status).toBe(1);
    expect(run.stderr).toContain("http://127.0.0.1:1");
    expect(run.stderr).not.toContain("    at ");
  });
});

describe("the end", () => {
  it("drains on SIGTERM: watches end cleanly, exit code 0", async () => {
    const server = await start({ flags: [] });
    const me = identityOf(server.kubeconfig);
    const session = connect2(server.url, { ca: me.ca, cert: me.cert, key: me.key });
    const stream = session.request({ ":path": `${configMaps}?watch=true` });
    const ended = new Promise<number>((resolve, reject) => {
      stream.on("error", reject);
      stream.on("data", () => {});
      stream.once("end", () => resolve(stream.rstCode));
    });
    await new Promise((resolve) => stream.once("response", resolve));
    const code = server.stop("SIGTERM");
    expect(await ended).toBe(0);
    expect(await code).toBe(0);
    expect(server.stderr()).toBe("");
  });

  it("loses no acknowledged write to kill -9, and starts again", async () => {
    const dataDir = folder();
    for (let round = 0; round < 5; round++) {
      const server = await start({ dataDir, flags: [] });
      const me = identityOf(server.kubeconfig);
      const acknowledged: string[] = [];
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let index = 0; ; index++) {
          const name = `r${round}-w${writer}-${index}`;
          const answer = await ask(me, configMaps, {
            body: JSON.stringify({ metadata: { name } }),
          });
          if (answer.status === 201) acknowledged.push(name);
        }
      });
      const broken = Promise.allSettled(writers);
      while (acknowledged.length < 40) await new Promise((resolve) => setTimeout(resolve, 5));
      await server.stop("SIGKILL");
      await broken;
      const after = await start({ dataDir, flags: [] });
      const list = await ask(identityOf(after.kubeconfig), configMaps);
      const names = new Set(
        list.json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
      );
      expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
      await after.stop();
    }
  });
});

it("tells its versions", () => {
  const run = wavetank("version", "-o", "json");
  expect(JSON.parse(run.stdout)).toMatchObject({ kubernetes: "1.36" });
});
