// Each guard at the door with a small limit, over real sockets. Limits of time are short; nothing asserts how long it took.
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connect2 } from "node:http2";
import { type Socket, connect as connectTcp } from "node:net";
import { type TLSSocket, connect as connectTls } from "node:tls";
import { afterEach, expect, it } from "vitest";
import type { Handler, HttpResponse } from "../http.ts";
import { type Pki, createPki } from "./certificates.ts";
import { type ConnectionLimits, connectionLimitDefaults } from "./connection-limits.ts";
import { type Listener, listen } from "./listener.ts";
import { createNodeHost } from "./node-host.ts";

const { log } = createNodeHost("silent", () => {});
const pki: Pki = await createPki(["localhost", "127.0.0.1"], Date.now());
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const ok: Handler = () => Promise.resolve(answer("ok"));

function answer(body: HttpResponse["body"]): HttpResponse {
  return { status: 200, headers: [], body };
}

async function start(limits: Partial<ConnectionLimits>, handler = ok): Promise<Listener> {
  const { certificate, key } = pki.server;
  const clientCa = pki.ca.certificate;
  const listener = await listen(
    {
      port: 0,
      address: "127.0.0.1",
      certificate,
      key,
      clientCa,
      log,
      limits: { ...connectionLimitDefaults, ...limits },
    },
    handler,
  );
  ends.push(() => listener.close(50));
  return listener;
}

function tcp({ port }: Listener): Socket {
  const socket = connectTcp(port, "127.0.0.1");
  socket.on("error", () => {});
  ends.push(() => socket.destroy());
  return socket;
}

async function speaking({ port }: Listener): Promise<TLSSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", ca: pki.ca.certificate });
  socket.on("error", () => {});
  ends.push(() => socket.destroy());
  await once(socket, "secureConnect");
  return socket;
}

function session(
  { port }: Listener,
  settings: { initialWindowSize?: number } = {},
): ClientHttp2Session {
  const made = connect2(`https://127.0.0.1:${port}`, { ca: pki.ca.certificate, settings });
  made.on("error", () => {});
  ends.push(() => made.destroy());
  return made;
}

function cuts(listener: Listener, guard: string): number {
  const family = listener.figures.find(({ name }) => name === "wavetank_connections_cut_total");
  return [...(family?.read() ?? [])].find(([[label]]) => label === guard)?.[1] ?? -1;
}

function figure(listener: Listener, name: string): number {
  const family = listener.figures.find((each) => each.name === name);
  return [...(family?.read() ?? [])][0]?.[1] ?? -1;
}

async function statusOf(stream: ClientHttp2Stream): Promise<number> {
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  return Number(headers[":status"]);
}

it.each<[string, Partial<ConnectionLimits>]>([
  ["total", { connectionsMax: 2 }],
  ["peer", { connectionsPerPeerMax: 2 }],
])("refuses connections over the limit: %s", async (guard, limits) => {
  const listener = await start(limits);
  const first = await speaking(listener);
  await speaking(listener);
  await once(tcp(listener), "close");
  expect(cuts(listener, guard)).toBe(1);
  first.destroy();
  await once(first, "close");
  // The server hears of it in its own time; one that is refused meanwhile tries again.
  let third: TLSSocket | undefined;
  while (third === undefined) third = await speaking(listener).catch(() => undefined);
  expect(third.authorized).toBe(true);
});

it("cuts the oldest of too many handshakes", async () => {
  const listener = await start({ handshakesMax: 1 });
  const silent = tcp(listener);
  await once(silent, "connect");
  const closed = once(silent, "close");
  await speaking(listener);
  await closed;
  expect(cuts(listener, "handshakes")).toBe(1);
});

it("ends a handshake that does not come", async () => {
  const listener = await start({ handshakeMs: 50 });
  const silent = tcp(listener);
  await once(silent, "close");
  expect(cuts(listener, "handshakeTimeout")).toBe(1);
});

