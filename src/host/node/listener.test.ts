// Real sockets on loopback: both protocols, bodies, back-pressure, silence, and closing.
import { once } from "node:events";
import { request as request1 } from "node:https";
import { connect as connect2, constants } from "node:http2";
import { connect as connectTls } from "node:tls";
import { gunzipSync } from "node:zlib";
import { WebSocket } from "ws";
import { afterEach, describe, expect, it } from "vitest";
import { type BodySink, BodyTooLargeError, type Handler, type HttpResponse } from "../http.ts";
import { type Pki, createPki } from "./certificates.ts";
import { type Listener, PortTakenError, listen } from "./listener.ts";
import { connectionLimitDefaults } from "./connection-limits.ts";
import { createNodeHost } from "./node-host.ts";

const { log } = createNodeHost("silent", () => {});
const pki: Pki = await createPki(["localhost", "127.0.0.1"], Date.now());
const listeners: Listener[] = [];

async function start(handler: Handler, port = 0): Promise<Listener> {
  const listener = await listen(
    {
      port,
      address: "127.0.0.1",
      certificate: pki.server.certificate,
      key: pki.server.key,
      clientCa: pki.ca.certificate,
      log,
      limits: connectionLimitDefaults,
    },
    handler,
  );
  listeners.push(listener);
  return listener;
}

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(50)));
});

interface Answer {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
}

interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: Buffer;
  readonly identity?: { certificate: string; key: string };
}

function ask1(port: number, ask: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = request1({
      host: "127.0.0.1",
      port,
      ca: pki.ca.certificate,
      agent: false,
      method: ask.method ?? "GET",
      path: ask.path ?? "/",
      headers: ask.headers ?? {},
      ...(ask.identity ? { cert: ask.identity.certificate, key: ask.identity.key } : {}),
    });
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    request.on("error", reject);
    request.end(ask.body);
  });
}

/** Hangs up on the first bytes of the answer. */
async function leave1(port: number): Promise<void> {
  const request = request1({ host: "127.0.0.1", port, ca: pki.ca.certificate, agent: false });
  request.end();
  const [response] = await once(request, "response");
  await once(response, "data");
  response.destroy();
}

async function leave2(port: number): Promise<void> {
  const session = connect2(`https://127.0.0.1:${port}`, { ca: pki.ca.certificate });
  const stream = session.request({ ":path": "/" });
  await once(stream, "data");
  session.destroy();
}

function ask2(port: number, ask: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const session = connect2(`https://127.0.0.1:${port}`, {
      ca: pki.ca.certificate,
      ...(ask.identity ? { cert: ask.identity.certificate, key: ask.identity.key } : {}),
    });
    session.on("error", reject);
    const stream = session.request({
      ":method": ask.method ?? "GET",
      ...(ask.method === "CONNECT" ? { ":authority": "127.0.0.1" } : { ":path": ask.path ?? "/" }),
      ...ask.headers,
    });
    const chunks: Buffer[] = [];
    let headers: Record<string, unknown> = {};
    stream.on("response", (got) => (headers = got));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("end", () => {
      session.close();
      resolve({ status: Number(headers[":status"]), headers, body: Buffer.concat(chunks) });
    });
    stream.end(ask.body);
  });
}

const ok = (body: HttpResponse["body"], more: Partial<HttpResponse> = {}): HttpResponse => ({
  status: 200,
  headers: [["content-type", "text/plain"]],
  body,
  ...more,
});

