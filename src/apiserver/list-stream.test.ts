import { uncounted } from "../api/request-cost.ts";
import { describe, expect, it } from "vitest";
import type { Clock } from "../host/host.ts";
import type { BodySink } from "../host/http.ts";
import { ChunkPool, chunkBytes } from "./chunk-pool.ts";
import { indentJson, sliceMetadata } from "./json-bytes.ts";
import { type ListGround, type ListPieces, listBody } from "./list-stream.ts";
import { CollectingSink } from "./server.testbed.ts";

const utf8 = new TextEncoder();
const text = new TextDecoder();
const none = new Uint8Array(0);

const ground = (clock: Clock, pool: ChunkPool): ListGround => ({
  clock,
  pool,
  cost: uncounted(),
});

class Turns implements Clock {
  count = 0;
  now = (): number => 0;
  monotonic = (): number => 0;
  after = (): (() => void) => () => undefined;
  turn = async (): Promise<void> => {
    this.count++;
  };
}

const prefix = '{"kind":"Pod","apiVersion":"v1",';

function podList(objects: readonly object[]): ListPieces {
  return {
    head: utf8.encode(
      '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[',
    ),
    pieces: objects.map((object) =>
      utf8.encode(JSON.stringify({ kind: "Pod", apiVersion: "v1", ...object })),
    ),
    skip: prefix.length,
    lead: utf8.encode("{"),
    separator: utf8.encode(","),
    tail: utf8.encode("]}"),
  };
}

const pod = (n: number, size: number): object => ({
  metadata: { name: `p${n}`, labels: { ü: "ö" } },
  spec: { filler: "x".repeat(size) },
});

describe("listBody", () => {
  it.each([
    ["empty", 0, 10, "buffer", false],
    ["one", 1, 10, "buffer", false],
    ["just under a chunk", 60, 900, "buffer", false],
    ["between one chunk and gzip's limit", 100, 900, "stream", false],
    ["many small", 5_000, 100, "stream", true],
    ["items larger than a chunk", 5, 200_000, "stream", true],
  ])("is the stringified list: %s", async (_, count, size, form, large) => {
    const objects = Array.from({ length: count }, (_unused, n) => pod(n, size));
    const clock = new Turns();
    const { body, large: isLarge } = await listBody(
      ground(clock, new ChunkPool()),
      podList(objects),
    );
    expect(isLarge).toBe(large);
    const sink = new CollectingSink();
    if (typeof body === "function") await body(sink);
    else sink.chunks.push(body);
    expect(typeof body === "function" ? "stream" : "buffer").toBe(form);
    const whole = { kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "9" } };
    expect(sink.text).toBe(JSON.stringify({ ...whole, items: objects }));
    if (form === "stream") expect(clock.count).toBe(sink.chunks.length);
  });

  it("uses one pooled chunk for a list of any length and gives it back", async () => {
    const pool = new ChunkPool();
    const chunk = pool.take();
    pool.give(chunk);
    const objects = Array.from({ length: 500 }, (_unused, n) => pod(n, 2_000));
    const sink = new CollectingSink();
    const { body } = await listBody(ground(new Turns(), pool), podList(objects));
    if (typeof body === "function") await body(sink);
    expect(sink.chunks.every((part) => part.length <= chunkBytes)).toBe(true);
    expect(new Set(sink.handed.map(({ buffer }) => buffer))).toEqual(new Set([chunk.buffer]));
    expect(pool.take()).toBe(chunk);
  });

  it("gives others a turn after so many computed pieces, sent or not", async () => {
    const clock = new Turns();
    const objects = Array.from({ length: 400 }, (_unused, n) => pod(n, 900));
    const { body } = await listBody(ground(clock, new ChunkPool()), {
      ...podList(objects),
      perTurn: 10,
    });
    // 131 or so pieces make up the look-ahead.
    expect(clock.count).toBe(13);
    const sink = new CollectingSink();
    if (typeof body === "function") await body(sink);
    expect(clock.count).toBe(39 + sink.chunks.length);
  });

  it("rejects when the client is gone", async () => {
    const sink: BodySink = {
      signal: new AbortController().signal,
      write: () => Promise.reject(new Error("gone")),
    };
    const { body } = await listBody(
      ground(new Turns(), new ChunkPool()),
      podList([pod(1, 200_000)]),
    );
    await expect((body as (s: BodySink) => Promise<void>)(sink)).rejects.toThrow("gone");
  });
});

describe("json bytes", () => {
  it("cuts metadata out", () => {
    const object = {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: 'a"}\\', n: [{}] },
      spec: {},
    };
    const cut = sliceMetadata(utf8.encode(JSON.stringify(object)), prefix.length);
    expect(JSON.parse(text.decode(cut))).toEqual(object.metadata);
    expect(sliceMetadata(utf8.encode('{"kind":"Pod","spec":{}}'), 14)).toBeUndefined();
  });

  it.each([
    [{}],
    [[]],
    [{ a: {}, b: [], c: [1, { d: 'x:{"},' }], e: null }],
    [["a", ["b"]]],
    ["text"],
  ])("indents %j", (value) => {
    const indented = text.decode(indentJson(utf8.encode(JSON.stringify(value))));
    expect(indented).toBe(JSON.stringify(value, undefined, 2));
    expect(indentJson(none)).toHaveLength(0);
  });
});
