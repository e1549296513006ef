import { describe, expect, it } from "vitest";
import { createTestHost } from "../../host/host.testbed.ts";
import { type BatchLimits, EventBatcher, type Throttle, noThrottle } from "./event-batcher.ts";
import { LostEvents } from "./lost-events.ts";

const usual: BatchLimits = { bufferSize: 10, maxSize: 4, maxWaitMs: 30_000, bytesMax: Infinity };

function open(limits: Partial<BatchLimits> = {}, throttle: Throttle = noThrottle) {
  const host = createTestHost();
  const batches: string[] = [];
  const outlet = {
    closed: false,
    write: (events: readonly string[]) => batches.push(events.join("")) > 0,
    close: () => void (outlet.closed = true),
  };
  const lost = new LostEvents(host);
  const parts = { clock: host.clock, outlet, throttle, lost };
  const batcher = new EventBatcher(parts, { ...usual, ...limits });
  const put = (texts: string): void => texts.split("").forEach((text) => batcher.put(text));
  return { host, batches, outlet, lost, batcher, put };
}

/** Each batch but the first waits so long. */
function slow(ms: number): Throttle {
  let asked = 0;
  return { reserve: () => (asked++ === 0 ? 0 : ms) };
}

describe("a batch", () => {
  it("leaves when the oldest event has waited long enough", async () => {
    const { host, batches, put } = open();
    put("a");
    await host.advance(20_000);
    put("b");
    await host.advance(9_999);
    expect(batches).toEqual([]);
    await host.advance(1);
    expect(batches).toEqual(["ab"]);
    expect(host.timers).toBe(0);
  });

  it("leaves when it is full, but not within the request that filled it", async () => {
    const { host, batches, put } = open();
    put("abcdef");
    expect(batches).toEqual([]);
    await host.advance(0);
    expect(batches).toEqual(["abcd"]);
    await host.advance(30_000);
    expect(batches).toEqual(["abcd", "ef"]);
  });

  it("waits for the throttle, full or ripe", async () => {
    const { host, batches, put } = open({}, slow(1_000));
    put("abcdefghi");
    await host.advance(0);
    expect(batches).toEqual(["abcd"]);
    await host.advance(1_000);
    expect(batches).toEqual(["abcd", "efgh"]);
    await host.advance(30_000);
    expect(batches.length).toBe(2);
    await host.advance(1_000);
    expect(batches).toEqual(["abcd", "efgh", "i"]);
  });

  it("is cut where it would grow too long, but holds one event however long", async () => {
    const { host, batches, batcher } = open({ bytesMax: 5 });
    for (const text of ["aaa", "bb", "c", "dddddddd"]) batcher.put(text);
    await host.advance(60_000);
    await host.advance(60_000);
    expect(batches).toEqual(["aaabb", "c", "dddddddd"]);
  });
});

describe("a full buffer", () => {
  it("loses what comes, counts it, and takes more when there is room", async () => {
    const { host, batches, lost, put } = open();
    put("abcdefghijklm");
    expect(lost.counts.buffered).toBe(3);
    expect(host.logged).toEqual(["audit events lost"]);
    await host.advance(0);
    put("n");
    await host.advance(60_000);
    expect(batches).toEqual(["abcd", "efgh", "ijn"]);
    expect(lost.counts.buffered).toBe(3);
  });
});

describe("at the end", () => {
  it("all that waits leaves at once, and nothing is taken any more", () => {
    const { batches, outlet, lost, batcher, put, host } = open({}, slow(1_000));
    put("abcdef");
    void batcher.close();
    expect([batches, outlet.closed, host.timers]).toEqual([["abcd", "ef"], true, 0]);
    put("g");
    expect(lost.counts.buffered).toBe(1);
  });
});
