// The server's side of logs and processes: what it refuses, what it hands to the node, what leaves on which channel.
import { describe, expect, it } from "vitest";
import { internalError } from "../../api/meta/errors.ts";
import { KubeletRefusal, type NodeStreams, type ProcessSession } from "../../api/node-streams.ts";
import type { BodySink, HttpResponse } from "../../host/http.ts";
import { assert } from "../../std/assert.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";
import { Query } from "../query.ts";
import { CollectingSink, bed, requestOf } from "../server.testbed.ts";
import { type Frame, FrameReader, FrameWriter } from "../spdy/frames.ts";
import { ByteQueue } from "./byte-queue.ts";
import { chooseProtocol, readFrame, resultOf } from "./channels.ts";
import { readLogOptions } from "./log-options.ts";

describe("log options", () => {
  it("are read", () => {
    const query = new Query("follow=true&tailLines=3&sinceSeconds=10&limitBytes=9&timestamps=true");
    expect(readLogOptions(query, "p", 50_000)).toEqual({
      follow: true,
      previous: false,
      timestamps: true,
      since: 40_000,
      tailLines: 3,
      limitBytes: 9,
      stream: "All",
    });
  });

  it.each([
    [
      "tailLines=-1",
      'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      "limitBytes=0",
      'PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
    ],
    [
      "sinceSeconds=0",
      'PodLogOptions "p" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0',
    ],
    [
      "sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z",
      "at most one of `sinceTime` or `sinceSeconds` may be specified",
    ],
    ["tailLines=x", 'strconv.ParseInt: parsing "x": invalid syntax'],
    ["stream=Neither", 'stream: Unsupported value: "Neither"'],
  ])("%s is refused", (query, words) => {
    expect(() => readLogOptions(new Query(query), "p", 0)).toThrow(words);
  });
});

describe("channels", () => {
  it.each([
    [["v5.channel.k8s.io", "v4.channel.k8s.io"], "v5.channel.k8s.io"],
    [["v9.channel.k8s.io", "channel.k8s.io"], "channel.k8s.io"],
    [["v9.channel.k8s.io"], undefined],
    [[], ""],
  ])("%j: %s", (offered, chosen) => {
    expect(chooseProtocol(offered)).toBe(chosen);
  });

  it("close standard input in v5 only", () => {
    const close = Uint8Array.of(255, 0);
    expect(readFrame(close, "v5.channel.k8s.io").is).toBe("end of stdin");
    expect(readFrame(close, "v4.channel.k8s.io").is).toBe("nothing");
    expect(readFrame(new Uint8Array(0), "v5.channel.k8s.io").is).toBe("nothing");
  });

  it("tell how the process ended", () => {
    const text = (bytes: Uint8Array | undefined): string | undefined =>
      bytes === undefined ? undefined : decodeUtf8(bytes);
    expect(text(resultOf(0, "v4.channel.k8s.io"))).toBe('{"metadata":{},"status":"Success"}');
    expect(JSON.parse(text(resultOf(2, "v5.channel.k8s.io"))!)).toMatchObject({
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "2" }] },
    });
    expect(text(resultOf(0, "channel.k8s.io"))).toBeUndefined();
    expect(text(resultOf(internalError("broken"), ""))).toBe("Internal error occurred: broken");
  });
});

describe("a byte queue", () => {
  it("lets the writer wait while too much is there", async () => {
    const queue = new ByteQueue(3);
    let written = false;
    const pushed = queue.push(encodeUtf8("abcd")).then(() => (written = true));
    await Promise.resolve();
    expect(written).toBe(false);
    expect(decodeUtf8((await queue.next())!)).toBe("abcd");
    await pushed;
    queue.end();
    expect(await queue.next()).toBeUndefined();
  });

  it("frees both sides at its end", async () => {
    const full = new ByteQueue(1);
    const pushed = full.push(encodeUtf8("abc"));
    full.end();
    await pushed;
    const empty = new ByteQueue(1);
    const read = empty.next();
    empty.end();
    expect(await read).toBeUndefined();
  });
});

