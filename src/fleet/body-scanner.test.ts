import { assert, integer, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { type EventHead, ListScanner, WatchScanner } from "./body-scanner.ts";

const encoder = new TextEncoder();

/** In pieces of `size` bytes. */
function* pieces(text: string, size: number): Generator<Uint8Array> {
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const large = "x".repeat(100_000);
const item = JSON.stringify({ metadata: { name: "é", resourceVersion: "7" }, data: large });

describe("a scanner of lists", () => {
  const list = `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"12","continue":"abc"},"items":[${item},${item}]}`;

  it("finds revision and continue token, however the bytes come", () => {
    assert(
      property(integer({ min: 1, max: 70_000 }), (size) => {
        const scanner = new ListScanner();
        for (const piece of pieces(list, size)) scanner.take(piece);
        expect(scanner.head).toEqual({ resourceVersion: "12", continue: "abc" });
      }),
      { numRuns: 30 },
    );
  });

  it("does not take an item's revision for the list's", () => {
    const scanner = new ListScanner();
    scanner.take(encoder.encode(`{"kind":"List","metadata":{},"items":[${item}]}`));
    expect(scanner.head).toEqual({ resourceVersion: "", continue: "" });
  });
});

describe("a scanner of watches", () => {
  const status = { kind: "Status", code: 410, reason: "Expired" };
  const lines = [
    `{"type":"ADDED","object":${item}}`,
    `{"type":"BOOKMARK","object":{"kind":"Secret","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}}`,
    `{"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"10"}}}`,
    JSON.stringify({ type: "ERROR", object: status }),
  ];

  it("finds each event's head, however the bytes come", () => {
    assert(
      property(integer({ min: 1, max: 70_000 }), (size) => {
        const scanner = new WatchScanner();
        const seen: EventHead[] = [];
        for (const piece of pieces(`${lines.join("\n")}\n`, size))
          seen.push(...scanner.take(piece));
        expect(seen.map(({ type, resourceVersion }) => `${type} ${resourceVersion}`)).toEqual([
          "ADDED 7",
          "BOOKMARK 9",
          "DELETED 10",
          "ERROR ",
        ]);
        expect(seen.map(({ initialEventsEnd }) => initialEventsEnd)).toEqual([
          false,
          true,
          false,
          false,
        ]);
        expect(JSON.parse(seen[3]?.text ?? "")).toMatchObject({ object: status });
      }),
      { numRuns: 30 },
    );
  });

  it("tells nothing of half a line", () => {
    expect(new WatchScanner().take(encoder.encode('{"type":"ADDED","object":{'))).toEqual([]);
  });
});