describe.each([
  ["HTTP/1.1", ask1],
  ["HTTP/2", ask2],
])("%s", (_name, ask) => {
  it("echoes method, target, repeated headers and body", async () => {
    const { port } = await start(async (request) =>
      ok(
        JSON.stringify({
          method: request.method,
          target: request.target,
          groups: request.repeated("impersonate-group"),
          body: new TextDecoder().decode(await request.body.read(100)),
        }),
      ),
    );
    const answer = await ask(port, {
      method: "POST",
      path: "/api/v1/pods?limit=5",
      headers: { "impersonate-group": ["a", "b, c"] },
      body: Buffer.from("hello"),
    });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body.toString())).toEqual({
      method: "POST",
      target: "/api/v1/pods?limit=5",
      groups: ["a", "b, c"],
      body: "hello",
    });
  });

  it("keeps repeated answer headers apart", async () => {
    const { port } = await start(() =>
      Promise.resolve({
        status: 201,
        headers: [
          ["warning", '299 - "one"'],
          ["warning", '299 - "two"'],
        ],
        body: "x",
      }),
    );
    const answer = await ask(port);
    expect(answer.status).toBe(201);
    expect(answer.headers["warning"]).toBe('299 - "one", 299 - "two"');
  });

  it("refuses a body over the limit and still answers", async () => {
    const { port } = await start(async (request) => {
      try {
        await request.body.read(1000);
        return ok("whole");
      } catch (error) {
        return { status: error instanceof BodyTooLargeError ? 413 : 500, headers: [], body: "no" };
      }
    });
    const answer = await ask(port, { method: "POST", body: Buffer.alloc(5000) });
    expect(answer.status).toBe(413);
  });

  it("streams with reused memory, plain and compressed", async () => {
    const chunk = new Uint8Array(65_536);
    const stream: HttpResponse["body"] = async (sink) => {
      for (let index = 0; index < 40; index++) {
        chunk.fill(65 + (index % 26));
        await sink.write(chunk);
      }
    };
    const { port } = await start((request) =>
      Promise.resolve(ok(stream, request.target === "/gz" ? { gzip: true } : {})),
    );
    const expected = Buffer.concat(
      Array.from({ length: 40 }, (_, index) => Buffer.alloc(65_536, 65 + (index % 26))),
    );
    const plain = await ask(port);
    expect(plain.body.equals(expected)).toBe(true);
    const packed = await ask(port, { path: "/gz" });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.body).equals(expected)).toBe(true);
  });

  it("answers HEAD without a body", async () => {
    const { port } = await start(() => Promise.resolve(ok("abc")));
    const answer = await ask(port, { method: "HEAD" });
    expect([answer.status, answer.body.byteLength]).toEqual([200, 0]);
  });

  it("knows the client by its certificate, and says why it refuses another", async () => {
    const { port } = await start((request) => Promise.resolve(ok(JSON.stringify(request.peer))));
    const known = JSON.parse((await ask(port, { identity: pki.admin })).body.toString());
    expect(known.certificate.commonName).toBe("kubernetes-admin");
    expect(known.certificate.organizations).toEqual(["system:masters"]);
    expect(known.certificate.sha256).toMatch(/^[0-9a-f]{64}$/);
    const stranger = await createPki([], Date.now());
    const refused = JSON.parse((await ask(port, { identity: stranger.admin })).body.toString());
    expect(refused.certificate).toBeUndefined();
    expect(refused.certificateRefused).toMatch(/VERIFY|SIGNATURE|ISSUER/i);
    const nobody = JSON.parse((await ask(port)).body.toString());
    expect(nobody).toEqual({ address: "127.0.0.1" });
  });
});

