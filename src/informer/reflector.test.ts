// Which revision a reflector asks for after which failure, and how it waits: against a server that answers by script.
import { describe, expect, it } from "vitest";
import type { ConfigMap } from "../api/types/core-v1.ts";
import { Client } from "../client/client.ts";
import { transportIdentity } from "../client/identity.ts";
import { ConnectionError } from "../host/http.ts";
import {
  type Answer,
  type Asked,
  type ScriptedServer,
  bookmark,
  configMap,
  event,
  json,
  list,
  refusal,
  scriptedServer,
  stream,
} from "../../test/scripted-server.ts";
import { type Simulation, simulate } from "../../test/simulation.ts";
import { type ReflectorProfileName, reflectorProfiles } from "./reflector-profile.ts";
import { Reflector } from "./reflector.ts";

interface Bed extends Simulation, ScriptedServer {
  readonly reflector: Reflector<ConfigMap>;
  readonly told: string[];
  /** Requests as `LIST rv=0 limit=500 @ms`. */
  readonly requests: () => string[];
  readonly stop: () => Promise<void>;
}

const expired = event("ERROR", { kind: "Status", reason: "Expired", code: 410 });
const tooLarge = (): Answer =>
  refusal(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] });
const refused = new ConnectionError("connection refused", true);
/** Nothing comes any more, and the watch stays. */
const silence = (): Answer => stream([], true);

/** After the last answer, silence. */
function bed(profile: ReflectorProfileName, answers: readonly (() => Answer)[]): Bed {
  const simulation = simulate(5);
  const at: number[] = [];
  const server = scriptedServer((_, index) => {
    at.push(simulation.host.clock.monotonic());
    return (answers[index] ?? silence)();
  });
  const client = new Client(simulation.host, server.transport, {
    userAgent: "test",
    identity: transportIdentity,
    rateLimit: undefined,
  });
  const told: string[] = [];
  const reflector = new Reflector(simulation.host, {
    resource: client.resource("configmaps"),
    selection: { namespace: "default" },
    profile: reflectorProfiles[profile],
    sink: {
      replace: (objects) =>
        told.push(`REPLACE ${objects.map(({ metadata }) => metadata.name).join(",")}`),
      change: (type, object) => told.push(`${type} ${object.metadata.name}`),
    },
  });
  const controller = new AbortController();
  const running = reflector.run(controller.signal);
  return {
    ...simulation,
    ...server,
    reflector,
    told,
    requests: () => server.asked.map(describeRequest),
    stop: () => {
      controller.abort();
      return simulation.driver.run(running, 1_000);
    },
  };
}

function describeRequest({ query }: Asked): string {
  const verb = query["watch"] !== "true" ? "LIST" : query["sendInitialEvents"] ? "STREAM" : "WATCH";
  const limit = query["limit"] === undefined ? "" : ` limit=${query["limit"]}`;
  return `${verb} rv=${query["resourceVersion"] ?? ""}${limit}`;
}

const a = configMap("a", "3");
const aList = (): Answer => list("10", [a]);
const minute = 60_000;

