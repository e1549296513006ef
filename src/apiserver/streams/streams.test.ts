// The server's side of logs and processes: what it refuses, what it hands to the node, what leaves on which channel.
import { describe, expect, it } from "vitest";
import { internalError } from "../../api/meta/errors.ts";
import type { NodeStreams, ProcessSession } from "../../api/node-streams.ts";
import type { BodySink } from "../../host/http.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";
import { Query } from "../query.ts";
import { CollectingSink, bed, requestOf } from "../server.testbed.ts";
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

  it("ends what follows when the server drains", async () => {
    const { server } = await withPod({
      logs: () => (sink) =>
        new Promise((resolve) =>
          sink.signal.addEventListener("abort", () => resolve(), { once: true }),
        ),
    });
    const answer = await server.handle(requestOf(`${path}/log?follow=true`));
    const written =
      typeof answer.body === "function" ? answer.body(new CollectingSink()) : undefined;
    await server.drain();
    await written;
  });
});
