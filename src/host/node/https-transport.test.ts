// A real listener on loopback, reached as another process would reach it.
import { afterEach, describe, expect, it } from "vitest";
import type { Handler, HttpRequest } from "../http.ts";
import { type Pki, createPki } from "./certificates.ts";
import { type ServerTransport, createHttpsTransport } from "./https-transport.ts";
import { credentialsOf } from "./kubeconfig-credentials.ts";
import { type Listener, listen } from "./listener.ts";
import { connectionLimitDefaults } from "./connection-limits.ts";
import { createNodeHost } from "./node-host.ts";

const { log } = createNodeHost("silent", () => {});
const pki: Pki = await createPki(["localhost", "127.0.0.1"], Date.now());
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function serve(handler: Handler): Promise<Listener> {
  const listener = await listen(
    {
      port: 0,
      address: "127.0.0.1",
      certificate: pki.server.certificate,
      key: pki.server.key,
      clientCa: pki.ca.certificate,
      log,
      limits: connectionLimitDefaults,
    },
    handler,
  );
  cleanups.push(() => listener.close(50));
  return listener;
}

function kubeconfig(port: number): string {
  const data = (pem: string): string => Buffer.from(pem).toString("base64");
  return `
current-context: main
contexts: [{ name: main, context: { cluster: c, user: u } }]
clusters:
- name: c
  cluster: { server: "https://127.0.0.1:${port}", certificate-authority-data: ${data(pki.ca.certificate)} }
users:
- name: u
  user:
    client-certificate-data: ${data(pki.admin.certificate)}
    client-key-data: ${data(pki.admin.key)}
`;
}

function transportTo(port: number): ServerTransport {
  const https = createHttpsTransport(credentialsOf(kubeconfig(port), "/"));
  cleanups.push(() => https.close());
  return https;
}

function request(method: string, target: string, body = ""): HttpRequest & { abort(): void } {
  const controller = new AbortController();
  const headers = { accept: "application/json", "user-agent": "test/1" };
  return {
    method,
    target,
    headers,
    repeated: () => [],
    body: { read: () => Promise.resolve(encoder.encode(body)) },
    peer: { address: "" },
    signal: controller.signal,
    abort: () => controller.abort(),
  };
}

async function textOf(response: Awaited<ReturnType<Handler>>): Promise<string> {
  const chunks: Uint8Array[] = [];
  if (typeof response.body !== "function") throw new Error("a streamed body was expected");
  const write = async (chunk: Uint8Array): Promise<void> => void chunks.push(chunk.slice());
  await response.body({ signal: new AbortController().signal, write });
  return decoder.decode(Buffer.concat(chunks));
}

describe("the HTTPS transport", () => {
  it("carries method, path, headers, body and who we are", async () => {
    const listener = await serve(async ({ method, target, headers, body, peer }) => ({
      status: 201,
      headers: [["x-test", "yes"]],
      body: JSON.stringify([
        method,
        target,
        headers["user-agent"],
        decoder.decode(await body.read(100)),
        peer.certificate?.commonName,
      ]),
    }));
    const { transport } = transportTo(listener.port);
    const response = await transport(request("POST", "/api/v1/pods?limit=1", "hello"));
    expect(response.status).toBe(201);
    expect(response.headers).toContainEqual(["x-test", "yes"]);
    expect(JSON.parse(await textOf(response))).toEqual([
      "POST",
      "/api/v1/pods?limit=1",
      "test/1",
      "hello",
      "kubernetes-admin",
    ]);
  });

  it("opens another connection when one is full of watches", async () => {
    const listener = await serve(({ target }) =>
      Promise.resolve({
        status: 200,
        headers: [],
        body:
          target === "/watch"
            ? async (sink) => {
                await sink.write(encoder.encode("x"));
                await new Promise<void>((resolve) =>
                  sink.signal.addEventListener("abort", () => resolve()),
                );
              }
            : "plain",
      }),
    );
    const { transport } = transportTo(listener.port);
    const watches = Array.from({ length: 600 }, () => request("GET", "/watch"));
    await Promise.all(watches.map((watch) => transport(watch)));
    expect(await textOf(await transport(request("GET", "/plain")))).toBe("plain");
    for (const watch of watches) watch.abort();
  });

  it("tells the server when a watch is given up", async () => {
    let left: () => void = () => undefined;
    const leaving = new Promise<void>((resolve) => (left = resolve));
    const listener = await serve(() =>
      Promise.resolve({
        status: 200,
        headers: [],
        body: async (sink) => {
          await sink.write(encoder.encode("x"));
          sink.signal.addEventListener("abort", left);
          await leaving;
        },
      }),
    );
    const { transport } = transportTo(listener.port);
    const watch = request("GET", "/watch");
    const response = await transport(watch);
    watch.abort();
    await leaving;
    await expect(textOf(response)).rejects.toThrow();
  });

  it("says whether anybody was there", async () => {
    const listener = await serve(() => Promise.reject(new Error("never asked")));
    await listener.close(50);
    const { transport } = transportTo(listener.port);
    await expect(transport(request("GET", "/"))).rejects.toMatchObject({
      name: "ConnectionError",
      refused: true,
    });
  });

  it("rejects when the answer breaks off", async () => {
    const listener = await serve(() =>
      Promise.resolve({
        status: 200,
        headers: [],
        body: async (sink) => {
          await sink.write(encoder.encode("half"));
          throw new Error("no more");
        },
      }),
    );
    const { transport } = transportTo(listener.port);
    const response = await transport(request("GET", "/"));
    await expect(textOf(response)).rejects.toThrow();
  });
});

describe("a kubeconfig", () => {
  it("says what is missing", () => {
    expect(() => credentialsOf("{}", "/")).toThrow('kubeconfig has no context ""');
    const noServer = "contexts: [{ name: a, context: { cluster: b } }]";
    expect(() => credentialsOf(noServer, "/", "a")).toThrow('context "a" names no server');
  });

  it("reads tokens", () => {
    const text = `
contexts: [{ name: a, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "https://x", insecure-skip-tls-verify: true } }]
users: [{ name: u, user: { token: abc } }]`;
    expect(credentialsOf(text, "/", "a")).toMatchObject({
      server: "https://x",
      insecure: true,
      token: "abc",
      ca: undefined,
    });
  });
});