describe.each([
  ["HTTP/1.1", leave1],
  ["HTTP/2", leave2],
])("%s", (_name, leave) => {
  it("settles the write that a leaving client meets", async () => {
    const clients = 40;
    let begun = 0;
    let over = 0;
    let allOver = (): void => {};
    const end = new Promise<void>((resolve) => (allOver = resolve));
    const endless = async (sink: BodySink): Promise<void> => {
      begun++;
      try {
        for (;;) {
          await sink.write(Buffer.from("event\n"));
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        if (++over === clients) allOver();
      }
    };
    const { port } = await start(async () => ({ status: 200, headers: [], body: endless }));
    await Promise.all(Array.from({ length: clients }, () => leave(port)));
    await end;
    expect([begun, over]).toEqual([clients, clients]);
  });
});

it("answers a refused upload over HTTP/2 when it has come, so that the client's next request is not one too many", async () => {
  let asked: () => void = () => {};
  const heard = new Promise<void>((resolve) => (asked = resolve));
  const { port } = await start((request) => {
    if (request.method === "POST") asked();
    return Promise.resolve({ status: 401, headers: [], body: "no" });
  });
  const session = connect2(`https://127.0.0.1:${port}`, { ca: pki.ca.certificate });
  const upload = session.request({ ":method": "POST", ":path": "/" });
  let answered = false;
  upload.once("response", () => (answered = true));
  upload.resume();
  upload.write("half");
  await heard;
  await once(session.request({ ":path": "/" }).resume(), "close");
  expect(answered).toBe(false);
  upload.end("whole");
  const [headers] = (await once(upload, "response")) as [Record<string, unknown>];
  expect(headers[":status"]).toBe(401);
  session.destroy();
});

it("aborts the signal and the sink when the client leaves", async () => {
  const seen: string[] = [];
  let done: () => void = () => {};
  const finished = new Promise<void>((resolve) => (done = resolve));
  const { port } = await start((request) => {
    request.signal.addEventListener("abort", () => seen.push("signal"));
    return Promise.resolve(
      ok(async (sink) => {
        try {
          for (;;) await sink.write(new Uint8Array(65_536));
        } catch {
          seen.push("write rejected");
          done();
        }
      }),
    );
  });
  const session = connect2(`https://127.0.0.1:${port}`, { ca: pki.ca.certificate });
  const stream = session.request({ ":path": "/" });
  stream.once("data", () => session.destroy());
  stream.on("error", () => {});
  await finished;
  expect(seen).toEqual(["signal", "write rejected"]);
});

it.each<[string, (sink: BodySink) => Promise<void>]>([
  [
    "wait",
    (sink) => new Promise((resolve) => sink.signal.addEventListener("abort", () => resolve())),
  ],
  [
    "write",
    async (sink) => {
      for (;;) await sink.write(new Uint8Array(1000));
    },
  ],
])("ends answers that %s for a client that asked ahead and left", async (_name, body) => {
  const asked = 5;
  const open = countdown(asked);
  const ended = countdown(asked);
  const { port } = await start(() =>
    Promise.resolve(
      ok((sink) => {
        open.tick();
        return body(sink).finally(() => ended.tick());
      }),
    ),
  );
  const socket = connectTls({ port, host: "127.0.0.1", ca: pki.ca.certificate });
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(asked));
  await open.done;
  socket.destroy();
  await ended.done;
});

function countdown(from: number): { tick(): void; readonly done: Promise<void> } {
  let left = from;
  let tell: () => void = () => {};
  const done = new Promise<void>((resolve) => (tell = resolve));
  const tick = (): void => {
    if (--left === 0) tell();
  };
  return { tick, done };
}

it("hands on an HTTP/2 request without a path", async () => {
  const { port } = await start((request) => Promise.resolve(ok(JSON.stringify(request.target))));
  const answer = await ask2(port, { method: "CONNECT" });
  expect([answer.status, answer.body.toString()]).toEqual([200, '""']);
});

it("does not wait for the body of a client that left before it was asked for", async () => {
  let tell: (outcome: string) => void = () => {};
  const outcome = new Promise<string>((resolve) => (tell = resolve));
  const { port } = await start(async (request) => {
    if (!request.signal.aborted) await once(request.signal as unknown as EventTarget, "abort");
    await request.body.read(100).catch((error: Error) => tell(error.name));
    return ok("x");
  });
  const socket = connectTls({ port, host: "127.0.0.1", ca: pki.ca.certificate });
  socket.on("error", () => {});
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf", () =>
    socket.destroy(),
  );
  expect(await outcome).toBe("BodyAbortedError");
});

