// What each client library asks a server, and when, after the same misfortunes: as a table, by the driver that storms
// real servers.
import { describe, expect, it } from "vitest";
import { transportIdentity } from "../client/identity.ts";
import { ConnectionError } from "../host/http.ts";
import {
  type Answer,
  type Asked,
  bookmark,
  configMap,
  event,
  list,
  refusal,
  scriptedServer,
  stream,
} from "../../test/scripted-server.ts";
import { simulate } from "../../test/simulation.ts";
import { Fleet } from "./fleet.ts";
import { noChanges, parsePopulationFile } from "./population-file.ts";
import type { FleetReport } from "./report.ts";
import { inProcessWorld } from "./world.ts";

const minute = 60_000;

interface Seen {
  /** `LIST rv=0 limit=500`. */
  readonly requests: string[];
  /** Seconds of each request since the one before. */
  readonly gaps: number[];
  readonly report: FleetReport;
}

/** After the last answer a watch that stays. */
async function ask(
  behaviour: string,
  library: string,
  answers: readonly (() => Answer)[],
): Promise<Seen> {
  const { host, driver } = simulate(3);
  const at: number[] = [];
  const { transport, asked } = scriptedServer((_, index) => {
    at.push(host.clock.monotonic());
    return (answers[index] ?? (() => stream([], true)))();
  });
  const text = `name: law\npopulations: [{ name: one, library: ${library}, behaviour: ${behaviour} }]`;
  const file = parsePopulationFile(text, "law.yaml", noChanges);
  const world = inProcessWorld(host, transport, transportIdentity);
  const fleet = new Fleet(world, file, { durationMs: 4 * minute, requestsMax: 1_000 });
  const report = await driver.run(fleet.run(), 5 * minute);
  return {
    requests: asked.map(describeRequest),
    gaps: at.map((ms, index) => (ms - (at[index - 1] ?? 0)) / 1_000),
    report,
  };
}

function describeRequest({ query }: Asked): string {
  const verb = query["watch"] !== "true" ? "LIST" : query["sendInitialEvents"] ? "STREAM" : "WATCH";
  const match = query["resourceVersionMatch"] === undefined ? "" : " notOlder";
  const limit = query["limit"] === undefined ? "" : ` limit=${query["limit"]}`;
  return `${verb} rv=${query["resourceVersion"] ?? ""}${match}${limit}`;
}

const informer = "{ kind: informer, views: [{ resource: configmaps }] }";
const aList = (): Answer => list("10", [configMap("a", "3")]);
const expired = (): Answer =>
  stream([bookmark("12"), event("ERROR", { kind: "Status", reason: "Expired", code: 410 })], false);
const gone = (): Answer => refusal(410, "Expired");
const refused = (): Answer => new ConnectionError("connection refused", true);
const cut = (): Answer => stream([bookmark("12")], false);
const tooMany = (): Answer => refusal(429, "TooManyRequests");
const later = (): Answer => stream([bookmark("30")], true);

describe("after a list, a watch that expires", () => {
  it.each([
    [
      "client-go 1.16",
      ["LIST rv=0 limit=500", "WATCH rv=10", "LIST rv=0 limit=500", "WATCH rv=20"],
    ],
    ["client-go 1.17", ["LIST rv=0 limit=500", "WATCH rv=10", "LIST rv=12", "WATCH rv=20"]],
    ["client-go 1.18", ["LIST rv=0 limit=500", "WATCH rv=10", "LIST rv=12", "WATCH rv=20"]],
    ["client-go 1.31", ["LIST rv=0 limit=500", "WATCH rv=10", "LIST rv=12", "WATCH rv=20"]],
    ["kube-rs 0.80", ["LIST rv=", "WATCH rv=10", "LIST rv=", "WATCH rv=20"]],
    ["kube-rs 0.82", ["LIST rv=", "WATCH rv=10", "LIST rv=", "WATCH rv=20"]],
    [
      "kube-rs 0.82 any",
      ["LIST rv=0 notOlder", "WATCH rv=10", "LIST rv=0 notOlder", "WATCH rv=20"],
    ],
    ["kube-rs 0.84", ["LIST rv= limit=500", "WATCH rv=10", "LIST rv= limit=500", "WATCH rv=20"]],
    [
      "kube-rs 0.84 any",
      [
        "LIST rv=0 notOlder limit=500",
        "WATCH rv=10",
        "LIST rv=0 notOlder limit=500",
        "WATCH rv=20",
      ],
    ],
    ["java", ["LIST rv=0", "WATCH rv=10", "LIST rv=12", "WATCH rv=20"]],
    ["fabric8", ["LIST rv=", "WATCH rv=10", "LIST rv=", "WATCH rv=20"]],
    ["python", ["LIST rv=", "WATCH rv=10", "LIST rv=", "WATCH rv=20"]],
    ["calico", ["LIST rv=0", "WATCH rv=10", "LIST rv=0", "WATCH rv=20"]],
  ])("%s", async (library, expected) => {
    const answers = [aList, expired, () => list("20", []), later];
    const { requests, report } = await ask(informer, library, answers);
    expect(requests).toEqual(expected);
    expect(report.populations[0]).toMatchObject({ members: { synced: 1 }, watches: { peak: 1 } });
  });

  it("client-go of 1.35 streams, and falls back where nobody knows how", async () => {
    const invalid = (): Answer => refusal(422, "Invalid");
    const { requests } = await ask(informer, "client-go", [invalid, aList, later]);
    expect(requests).toEqual(["STREAM rv= notOlder", "LIST rv=0 limit=500", "WATCH rv=10"]);
  });
});

