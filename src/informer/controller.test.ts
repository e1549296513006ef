import { describe, expect, it } from "vitest";
import type { ConfigMap } from "../api/types/core-v1.ts";
import { conflict } from "../api/meta/errors.ts";
import { Client } from "../client/client.ts";
import { transportIdentity } from "../client/identity.ts";
import { keyOf } from "../client/served-object.ts";
import { bookmark, configMap, event, scriptedServer, stream } from "../../test/scripted-server.ts";
import { type Simulation, simulate } from "../../test/simulation.ts";
import { Controller, type ControllerOptions } from "./controller.ts";
import { Informer } from "./informer.ts";
import { clientGoProfile } from "./reflector-profile.ts";
import { retryUsual } from "./work-queue.ts";

interface Bed extends Simulation {
  readonly controller: Controller;
  readonly informer: Informer<ConfigMap>;
  readonly stop: () => Promise<void>;
}

function bed(sync: ControllerOptions["sync"], lines: readonly string[], workers = 2): Bed {
  const { host, driver } = simulate();
  const { transport } = scriptedServer(() => stream(lines, true));
  const client = new Client(host, transport, {
    userAgent: "test",
    identity: transportIdentity,
    rateLimit: undefined,
  });
  const informer = new Informer(host, {
    resource: client.resource("configmaps"),
    selection: {},
    indexes: [],
    profile: clientGoProfile,
    freeze: true,
  });
  const controller = new Controller(host, { name: "test", workers, retry: retryUsual, sync });
  controller.watch(informer, ({ object }) => [keyOf(object)]);
  informer.start();
  controller.start();
  const stop = async (): Promise<void> => {
    await driver.run(controller.stop(), 60_000);
    await driver.run(informer.stop(), 60_000);
  };
  return { host, driver, controller, informer, stop };
}

const [a, b] = ["a", "b"].map((name) => event("ADDED", configMap(name, "1"))) as [string, string];

describe("a controller", () => {
  it("waits for its informers, then syncs every key", async () => {
    const synced: string[] = [];
    let ready = false;
    const { driver, informer, stop } = bed(
      async (key) => {
        ready = informer.synced;
        synced.push(key);
      },
      [a, b, bookmark("5", true)],
    );
    await driver.advance(0);
    expect(ready).toBe(true);
    expect(synced.toSorted()).toEqual(["default/a", "default/b"]);
    await stop();
  });

  it("does nothing while an informer is not synced", async () => {
    const synced: string[] = [];
    const { driver, stop } = bed(async (key) => void synced.push(key), [a, b]);
    await driver.advance(60_000);
    expect(synced).toEqual([]);
    await stop();
  });

  it("tries failed keys again, later and later, and forgets failures after a success", async () => {
    const at: number[] = [];
    const { driver, host, controller, stop } = bed(async () => {
      at.push(host.clock.monotonic());
      if (at.length < 4) throw conflict({ group: "", resource: "configmaps" }, "a", "stale");
    }, [a, bookmark("5", true)]);
    await driver.advance(1_000);
    expect(at).toEqual([0, 5, 15, 35]);
    expect(controller.queue.requeues("default/a")).toBe(0);
    expect(host.lines.map(({ level, message }) => `${level} ${message}`)).toEqual(
      Array.from({ length: 3 }, () => "info sync lost a race"),
    );
    await stop();
  });

  it("keeps failures on request and comes back when asked to", async () => {
    const at: number[] = [];
    const { driver, host, controller, stop } = bed(async () => {
      at.push(host.clock.monotonic());
      if (at.length === 1) throw new TypeError("a bug");
      return { requeueAfterMs: 10_000, keepFailures: true };
    }, [a, bookmark("5", true)]);
    await driver.advance(15_000);
    expect(at).toEqual([0, 5, 10_005]);
    expect(controller.queue.requeues("default/a")).toBe(1);
    expect(host.lines[0]).toMatchObject({ level: "error", message: "sync broke" });
    await stop();
  });

  it("runs so many syncs at once and lets them end when it stops", async () => {
    let [running, most, ended] = [0, 0, 0];
    const names = Array.from({ length: 6 }, (_, index) =>
      event("ADDED", configMap(`m${index}`, "1")),
    );
    const { driver, host, stop } = bed(
      async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => host.clock.after(1_000, resolve));
        running--;
        ended++;
      },
      [...names, bookmark("5", true)],
      3,
    );
    await driver.advance(500);
    await stop();
    expect([most, ended, running]).toEqual([3, 3, 0]);
  });
});

describe("an informer", () => {
  it("tells late handlers of what is there, and none after they left", async () => {
    const { driver, informer, stop } = bed(
      async () => undefined,
      [
        a,
        bookmark("5", true),
        event("MODIFIED", configMap("a", "6")),
        event("MODIFIED", configMap("a", "6")),
        event("MODIFIED", configMap("a", "7", "another")),
        event("DELETED", configMap("a", "8", "another")),
        event("DELETED", configMap("a", "8", "another")),
      ],
    );
    const told: string[] = [];
    const leave = informer.addHandler(({ type, object }) => {
      const { uid, resourceVersion } = object.metadata;
      told.push(`${type} ${uid} ${resourceVersion}`);
    });
    await driver.advance(0);
    expect(told).toEqual([
      "added uid-a 1",
      "updated uid-a 6",
      "deleted uid-a 6",
      "added another 7",
      "deleted another 8",
    ]);
    leave();
    await stop();
  });
});