describe("a pod", () => {
  const path = "/api/v1/namespaces/default/pods/p";
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-protocol": "v5.channel.k8s.io",
  };

  async function withPod(streams: Partial<NodeStreams>) {
    const nodeStreams: NodeStreams = {
      logs: () => (sink) => sink.write(encodeUtf8("line\n")),
      exec: () => async () => 0,
      attach: () => async () => 0,
      portForward: () => async () => {},
      ...streams,
    };
    const made = bed({ nodeStreams });
    const spec = { nodeName: "n", containers: [{ name: "a", image: "i" }] };
    const body = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default" },
      spec,
    };
    const created = await made.send("/api/v1/namespaces/default/pods", { method: "POST", body });
    expect(created.status).toBe(201);
    return made;
  }

  it("has logs as plain text", async () => {
    const { send } = await withPod({});
    const { status, headers, text } = await send(`${path}/log`);
    expect([status, headers["content-type"], text]).toEqual([200, ["text/plain"], "line\n"]);
  });

  it("refuses a container that it has not", async () => {
    const { send } = await withPod({});
    expect((await send(`${path}/log?container=x`)).json()).toMatchObject({
      code: 400,
      message: "container x is not valid for pod p",
    });
  });

  it("wants an upgrade for a process, and a stream of it", async () => {
    const { send } = await withPod({});
    expect(
      (await send(`${path}/exec?command=x&stdout=true`, { method: "POST" })).json(),
    ).toMatchObject({
      code: 400,
      message: "Upgrade request required",
    });
    expect((await send(`${path}/exec?command=x`, { headers: upgrade })).json()).toMatchObject({
      code: 400,
      message: "you must specify at least 1 of stdin, stdout, stderr",
    });
  });

  it("runs a process on the channels of a WebSocket", async () => {
    const session: ProcessSession = async ({ stdin, stdout, stderr }) => {
      for (let bytes = await stdin!(); bytes !== undefined; bytes = await stdin!())
        await stdout(bytes);
      await stderr(encodeUtf8("bye"));
      return 5;
    };
    let asked: unknown;
    const { server } = await withPod({
      exec: (target, command) => {
        asked = { target, command };
        return session;
      },
    });
    const query = "command=a&command=b&stdin=true&stdout=true&stderr=true";
    const answer = await server.handle(requestOf(`${path}/exec?${query}`, { headers: upgrade }));
    expect(answer.webSocket).toEqual({
      frames: "binary",
      twoWay: true,
      subprotocol: "v5.channel.k8s.io",
    });
    const frames = [Uint8Array.of(0, 104, 105), Uint8Array.of(4, 123, 125), Uint8Array.of(255, 0)];
    const sink = new CollectingSink();
    const twoWay: BodySink = {
      signal: sink.signal,
      write: (chunk) => sink.write(chunk),
      incoming: {
        next: () => (frames.length > 0 ? Promise.resolve(frames.shift()) : new Promise(() => {})),
      },
    };
    if (typeof answer.body === "function") await answer.body(twoWay);
    const sent = sink.chunks.map((chunk) => `${chunk[0]} ${decodeUtf8(chunk.subarray(1))}`);
    expect(sent.slice(0, 5)).toEqual(["1 ", "2 ", "3 ", "1 hi", "2 bye"]);
    expect(JSON.parse(sent[5]!.slice(2))).toMatchObject({ reason: "NonZeroExitCode" });
    expect(asked).toEqual({
      target: { node: "n", namespace: "default", pod: "p", container: "a" },
      command: ["a", "b"],
    });
  });

  describe("whose container does not run", () => {
    const refuse = (): never => {
      throw new KubeletRefusal('container not found ("a")');
    };
    const exec = `${path}/exec?command=a&stdout=true`;

    it("is refused in the kubelet's words where the connection is handed on", async () => {
      const { send } = await withPod({ exec: refuse });
      const spdy = { upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" };
      const v4 = { ...upgrade, "sec-websocket-protocol": "v4.channel.k8s.io" };
      for (const headers of [{ connection: "Upgrade", ...spdy }, v4]) {
        const { status, text } = await send(exec, { headers });
        expect([status, text]).toEqual([500, 'container not found ("a")']);
      }
    });

    it("is refused at the end of the stream that a v5 client has by then", async () => {
      const { server } = await withPod({ exec: refuse });
      const answer = await server.handle(requestOf(exec, { headers: upgrade }));
      expect(answer.status).toBe(101);
      const sink = new CollectingSink();
      assert(typeof answer.body === "function", "a process streams");
      await answer.body(sink);
      expect(JSON.parse(decodeUtf8(sink.chunks.at(-1)!.subarray(1)))).toMatchObject({
        reason: "InternalError",
        message: 'Internal error occurred: unable to upgrade connection: container not found ("a")',
      });
    });
  });

  it("ends what follows when the server drains", async () => {
    const { server } = await withPod({
      logs: () => (sink) =>
        new Promise((resolve) =>
          sink.signal.addEventListener("abort", () => resolve(), { once: true }),
        ),
    });
    const { body } = await server.handle(requestOf(`${path}/log?follow=true`));
    assert(typeof body === "function", "a log streams");
    const written = body(new CollectingSink());
    await server.drain();
    await expect(written).resolves.toBeUndefined();
  });

  describe("over SPDY", () => {
    const spdy = (protocol: string): Record<string, string> => ({
      connection: "Upgrade",
      upgrade: "SPDY/3.1",
      "x-stream-protocol-version": protocol,
    });

    /** A client that opens streams, sends what it has and reads until the server ends. */
    async function talk(answer: HttpResponse, frames: readonly Frame[]): Promise<Frame[]> {
      const writer = new FrameWriter();
      const wire = frames.map((frame) => writer.write(frame));
      const sink = new CollectingSink();
      const next = async (): Promise<Uint8Array | undefined> => wire.shift() ?? sink.quiet();
      const incoming = { next };
      if (typeof answer.body === "function")
        await answer.body({
          signal: sink.signal,
          write: (chunk) => sink.write(chunk),
          incoming,
        });
      const reader = new FrameReader();
      return sink.chunks.flatMap((chunk) => Array.from(reader.read(chunk)));
    }

    const open = (id: number, headers: Record<string, string>, fin = false): Frame => ({
      is: "open",
      id,
      fin,
      headers: new Map(Object.entries(headers)),
    });
    const data = (id: number, text: string, fin = false): Frame => ({
      is: "data",
      id,
      fin,
      bytes: encodeUtf8(text),
    });
    const said = (frames: readonly Frame[], id: number): string =>
      frames
        .map((one) => (one.is === "data" && one.id === id ? decodeUtf8(one.bytes) : ""))
        .join("");

    it("runs a process, and says how it ended", async () => {
      const session: ProcessSession = async ({ stdin, stdout, stderr }) => {
        for (let bytes = await stdin!(); bytes !== undefined; bytes = await stdin!())
          await stdout(bytes);
        await stderr(encodeUtf8("bye"));
        return 5;
      };
      const { server } = await withPod({ exec: () => session });
      const query = "command=a&stdin=true&stdout=true&stderr=true";
      const headers = spdy("v9.channel.k8s.io, v4.channel.k8s.io");
      const answer = await server.handle(
        requestOf(`${path}/exec?${query}`, { method: "POST", headers }),
      );
      expect([answer.status, answer.bytesProtocol]).toEqual([101, "SPDY/3.1"]);
      expect(answer.headers).toContainEqual(["x-stream-protocol-version", "v4.channel.k8s.io"]);
      const got = await talk(answer, [
        open(1, { streamtype: "error" }),
        open(3, { streamtype: "stdin" }),
        open(5, { streamtype: "stdout" }),
        open(7, { streamtype: "stderr" }),
        data(3, "hello", true),
      ]);
      expect([said(got, 5), said(got, 7)]).toEqual(["hello", "bye"]);
      expect(JSON.parse(said(got, 1))).toMatchObject({ reason: "NonZeroExitCode" });
      expect(got.filter((one) => one.is === "data" && one.fin)).toHaveLength(4);
    });

    it("refuses protocols that it does not know", async () => {
      const { send } = await withPod({});
      const { status, text } = await send(`${path}/portforward`, {
        method: "POST",
        headers: spdy("x"),
      });
      expect([status, text]).toEqual([
        403,
        "unable to upgrade: unable to negotiate protocol: client supports [x], server accepts [portforward.k8s.io]\n",
      ]);
    });

    it("forwards ports, in a WebSocket as well", async () => {
      const portForward: NodeStreams["portForward"] = () => async (port, connection) => {
        if (port === 81) throw internalError("refused");
        await connection.write(encodeUtf8(`${port}: `));
        const bytes = await connection.next();
        if (bytes !== undefined) await connection.write(bytes);
      };
      const { server } = await withPod({ portForward });
      const tunnel = { ...upgrade, "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io" };
      for (const headers of [spdy("portforward.k8s.io"), tunnel]) {
        const answer = await server.handle(requestOf(`${path}/portforward`, { headers }));
        const got = await talk(answer, [
          open(1, { streamtype: "error", port: "80", requestid: "0" }, true),
          open(3, { streamtype: "data", port: "80", requestid: "0" }),
          data(3, "hi"),
          open(5, { streamtype: "error", port: "81", requestid: "1" }, true),
          open(7, { streamtype: "data", port: "81", requestid: "1" }),
          open(9, { streamtype: "data", port: "0", requestid: "2" }),
          { is: "ping", id: 1 },
        ]);
        expect([said(got, 3), said(got, 1)]).toEqual(["80: hi", ""]);
        expect([said(got, 7), said(got, 5)]).toEqual(["", "Internal error occurred: refused"]);
        expect(got).toContainEqual({ is: "reset", id: 9, status: 1 });
        expect(got).toContainEqual({ is: "ping", id: 1 });
      }
    });

    it("says go away to who breaks the protocol", async () => {
      const { server } = await withPod({});
      const headers = spdy("portforward.k8s.io");
      const answer = await server.handle(requestOf(`${path}/portforward`, { headers }));
      const sink = new CollectingSink();
      const junk = [Uint8Array.of(0x80, 2, 0, 1, 0, 0, 0, 0)];
      const incoming = { next: () => Promise.resolve(junk.shift()) };
      if (typeof answer.body === "function")
        await answer.body({
          signal: sink.signal,
          write: (chunk) => sink.write(chunk),
          incoming,
        });
      expect([...new FrameReader().read(sink.chunks[0]!)]).toEqual([
        { is: "go away", last: 0, status: 1 },
      ]);
    });
  });
});