describe("a server that goes away under a watch, and comes back", () => {
  it.each([
    // The watch goes on where it was.
    ["client-go 1.18", ["WATCH rv=12", "WATCH rv=12", "WATCH rv=12"], [0.8, 1.6]],
    ["client-go 1.17", ["WATCH rv=12", "WATCH rv=12", "WATCH rv=12"], [1, 1]],
    ["kube-rs 0.84", ["WATCH rv=12", "WATCH rv=12", "WATCH rv=12"], [0.8, 1.6]],
    ["kube-rs without backoff", ["WATCH rv=12", "WATCH rv=12", "WATCH rv=12"], [0.005, 0.005]],
    ["fabric8", ["WATCH rv=12", "WATCH rv=12", "WATCH rv=12"], [1, 2]],
    // Everything is listed again.
    ["calico", ["WATCH rv=12", "LIST rv=0", "LIST rv=0"], [1, 1]],
    ["python", ["WATCH rv=12", "LIST rv=", "LIST rv="], [0.005, 0.005]],
  ])("%s", async (library, expected, waits) => {
    const { requests, gaps } = await ask(informer, library, [aList, cut, refused, refused, later]);
    expect(requests.slice(2, 5)).toEqual(expected);
    for (const [index, wait] of waits.entries()) {
      // Jitter at most doubles a delay.
      expect(gaps[3 + index]).toBeGreaterThanOrEqual(wait * 0.999);
      expect(gaps[3 + index]).toBeLessThan(wait * 2.001);
    }
  });
});

describe("a busy server refuses a watch with 429", () => {
  it.each([
    ["client-go 1.18", "WATCH rv=12"],
    ["kube-rs 0.84", "WATCH rv=12"],
    ["client-go 1.17", "LIST rv=12"],
    ["java", "LIST rv=12"],
    ["calico", "LIST rv=0"],
  ])("%s", async (library, next) => {
    const { requests } = await ask(informer, library, [aList, cut, tooMany, later]);
    expect(requests[3]).toBe(next);
  });

  it.each([
    ["client-go 1.18", 22],
    ["kubelet", 22],
    ["kube-rs 0.84", 2],
    ["java", 2],
  ])("%s asks %i times for two lists where Retry-After is given", async (library, asks) => {
    const busy = (): Answer => ({
      ...refusal(429, "TooManyRequests"),
      headers: [["retry-after", "1"]],
    });
    const lister = "{ kind: lister, read: { resource: pods }, times: 2, parallel: 1 }";
    const answers = Array.from({ length: 22 }, () => busy);
    const { report } = await ask(lister, library, answers);
    // Both LISTs are refused in the end.
    expect(report.populations[0]).toMatchObject({
      requests: { started: asks, succeeded: 0 },
      retryAfter: { minSeconds: 1, maxSeconds: 1 },
      errors: [{ status: 429, reason: "TooManyRequests" }],
    });
  });
});

describe("a revision that is gone when a list names it", () => {
  it.each([
    ["client-go 1.18", ["LIST rv=12", "LIST rv= limit=500"]],
    ["java", ["LIST rv=12", "LIST rv="]],
  ])("%s lists the newest state", async (library, expected) => {
    const { requests } = await ask(informer, library, [aList, expired, gone, aList, later]);
    expect(requests.slice(2, 4)).toEqual(expected);
  });
});

describe("a list that takes for ever", () => {
  it("is given up by calico after a minute, and begun again", async () => {
    const never = (): Answer => stream(['{"metadata":'], true);
    const { requests, gaps, report } = await ask(informer, "calico", [never, never, aList, later]);
    expect(requests).toEqual(["LIST rv=0", "LIST rv=0", "LIST rv=0", "WATCH rv=10"]);
    expect(gaps.slice(1, 3)).toEqual([61, 61]);
    const [one] = report.populations;
    expect(one?.errors).toMatchObject([{ status: 0, reason: "ClientTimeout", count: 2 }]);
  });
});

describe("Vector", () => {
  it.each([
    ["false", ["LIST rv=", "LIST rv=", "LIST rv="]],
    ["true", ["LIST rv=0 notOlder", "LIST rv=0 notOlder", "LIST rv=0 notOlder"]],
  ])("has three watchers a source; useApiserverCache: %s", async (cache, expected) => {
    const behaviour = `{ kind: vector, sources: 2, useApiserverCache: ${cache} }`;
    const answers = Array.from({ length: 6 }, () => aList);
    const { requests } = await ask(behaviour, "kube-rs 0.82", answers);
    expect(requests.slice(0, 6)).toEqual([...expected, ...expected]);
    expect(requests.slice(6)).toEqual(Array.from({ length: 6 }, () => "WATCH rv=10"));
  });
});