describe("a reflector with LIST and WATCH", () => {
  const profile = "client-go 1.18";

  it("lists from the cache, then watches from what it saw", async () => {
    const { driver, requests, told, reflector, asked, stop } = bed(profile, [
      aList,
      () => stream([event("ADDED", configMap("b", "11")), bookmark("15")], true),
    ]);
    await driver.advance(1_000);
    expect(requests()).toEqual(["LIST rv=0 limit=500", "WATCH rv=10"]);
    expect(told).toEqual(["REPLACE a", "ADDED b"]);
    expect(reflector.resourceVersion).toBe("15");
    expect(asked[1]!.query["allowWatchBookmarks"]).toBe("true");
    const timeout = Number(asked[1]!.query["timeoutSeconds"]);
    expect(timeout).toBeGreaterThanOrEqual(300);
    expect(timeout).toBeLessThan(600);
    await stop();
  });

  it("watches on at once when a watch with events ended", async () => {
    const { driver, requests, stop } = bed(profile, [aList, () => stream([bookmark("12")], false)]);
    await driver.advance(0);
    expect(requests()).toEqual(["LIST rv=0 limit=500", "WATCH rv=10", "WATCH rv=12"]);
    await stop();
  });

  it("lists from its last revision, unpaged, when a watch expired", async () => {
    const { driver, requests, stop } = bed(profile, [
      aList,
      () => stream([bookmark("12"), expired], false),
      () => list("20", []),
    ]);
    await driver.advance(minute);
    expect(requests().slice(2)).toEqual(["LIST rv=12", "WATCH rv=20"]);
    await stop();
  });

  it.each([
    ["expired", () => refusal(410, "Expired")],
    ["too large", tooLarge],
  ])("lists the newest state when that revision is %s", async (_, answer) => {
    const { driver, requests, stop } = bed(profile, [
      aList,
      () => stream([bookmark("12"), expired], false),
      answer,
      () => list("4", []),
      () => stream([expired], false),
      () => list("5", []),
    ]);
    await driver.advance(5 * minute);
    expect(requests().slice(2)).toEqual([
      "LIST rv=12",
      "LIST rv= limit=500",
      "WATCH rv=4",
      "LIST rv=4",
      "WATCH rv=5",
    ]);
    await stop();
  });

  it("waits for a server that refuses connections and keeps its place", async () => {
    const { driver, requests, told, stop } = bed(profile, [
      aList,
      () => stream([bookmark("12")], false),
      () => refused,
      () => refused,
      () => refusal(429, "TooManyRequests"),
    ]);
    await driver.advance(minute);
    expect(requests().slice(2)).toEqual(Array.from({ length: 4 }, () => "WATCH rv=12"));
    expect(told).toEqual(["REPLACE a"]);
    await stop();
  });

  it("takes an empty short watch for a failure", async () => {
    const { driver, requests, host, stop } = bed(profile, [aList, () => stream([], false)]);
    await driver.advance(minute);
    expect(requests().slice(2)).toEqual(["LIST rv=10"]);
    expect(host.lines.map(({ fields }) => fields["error"])).toContain(
      "very short watch: it ended within a second without events",
    );
    await stop();
  });

  it("backs off from 0.8 to 30 s and up to twice that by chance", async () => {
    const failures = Array.from({ length: 9 }, () => (): Answer => refusal(403, "Forbidden"));
    const { driver, host, asked, stop } = bed(profile, [...failures, aList]);
    const at: number[] = [];
    for (let seen = 1; seen <= 10; seen++) {
      await driver.until(() => asked.length >= seen, 10 * minute);
      at.push(host.clock.monotonic());
    }
    const waits = at.slice(1).map((ms, index) => ms - at[index]!);
    const bounds = [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000];
    waits.forEach((wait, index) => {
      expect(wait).toBeGreaterThanOrEqual(bounds[index]!);
      expect(wait).toBeLessThan(2 * bounds[index]!);
    });
    await stop();
  });

  it("prefers pages once the server has sent some in spite of revision 0", async () => {
    const { driver, requests, stop } = bed(profile, [
      () => list("10", [a], "more"),
      () => list("10", []),
      () => stream([expired], false),
      () => list("20", []),
    ]);
    await driver.advance(minute);
    expect(requests()).toEqual([
      "LIST rv=0 limit=500",
      "LIST rv= limit=500",
      "WATCH rv=10",
      "LIST rv=10 limit=500",
      "WATCH rv=20",
    ]);
    await stop();
  });
});

describe("a reflector with watch-list", () => {
  const initial = (): Answer =>
    stream([event("ADDED", a), bookmark("9"), bookmark("10", true), event("DELETED", a)], true);

  it("takes the state and the changes from one stream", async () => {
    const { driver, requests, told, asked, stop } = bed("client-go", [initial]);
    await driver.advance(0);
    expect(requests()).toEqual(["STREAM rv="]);
    expect(asked[0]!.query["resourceVersionMatch"]).toBe("NotOlderThan");
    expect(told).toEqual(["REPLACE a", "DELETED a"]);
    await stop();
  });

  it("falls back to LIST when the server knows no streams", async () => {
    const { driver, requests, stop } = bed("client-go", [() => refusal(422, "Invalid"), aList]);
    await driver.advance(0);
    expect(requests()).toEqual(["STREAM rv=", "LIST rv=0 limit=500", "WATCH rv=10"]);
    await stop();
  });

  it("begins again from the newest state when its revision is gone", async () => {
    const { driver, requests, told, stop } = bed("client-go", [
      () => stream([bookmark("10", true), expired], false),
      () => refusal(410, "Expired"),
      initial,
    ]);
    await driver.advance(minute);
    expect(requests()).toEqual(["STREAM rv=", "STREAM rv=10", "STREAM rv="]);
    expect(told).toEqual(["REPLACE ", "REPLACE a", "DELETED a"]);
    await stop();
  });

  it("throws half a state away", async () => {
    const { driver, requests, told, stop } = bed("client-go", [
      () => stream([event("ADDED", configMap("half", "1"))], false),
      initial,
    ]);
    await driver.advance(0);
    expect(requests()).toEqual(["STREAM rv=", "STREAM rv="]);
    expect(told[0]).toBe("REPLACE a");
    await stop();
  });
});

describe("older and other clients", () => {
  it("of 1.16 list from the cache each time, a second apart", async () => {
    const { driver, requests, host, asked, stop } = bed("client-go 1.16", [
      aList,
      () => stream([bookmark("12"), expired], false),
      () => json(500, {}),
      aList,
    ]);
    await driver.until(() => asked.length >= 4, minute);
    expect(host.clock.monotonic()).toBe(2_000);
    expect(requests().slice(2, 4)).toEqual(["LIST rv=0 limit=500", "LIST rv=0 limit=500"]);
    await stop();
  });

  it("of kube-rs insist on the newest state", async () => {
    const { driver, requests, stop } = bed("kube-rs", [aList]);
    await driver.advance(0);
    expect(requests()).toEqual(["LIST rv= limit=500", "WATCH rv=10"]);
    await stop();
  });
});
