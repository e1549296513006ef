// The audit webhook with a receiver of its own: over HTTPS with a certificate of ours, and over plain HTTP.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, type Server as HttpServer, createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Pki, createPki } from "../../src/host/node/certificates.ts";
import { ask, identityOf } from "./raw-client.ts";
import { type Server, bin, startServer } from "./server.ts";

interface Received {
  readonly target: string | undefined;
  /** Common name of the client's certificate. */
  readonly client: string | undefined;
  readonly authorization: string | undefined;
  readonly list: {
    readonly kind: string;
    readonly apiVersion: string;
    readonly items: readonly { readonly auditID: string; readonly requestURI: string }[];
  };
}

interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** What it answers from now on. */
  status: number;
  close(): void;
}

let folder: string;
let server: Server | undefined;
let receiver: Receiver | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wavetank-audit-webhook-"));
  const policy =
    "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived, ResponseStarted]\nrules: [{level: Metadata}]\n";
  writeFileSync(join(folder, "policy.yaml"), policy);
});

afterEach(async () => {
  await server?.stop("SIGKILL");
  receiver?.close();
  server = receiver = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function receive(pki?: Pki): Promise<Receiver> {
  const received: Received[] = [];
  const answer = async (request: IncomingMessage): Promise<void> => {
    const list = JSON.parse(await text(request)) as Received["list"];
    const certificate = pki && (request.socket as TLSSocket).getPeerCertificate();
    const { authorization } = request.headers;
    const client = certificate?.subject?.CN as string | undefined;
    received.push({ target: request.url, client, authorization, list });
  };
  const handle: Parameters<typeof createServer>[1] = (request, response) =>
    void answer(request).then(() => response.writeHead(self.status).end());
  const http: HttpServer =
    pki === undefined
      ? createServer(handle)
      : createSecureServer(
          {
            cert: pki.server.certificate,
            key: pki.server.key,
            ca: pki.ca.certificate,
            requestCert: true,
            rejectUnauthorized: true,
          },
          handle,
        );
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const url = `${pki === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  const self: Receiver = {
    url,
    received,
    status: 200,
    close: () => {
      http.close();
      http.closeAllConnections();
    },
  };
  return self;
}

function kubeconfig(cluster: object, user: object): string {
  const path = join(folder, "webhook.kubeconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "receiver", cluster }],
    users: [{ name: "us", user }],
    contexts: [{ name: "audit", context: { cluster: "receiver", user: "us" } }],
    "current-context": "audit",
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

function auditFlags(config: string, ...more: readonly string[]): string[] {
  const policy = `--audit-policy-file=${folder}/policy.yaml`;
  return ["--memory", policy, `--audit-webhook-config-file=${config}`, ...more];
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

describe("an HTTPS receiver", () => {
  it("gets each event once, in lists, also those that wait when the server stops", async () => {
    const pki = await createPki(["127.0.0.1"], Date.now());
    receiver = await receive(pki);
    const config = kubeconfig(
      { server: `${receiver.url}/audit`, "certificate-authority-data": base64(pki.ca.certificate) },
      {
        "client-certificate-data": base64(pki.admin.certificate),
        "client-key-data": base64(pki.admin.key),
      },
    );
    const log = `--audit-log-path=${folder}/audit.log`;
    server = await startServer({
      flags: auditFlags(config, log, "--audit-webhook-batch-max-size=10"),
    });
    const admin = identityOf(server.kubeconfig);
    for (let turn = 0; turn < 25; turn++) await ask(admin, `/api/v1/namespaces?turn=${turn}`);
    // Two lists are full; the rest would wait for half a minute.
    await expect.poll(() => receiver!.received.length, { timeout: 20_000 }).toBe(2);
    expect(await server.stop()).toBe(0);
    const { received } = receiver;
    expect(new Set(received.map(({ target, client }) => `${target} ${client}`))).toEqual(
      new Set(["/audit?timeout=30s kubernetes-admin"]),
    );
    expect(received.map(({ list }) => list.items.length)).toEqual([10, 10, 5]);
    expect(received[0]!.list).toMatchObject({ kind: "EventList", apiVersion: "audit.k8s.io/v1" });
    const sent = received.flatMap(({ list }) => list.items);
    const lines = readFileSync(join(folder, "audit.log"), "utf8").trim().split("\n");
    const type = '"kind":"Event","apiVersion":"audit.k8s.io/v1",';
    expect(lines.map((line) => JSON.parse(line.replace(type, "")) as object)).toEqual(sent);
  });
});

describe("a receiver over plain HTTP", () => {
  it("in mode blocking-strict is asked first, and what it refuses is refused", async () => {
    receiver = await receive();
    const config = kubeconfig({ server: receiver.url }, { token: "t" });
    writeFileSync(
      join(folder, "policy.yaml"),
      "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata, resources: [{resources: [configmaps]}]}]\n",
    );
    server = await startServer({
      flags: auditFlags(
        config,
        "--audit-webhook-mode=blocking-strict",
        "--audit-webhook-initial-backoff=1ms",
      ),
    });
    const admin = identityOf(server.kubeconfig);
    const good = await ask(admin, "/api/v1/configmaps");
    expect(good.status).toBe(200);
    // The answer comes after both of its events.
    expect(receiver.received.map(({ target, authorization }) => [target, authorization])).toEqual([
      ["/?timeout=30s", "Bearer t"],
      ["/?timeout=30s", "Bearer t"],
    ]);
    receiver.status = 500;
    const refused = await ask(admin, "/api/v1/configmaps");
    expect([refused.status, refused.text]).toEqual([
      500,
      expect.stringContaining("failed to store audit event"),
    ]);
    expect(receiver.received.length).toBe(7);
    const metrics = (await ask(admin, "/metrics")).text;
    expect(metrics).toContain('apiserver_audit_error_total{plugin="webhook"} 1\n');
    expect(metrics).toContain("apiserver_audit_requests_rejected_total 1\n");
  });
});

describe("a webhook's file with a mistake", () => {
  it("keeps the server from starting", () => {
    const up = (flags: readonly string[]) =>
      spawnSync("node", [bin, "up", "--port=0", "--data-dir", join(folder, "d"), ...flags], {
        encoding: "utf8",
      });
    const gone = up(auditFlags(join(folder, "none")));
    expect(gone.stderr).toMatch(/^wavetank: initializing audit webhook: ENOENT.*none\n$/);
    expect(gone.status).toBe(1);
    const large = "--audit-webhook-truncate-max-event-size=20000000";
    const config = kubeconfig({ server: "http://127.0.0.1:1" }, {});
    const tooLong = up(auditFlags(config, "--audit-webhook-truncate-enabled", large));
    expect(tooLong.stderr).toBe(
      "wavetank: invalid audit truncate webhook max event size (20000000) is greater than max batch size (10485760)\n",
    );
  });
});
