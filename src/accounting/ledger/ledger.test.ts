import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTestHost } from "../../host/host.testbed.ts";
import { cost, digest, finished } from "../accounting.testbed.ts";
import { Ledger, ledgerDefaults } from "./ledger.ts";
import { reportOf } from "./report.ts";

function open(limits: Partial<typeof ledgerDefaults> = {}) {
  const host = createTestHost();
  const ledger = new Ledger(host.clock, { ...ledgerDefaults, ...limits });
  return { host, ledger, report: (rows = 100) => reportOf(ledger, host.clock, rows) };
}

describe("Ledger", () => {
  it("puts requests of one client and one kind in one row", () => {
    const { ledger, report } = open();
    const scanned = {
      cost: cost({ objectsScanned: 100, objectsReturned: 3, bytesOut: 500, cpuMs: 2 }),
    };
    for (const node of ["a", "b", "c"])
      ledger.finished(finished({ fieldSelector: `spec.nodeName=${node}` }, scanned));
    ledger.finished(finished({ source: "10.0.0.2", fieldSelector: "spec.nodeName=d" }));
    ledger.finished(finished({ verb: "get", name: "x" }, { status: 404 }));
    const { rows, total } = report();
    expect(
      rows.map(({ shape, window }) => [shape.verb, shape.fieldSelector, window.requests]),
    ).toEqual([
      ["list", "spec.nodeName=?", 3],
      ["list", "spec.nodeName=?", 1],
      ["get", "", 1],
    ]);
    expect(rows[0]!.window).toMatchObject({
      objectsScanned: 300,
      objectsReturned: 9,
      bytesOut: 1500,
      cpuMs: 6,
    });
    expect(total).toMatchObject({ requests: 5, errors: 1, objectsScanned: 300 });
  });

  it("says how much time its window covers by now", async () => {
    const { host, report } = open();
    const covered = [report().windowSeconds];
    for (const ms of [12_000, 200_000, 500_000]) {
      await host.advance(ms);
      covered.push(report().windowSeconds);
    }
    expect(covered).toEqual([1, 12, 212, 300]);
  });

  it("forgets in its window what is older, and in its total nothing", async () => {
    const { host, ledger, report } = open();
    ledger.finished(finished());
    await host.advance(299_000);
    expect(report().window.requests).toBe(1);
    await host.advance(11_000);
    ledger.finished(finished());
    expect(report()).toMatchObject({ window: { requests: 1 }, total: { requests: 2 } });
  });

  it("sees what open watches send while they are open", async () => {
    const { host, ledger, report } = open();
    const sent = cost();
    const close = ledger.opened({ digest: digest({ verb: "watch" }), cost: sent, status: 200 });
    Object.assign(sent, { eventsDelivered: 7, bytesOut: 700 });
    expect(report().rows[0]).toMatchObject({
      watchesOpen: 1,
      window: { eventsDelivered: 7, bytesOut: 700 },
    });
    sent.eventsDelivered += 2;
    await host.advance(4_000);
    close();
    close();
    expect(report().rows[0]).toMatchObject({
      watchesOpen: 0,
      window: { eventsDelivered: 9, watchesOpened: 1, watchesClosed: 1, watchMs: 4_000 },
    });
  });

  it("counts those who come back before they may", async () => {
    const { host, ledger, report } = open();
    const refused = { status: 429, retryAfterSeconds: 2 };
    ledger.finished(finished({}, refused));
    // Under way already when the refusal came.
    await host.advance(10);
    ledger.finished(finished({}, { latencyMs: 50 }));
    await host.advance(500);
    ledger.finished(finished({}, refused));
    await host.advance(2_100);
    ledger.finished(finished());
    expect(report().rows[0]?.window).toMatchObject({ rejections: 2, impatient: 1 });
  });

  it("knows writes that change nothing", () => {
    const { ledger, report } = open();
    const patch = { verb: "patch", resource: "configmaps", namespace: "n", name: "a" };
    ledger.finished(finished(patch, { cost: cost({ storeWrites: 1 }) }));
    ledger.finished(finished(patch));
    ledger.finished(finished({ ...patch, name: "b" }));
    ledger.finished(finished({ ...patch, dryRun: true }));
    expect(report().rows[0]?.window).toMatchObject({ unchangedWrites: 2, repeatedWrites: 2 });
  });

  it("knows writers of a few objects from writers of many", () => {
    const repeated = (objects: number): number | undefined => {
      const { ledger, report } = open();
      for (let i = 0; i < 60; i++)
        ledger.finished(finished({ verb: "update", name: `o${i % objects}` }));
      return report().rows[0]?.window.repeatedWrites;
    };
    expect([repeated(1), repeated(8), repeated(9)]).toEqual([59, 52, 0]);
  });

  it("tells how many came in one second", async () => {
    const { host, ledger, report } = open();
    for (const many of [3, 8, 2]) {
      for (let i = 0; i < many; i++) ledger.finished(finished());
      await host.advance(1_000);
    }
    expect(report().rows[0]?.peakPerSecond).toBe(8);
    await host.advance(400_000);
    expect(report().rows[0]?.peakPerSecond).toBe(0);
  });

  it("keeps the heavy among any number of light ones, and loses no count", () => {
    const agents = fc.array(fc.nat(300), { minLength: 200, maxLength: 600 });
    fc.assert(
      fc.property(agents, (light) => {
        const { ledger, report } = open({ rowsMax: 10 });
        for (const [index, agent] of light.entries()) {
          ledger.finished(finished({ userAgent: `light-${agent}` }));
          if (index % 5 === 0) ledger.finished(finished({ userAgent: "heavy" }));
        }
        const { rows, others, total } = report();
        const heavy = Math.ceil(light.length / 5);
        const found = rows.find(({ client }) => client.userAgent === "heavy");
        expect(found).toBeDefined();
        // Its row may be younger than its first request, by no more than it says.
        expect(found!.total.requests + found!.loadBefore).toBeGreaterThanOrEqual(heavy);
        expect(rows.length).toBeLessThanOrEqual(10);
        expect(total.requests).toBe(light.length + heavy);
        const inRows = rows.reduce((sum, row) => sum + row.total.requests, 0);
        expect(inRows + others.total.requests).toBe(total.requests);
      }),
      { numRuns: 50 },
    );
  });
});