describe("an upgrade", () => {
  const upgrade = { connection: "Upgrade", upgrade: "websocket" };
  const hello = new TextEncoder().encode("hello");

  it("becomes a WebSocket when the handler says so", async () => {
    const { port } = await start(() =>
      Promise.resolve({
        status: 101,
        headers: [],
        webSocket: { frames: "text", subprotocol: "two" },
        body: async (sink) => {
          await sink.write(hello);
          await sink.write(hello);
        },
      }),
    );
    const socket = new WebSocket(`wss://127.0.0.1:${port}/`, ["one", "two"], {
      ca: pki.ca.certificate,
    });
    const frames: string[] = [];
    socket.on("message", (bytes: Buffer, isBinary) =>
      frames.push(`${isBinary} ${bytes.toString()}`),
    );
    const [code] = (await once(socket, "close")) as [number];
    expect([code, socket.protocol, frames]).toEqual([1000, "two", ["false hello", "false hello"]]);
  });

  it("hands over what a client sends where the answer listens, until the client leaves", async () => {
    const heard: string[] = [];
    let over: (aborted: boolean) => void = () => {};
    const left = new Promise<boolean>((resolve) => (over = resolve));
    const body = async (sink: BodySink): Promise<void> => {
      const { incoming } = sink;
      for (
        let frame = await incoming?.next();
        frame !== undefined;
        frame = await incoming?.next()
      ) {
        heard.push(new TextDecoder().decode(frame));
        await sink.write(frame);
      }
      over(sink.signal.aborted);
    };
    const { port } = await start(() =>
      Promise.resolve({
        status: 101,
        headers: [],
        webSocket: { frames: "binary", twoWay: true },
        body,
      }),
    );
    const socket = new WebSocket(`wss://127.0.0.1:${port}/`, { ca: pki.ca.certificate });
    await once(socket, "open");
    const echoed: number[] = [];
    socket.on("message", (bytes: Buffer) => echoed.push(bytes.byteLength));
    // More than may wait at once, so reading pauses and goes on.
    const sizes = [5, 200_000, 200_000, 7];
    for (const size of sizes) socket.send("x".repeat(size));
    while (echoed.length < sizes.length) await once(socket, "message");
    expect([echoed, heard.map((text) => text.length)]).toEqual([sizes, sizes]);
    socket.terminate();
    expect(await left).toBe(true);
  });

  it("runs the body, so that what it holds is let go, also when the handshake fails", async () => {
    let ran: (aborted: boolean) => void = () => {};
    const sawAborted = new Promise<boolean>((resolve) => (ran = resolve));
    const body = (sink: BodySink): Promise<void> => Promise.resolve(ran(sink.signal.aborted));
    const { port } = await start(() =>
      Promise.resolve({ status: 101, headers: [], webSocket: { frames: "text" }, body }),
    );
    const headers = { ...upgrade, "sec-websocket-version": "13", "sec-websocket-key": "no key" };
    expect((await ask1(port, { headers })).status).toBe(400);
    expect(await sawAborted).toBe(true);
  });

  it.each([
    ["bytes", "refused"],
    ["a stream", (sink: BodySink) => sink.write(new TextEncoder().encode("refused"))],
  ])("is answered plainly with %s otherwise", async (_name, body) => {
    const { port } = await start(() => Promise.resolve({ status: 403, headers: [], body }));
    const answer = await ask1(port, { headers: upgrade });
    expect([answer.status, answer.body.toString()]).toEqual([403, "refused"]);
  });
});

it("says which port is taken", async () => {
  const first = await start(() => Promise.resolve(ok("x")));
  await expect(start(() => Promise.resolve(ok("x")), first.port)).rejects.toThrow(PortTakenError);
});

it("closes at once although silent connections are open", async () => {
  const listener = await start(() => Promise.resolve(ok("x")));
  const silent = connectTls({ port: listener.port, host: "127.0.0.1", ca: pki.ca.certificate });
  silent.on("error", () => {});
  await new Promise((resolve) => silent.once("secureConnect", resolve));
  await ask1(listener.port);
  const closed = new Promise((resolve) => silent.once("close", resolve));
  listeners.splice(listeners.indexOf(listener), 1);
  await listener.close(5_000);
  await closed;
  expect(listener.connections()).toBe(0);
});

it("outlives HTTP/2 requests that are reset while they wait for their turn", async () => {
  let begun = 0;
  const { port } = await start(() => {
    begun++;
    // Longer than the slice that requests begin in: the next one waits for another turn of the loop.
    const until = performance.now() + 5;
    while (performance.now() < until);
    return Promise.resolve(ok("late"));
  });
  const session = connect2(`https://127.0.0.1:${port}`, { ca: pki.ca.certificate });
  await once(session, "connect");
  const streams = Array.from({ length: 50 }, () => session.request({ ":path": "/" }));
  for (const stream of streams) stream.on("error", () => {});
  await once(streams[0]!, "response");
  for (const stream of streams) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  expect((await ask2(port)).status).toBe(200);
  expect(begun).toBeLessThan(51);
  session.destroy();
});