it("closes a connection that only pings", async () => {
  const listener = await start({ idleMs: 60 });
  const client = session(listener);
  const pinging = setInterval(() => client.destroyed || client.ping(() => {}), 5);
  ends.push(() => clearInterval(pinging));
  await once(client, "close");
  expect(cuts(listener, "idle")).toBe(1);
});

it("leaves a connection alone whose watch is silent", async () => {
  let end: () => void = () => {};
  const over = new Promise<void>((resolve) => (end = resolve));
  const listener = await start({ idleMs: 30 }, ({ target }) =>
    Promise.resolve(answer(target === "/watch" ? () => over : "ok")),
  );
  const quiet = session(listener);
  const watch = quiet.request({ ":path": "/watch" });
  await statusOf(watch);
  // Another connection that is idle is closed meanwhile: the guard has looked.
  await once(session(listener), "close");
  expect(quiet.destroyed).toBe(false);
  expect(figure(listener, "wavetank_http2_streams")).toBe(1);
  end();
});

it.each([60_000, 2_000_000])("drops an answer of %i bytes that is not taken", async (size) => {
  const big = new Uint8Array(size);
  const listener = await start({ takeMs: 60 }, () => Promise.resolve(answer(big)));
  const client = session(listener, { initialWindowSize: 100 });
  const stream = client.request({ ":path": "/" });
  stream.on("error", () => {});
  await statusOf(stream);
  stream.pause();
  for (let pings = 0; cuts(listener, "answerNotTaken") === 0 && pings < 10_000; pings++)
    await new Promise((resolve) => client.ping(resolve));
  expect(cuts(listener, "answerNotTaken")).toBe(1);
  expect(figure(listener, "wavetank_http2_streams")).toBe(0);
});

it("tells its limit of streams", async () => {
  const client = session(await start({ streamsMax: 7 }));
  const [settings] = (await once(client, "remoteSettings")) as [{ maxConcurrentStreams: number }];
  expect(settings.maxConcurrentStreams).toBe(7);
});

it("holds many large bodies and answers of one connection within a small memory", async () => {
  const large = Buffer.alloc(1_000_000, 120);
  const listener = await start({ sessionMegabytesMax: 10 }, async ({ body }) =>
    answer(await body.read(2_000_000)),
  );
  const client = session(listener);
  const sizes = await Promise.all(
    Array.from({ length: 32 }, async () => {
      const stream = client.request({ ":path": "/", ":method": "POST" });
      stream.end(large);
      let bytes = 0;
      for await (const chunk of stream) bytes += (chunk as Buffer).length;
      return bytes;
    }),
  );
  expect(sizes).toEqual(Array.from({ length: 32 }, () => large.length));
});

it("ends a body that drips in over HTTP/1.1", async () => {
  const listener = await start({ headersMs: 40, bodyMs: 80 }, async ({ body }) =>
    answer(await body.read(100).catch(() => "broken off")),
  );
  const socket = await speaking(listener);
  let said = "";
  socket.on("data", (chunk: Buffer) => (said += chunk.toString()));
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\n");
  const dripping = setInterval(() => socket.destroyed || socket.write("x"), 10);
  ends.push(() => clearInterval(dripping));
  await once(socket, "close");
  expect(said).toMatch(/^HTTP\/1.1 408/);
});

it("stops a body over HTTP/2 that nobody wants any more", async () => {
  const listener = await start({}, () => Promise.resolve(answer("enough")));
  const client = session(listener);
  const stream = client.request({ ":path": "/", ":method": "POST" });
  stream.on("error", () => {});
  const dripping = setInterval(() => stream.destroyed || stream.write("x"), 10);
  ends.push(() => clearInterval(dripping));
  stream.resume();
  await once(stream, "close");
  expect(figure(listener, "wavetank_http2_streams")).toBe(0);
});

it("refuses headers over the limit", async () => {
  const listener = await start({ headerBytesMax: 4_096 });
  const socket = await speaking(listener);
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(9_000)}\r\n\r\n`);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1.1 431/);
});
