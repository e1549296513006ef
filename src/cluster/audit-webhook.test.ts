import { describe, expect, it } from "vitest";
import { type Answer, type Asked, json, scriptedServer } from "../../test/scripted-server.ts";
import { LostEvents } from "../accounting/audit/lost-events.ts";
import type { Transport } from "../client/transport.ts";
import { createTestHost } from "../host/host.testbed.ts";
import { type BodySink, ConnectionError } from "../host/http.ts";
import { AuditWebhook } from "./audit-webhook.ts";

function open(transport: Transport) {
  const host = createTestHost();
  const lost = new LostEvents(host);
  let closed = 0;
  const close = (): void => void closed++;
  const webhook = new AuditWebhook({ host, transport, lost, initialBackoffMs: 10_000, close });
  return { host, lost, webhook, closed: () => closed };
}

function answering(answer: (asked: Asked, index: number) => Answer) {
  const server = scriptedServer(answer);
  return { ...open(server.transport), asked: server.asked };
}

/** Takes requests and says nothing until it is given up. */
const silent: Transport = ({ signal }) =>
  new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(new ConnectionError("given up", false))),
  );

const good = json(200, {});
const items = ['{"auditID":"a"}', '{"auditID":"b"}'];

describe("what a webhook is sent", () => {
  it("is one EventList, as kube-apiserver's client sends it", async () => {
    const { asked, webhook } = answering(() => good);
    expect(await webhook.write(items)).toBe(true);
    const list = { kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {} };
    expect(asked).toMatchObject([
      {
        method: "POST",
        path: "/",
        query: { timeout: "30s" },
        headers: { "content-type": "application/json" },
        body: { ...list, items: [{ auditID: "a" }, { auditID: "b" }] },
      },
    ]);
  });
});

describe("a webhook that refuses", () => {
  it("is asked five times, ever later, then the events are lost", async () => {
    const { host, asked, webhook, lost } = answering(() => json(503, {}));
    const kept = webhook.write(items);
    // 10, 15, 22.5 and 33.75 s, each up to a fifth longer.
    const tries: number[] = [];
    for (const ms of [9_999, 2_001, 18_000, 27_000, 40_500]) {
      await host.advance(ms);
      tries.push(asked.length);
    }
    expect(tries[0]).toBe(1);
    expect(await kept).toBe(false);
    expect(asked.length).toBe(5);
    expect(lost.counts.webhook).toBe(2);
    await host.advance(600_000);
    expect([asked.length, host.timers]).toEqual([5, 0]);
  });

  it("is waited for as long as it says", async () => {
    const { host, asked, webhook } = answering((_, index) =>
      index === 0 ? json(429, {}, 50) : good,
    );
    const kept = webhook.write(items);
    await host.advance(49_999);
    expect(asked.length).toBe(1);
    await host.advance(1);
    expect([await kept, asked.length]).toEqual([true, 2]);
  });

  it("loses nothing when it is back in time, whatever was wrong", async () => {
    const { host, asked, webhook, lost } = answering((_, index) =>
      index < 3
        ? [new ConnectionError("refused", true), json(400, {}), json(302, {})][index]!
        : good,
    );
    const kept = webhook.write(items);
    await host.advance(60_000);
    expect([await kept, asked.length, lost.counts.webhook]).toEqual([true, 4, 0]);
  });
});

describe("a webhook that talks without end", () => {
  it.each([
    ["after it took the events", 200, true],
    ["of why it did not", 500, false],
  ])("%s is heard out for no more than 64 KiB", async (_, status, kept) => {
    let sent = 0;
    const body = async (sink: BodySink): Promise<void> => {
      for (; !sink.signal.aborted; sent++) await sink.write(new Uint8Array(1_024));
    };
    const { host, webhook, lost } = open(() => Promise.resolve({ status, headers: [], body }));
    const written = webhook.write(items);
    if (!kept) await host.advance(200_000);
    expect([await written, sent, lost.counts.webhook]).toEqual(
      kept ? [true, 63, 0] : [false, 5 * 63, 2],
    );
  });
});

describe("a webhook that hangs", () => {
  it("is given up after 30 s and tried again", async () => {
    let tries = 0;
    const { host, webhook } = open((request) =>
      ++tries === 1 ? silent(request) : Promise.resolve(good),
    );
    const kept = webhook.write(items);
    await host.advance(30_000);
    expect(tries).toBe(1);
    await host.advance(12_000);
    expect([await kept, tries]).toEqual([true, 2]);
  });

  it("holds no more than 64 MiB", async () => {
    const { host, webhook, lost } = open(silent);
    const large = [`"${"x".repeat(40 * 1_048_576)}"`];
    const first = webhook.write(large);
    expect(webhook.write(large)).toBe(false);
    expect(webhook.write(items)).toBeInstanceOf(Promise);
    expect(lost.counts.webhook).toBe(1);
    const closed = webhook.close();
    await host.advance(5_000);
    await closed;
    expect([await first, lost.counts.webhook]).toEqual([false, 4]);
  });

  it("holds up a stop for five seconds", async () => {
    const { host, webhook, lost, closed } = open(silent);
    void webhook.write(items);
    const closing = webhook.close();
    await host.advance(4_999);
    expect(closed()).toBe(0);
    await host.advance(1);
    await closing;
    expect([closed(), lost.counts.webhook, host.timers]).toEqual([1, 2, 0]);
  });
});

describe("a stop", () => {
  it("ends the waits between tries with one more", async () => {
    const { host, asked, webhook, lost } = answering((_, index) =>
      index === 0 ? json(500, {}) : good,
    );
    void webhook.write(items);
    await host.advance(100);
    await webhook.close();
    expect([asked.length, lost.counts.webhook, host.timers]).toEqual([2, 0, 0]);
  });
});
