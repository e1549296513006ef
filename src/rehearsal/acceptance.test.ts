// The seven acceptance tests of the incident library, at reduced scale: what each version does wrong it must do here,
// and what repaired it must help. Chance may change the trace of a run, never its outcome.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { engine } from "../../test/simulation.ts";
import type { Fixture } from "../fleet/population.ts";
import { guarded } from "./guarded.ts";
import type { RunOutcome } from "./outcome.ts";
import { runScenario } from "./run/run.ts";
import type { Scenario } from "./scenario.ts";
import { parseScenario } from "./scenario-file.ts";

const folder = new URL("../../incidents/", import.meta.url).pathname;
const timeout = 240_000;

function scenarioOf(slug: string, set: readonly string[]): Scenario {
  const path = `${folder}${slug}/scenario.yaml`;
  return parseScenario(readFileSync(path, "utf8"), path, set);
}

function run(scenario: Scenario, seed = 1, guard: "off" | "on" = "off"): Promise<RunOutcome> {
  const played = guard === "on" ? guarded(scenario) : scenario;
  return runScenario(engine, played, { seed, guard, onProgress: () => undefined });
}

async function figuresOf(scenario: Scenario, guard: "off" | "on" = "off"): Promise<Figures> {
  const { figures } = await run(scenario, 1, guard);
  return (name) => figures[name] ?? Number.NaN;
}

type Figures = (name: string) => number;

function fewer(fixtures: readonly Fixture[], size: Partial<Fixture>): readonly Fixture[] {
  return fixtures.map((one) => (one.count > 1 ? Object.assign({}, one, size) : one));
}

/** 200 watchers of collectors over 1,200 pods; what they do when they begin is the storm. */
function smallStorm(start: string, more: readonly string[]): Scenario {
  const scenario = scenarioOf("daemonset-list-storm", [
    "populations.collectors.count=200",
    "populations.collectors.nodes=20",
    "controlPlane.cores=1",
    "controlPlane.etcdBaseGiB=0.1",
    `populations.collectors.start=${start}`,
    ...more,
  ]);
  return {
    ...scenario,
    durationSeconds: 60,
    timeline: [],
    prepare: fewer(scenario.prepare, { count: 1_200 }),
  };
}

const together = "{ kind: together }";
const oneByOne = "{ kind: staggered, everySeconds: 0.25 }";

/** Both Jobs, without what people did later. */
function twoJobs(profile: string, seconds: number, more: readonly string[]): Scenario {
  const scenario = scenarioOf("runaway-job", [`profile="${profile}"`, ...more]);
  return {
    ...scenario,
    durationSeconds: seconds,
    timeline: scenario.timeline.filter(
      ({ kind, atSeconds }) => (kind === "apply" || kind === "node") && atSeconds < seconds,
    ),
  };
}

const untainted = ["timeline.1={ atSeconds: 60, kind: node, deed: kill, names: [node-6] }"];

describe("the list storm", () => {
  it(
    "(i) leaves no mark when the collectors start one after another",
    async () => {
      const storm = await figuresOf(smallStorm(together, []));
      const rolling = await figuresOf(smallStorm(oneByOne, []));
      expect(storm("etcd.memory.ratio")).toBeGreaterThan(1.5);
      expect(rolling("etcd.memory.ratio")).toBeLessThan(1.2);
      expect(rolling("etcd.ranges.full")).toBe(200);
    },
    timeout,
  );

  it(
    "(ii) reads no whole range from 1.31 on, and with every seed",
    async () => {
      const storm = smallStorm(together, ['profile="1.31"']);
      const runs = [
        await run(storm, 1),
        await run(storm, 1),
        await run(storm, 2),
        await run(storm, 3),
      ];
      expect(runs.map(({ figures }) => figures["etcd.ranges.full"])).toEqual([0, 0, 0, 0]);
      const [one, again, two, three] = runs.map(({ traceHash }) => traceHash);
      expect(again).toBe(one);
      expect(new Set([one, two, three]).size).toBe(3);
    },
    timeout,
  );

  it(
    "(iii) hits clients that ask the cache, as long as the cache is cold: up to 1.30",
    async () => {
      const scenario = scenarioOf("cold-cache-after-restart", []);
      const small = {
        ...scenario,
        prepare: fewer(scenario.prepare, { count: 1_200 }),
      };
      const before = await figuresOf(small);
      const after = await figuresOf(small, "on");
      expect(before("etcd.ranges.full")).toBeGreaterThan(100);
      expect(after("etcd.ranges.full")).toBeLessThan(10);
    },
    timeout,
  );
});

describe("the runaway Job", () => {
  it(
    "(iv) makes 12 pods an hour with the usual tolerations at 1.16",
    async () => {
      const pods = await figuresOf(twoJobs("1.16", 3_600, untainted));
      // Two Jobs, from the second minute on, each pod tolerated for 300 s.
      expect(pods("pods.created")).toBeGreaterThanOrEqual(20);
      expect(pods("pods.created")).toBeLessThanOrEqual(24);
    },
    timeout,
  );

  it(
    "(v) stops at seven pods a Job at 1.28",
    async () => {
      const pods = await figuresOf(twoJobs("1.28", 900, []));
      expect(pods("pods.created")).toBe(14);
    },
    timeout,
  );
});

describe("the kubelets' watches", () => {
  it(
    "(vi) never get done at QPS 5 with the recycler of 1.21, and do with its repair",
    async () => {
      const scenario = { ...scenarioOf("mount-livelock", []), durationSeconds: 300 };
      for (const seed of [1, 2, 3]) {
        const { figures } = await run(scenario, seed);
        expect(figures["pods.running.end"]).toBeLessThan(40);
      }
      const repaired = await figuresOf(scenario, "on");
      expect(repaired("pods.running.end")).toBe(100);
      expect(repaired("lists.objects")).toBe(600);
    },
    timeout,
  );

  it(
    "(vii) are gone after the first read when the objects are immutable",
    async () => {
      const scenario = scenarioOf("kubelet-watch-storm", []);
      const few = { count: 40, nodes: 1 };
      const { guard } = scenario;
      const small: Scenario = {
        ...scenario,
        nodes: 1,
        durationSeconds: 400,
        prepare: fewer(scenario.prepare, few),
        timeline: [{ atSeconds: 10, kind: "node", deed: "restart", names: ["node-1"] }],
        ...(guard === undefined ? {} : { guard: { ...guard, prepare: fewer(guard.prepare, few) } }),
      };
      expect((await figuresOf(small))("watches.objects.end")).toBe(80);
      const recycled = await figuresOf({ ...small, profile: "1.23" });
      // What only the environment uses is let go of after five to six minutes.
      expect(recycled("watches.objects.end")).toBe(40);
      expect((await figuresOf(small, "on"))("watches.objects.end")).toBe(0);
    },
    timeout,
  );
});
