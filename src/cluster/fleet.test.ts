// Fleets against the real control plane on virtual time: the storms that `wavetank load` brings to real servers.
import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { engine } from "../../test/simulation.ts";
import { Fixtures } from "../fleet/fixtures.ts";
import { Fleet } from "../fleet/fleet.ts";
import type { PopulationFile } from "../fleet/population.ts";
import { parsePopulationFile } from "../fleet/population-file.ts";
import type { FleetReport, PopulationReport } from "../fleet/report.ts";
import { type FleetWorld, inProcessWorld } from "../fleet/world.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

// As in the command: all members of a fleet listen to the one signal that ends it.
setMaxListeners(0);

const minute = 60_000;
/** Of the real clock, for the tests that simulate much. */
const slowMs = 180_000;
const folder = fileURLToPath(new URL("../../populations", import.meta.url));

interface Bed {
  readonly simulated: SimulatedControlPlane;
  readonly world: FleetWorld;
  readonly file: PopulationFile;
  readonly fleet: Fleet;
  /** Of the one population whose name it is. */
  readonly of: (report: FleetReport, name: string) => PopulationReport;
}

async function bed(text: string, scale = 1, set: readonly string[] = []): Promise<Bed> {
  const simulated = new SimulatedControlPlane(5, engine);
  await simulated.start();
  const world = inProcessWorld(simulated.host, simulated.transport, simulated.admin());
  const file = parsePopulationFile(text, "test.yaml", { set, scale });
  const fixtures = new Fixtures(world, file.prepare, () => undefined);
  await simulated.driver.run(fixtures.create(new AbortController().signal), minute);
  const fleet = new Fleet(world, file, { durationMs: 30 * minute, requestsMax: 200_000 });
  return {
    simulated,
    world,
    file,
    fleet,
    of: ({ populations }, name) => {
      const found = populations.find((one) => one.name === name);
      if (found === undefined) throw new Error(`no population ${name}`);
      return found;
    },
  };
}

const shipped = (name: string): string => readFileSync(`${folder}/${name}.yaml`, "utf8");

describe("the list storm of a DaemonSet", () => {
  it("asks for each node's pods as the collectors' ServiceAccount", async () => {
    const { simulated, fleet, of } = await bed(shipped("daemonset-list-storm"), 0.05);
    const report = await simulated.driver.run(fleet.run(), minute);
    expect(report.outcome).toBe("completed");
    const collectors = of(report, "collectors");
    expect(collectors.members).toMatchObject({ count: 4, finished: 4, failed: 0 });
    expect(collectors.errors).toEqual([]);
    expect(collectors.requests).toMatchObject({ started: 240, succeeded: 240, peakInFlight: 240 });
    // 357 pods on four nodes: each list brings some 89 of them, of 1.9 kB.
    const perList = collectors.bytes.received / 240;
    expect(perList).toBeGreaterThan(89 * 1_500);
    expect(perList).toBeLessThan(92 * 2_200);
    await simulated.stop();
  });

  it("takes away what it made, and only that", async () => {
    const { simulated, world, file } = await bed(shipped("daemonset-list-storm"), 0.01);
    const pods = simulated.client("test").resource("pods");
    const run = <T>(promise: Promise<T>): Promise<T> => simulated.driver.run(promise, minute);
    expect((await run(pods.list())).items).toHaveLength(71);
    const { signal } = new AbortController();
    await run(pods.delete({ namespace: "storm", name: "pod-0" }, { gracePeriodSeconds: 0 }));
    const second = new Fixtures(world, file.prepare, () => undefined);
    await run(second.create(signal));
    expect((await run(pods.list())).items).toHaveLength(71);
    expect(second.madeCount).toBe(1);
    // A namespace, two accounts, a role, its binding, a node and 70 pods.
    expect(second.foundCount).toBe(76);
    // What the first has made, the nodes among it, is not the second's.
    await run(second.remove(signal));
    expect((await run(pods.list())).items).toHaveLength(70);
    const nodes = await run(simulated.client("test").resource("nodes").list());
    expect(nodes.items.map(({ metadata }) => metadata.name)).toEqual(["node-1"]);
    // Who made nothing goes by the names of the file; a second time nothing stands in the way.
    const other = new Fixtures(world, file.prepare, () => undefined);
    await run(other.remove(signal));
    await run(other.remove(signal));
    expect((await run(pods.list())).items).toHaveLength(0);
    const namespaces = await run(simulated.client("test").resource("namespaces").list());
    expect(namespaces.items.map(({ metadata }) => metadata.name)).toContain("default");
    await simulated.stop();
  });
});

describe("collectors that follow the cluster", () => {
  const fewSources = ["populations.collectors.behaviour.sources=2"];

  it("knock until the server is back, and list once more because it has no history", async () => {
    const { simulated, fleet, of } = await bed(shipped("vector-restart"), 0.05, fewSources);
    const { driver } = simulated;
    const running = fleet.run();
    await driver.advance(10_000);
    const before = of(fleet.report(), "collectors");
    // 4 members, 2 sources, 3 watchers.
    expect(before.watches).toMatchObject({ open: 24, peak: 24 });
    expect(before.members.synced).toBe(4);
    await simulated.stop();
    await driver.advance(1_000);
    await simulated.start();
    await driver.advance(10_000);
    const after = of(fleet.report(), "collectors");
    expect(after.watches.open).toBe(24);
    // Without a back-off each watcher knocks two hundred times a second while nobody is there.
    expect(after.requests.broken).toBeGreaterThan(24 * 100);
    const lists = after.verbs.find(({ verb }) => verb === "LIST");
    expect(lists?.latencyMs.count).toBe(48);
    fleet.stop();
    const report = await driver.run(running, minute);
    expect(report.outcome).toBe("stopped");
    expect(of(report, "collectors").watches.open).toBe(0);
    await simulated.stop();
  });
});

describe("informers", () => {
  const text = shipped("informer-fleet").replace("bytes: 1000000", "bytes: 20000");

  it("are complete by LIST and by stream, and their bytes are counted", async () => {
    for (const library of ["client-go 1.18", "client-go"]) {
      const set = [`populations.informers.library=${library}`];
      const { simulated, fleet, of } = await bed(text, 0.25, set);
      const report = await simulated.driver.run(fleet.run(), minute);
      const informers = of(report, "informers");
      expect(informers.members).toMatchObject({ count: 4, synced: 4, finished: 4 });
      // 100 Secrets of 20 kB.
      expect(informers.bytes.received / 4).toBeGreaterThan(2e6);
      expect(informers.bytes.received / 4).toBeLessThan(2.2e6);
      expect(informers.errors).toEqual([]);
      await simulated.stop();
    }
  });
});

describe("nodes that boot", () => {
  const text = shipped("kubelet-reboot-wave");
  const watchesAfter = async (set: readonly string[], minutes: number): Promise<number> => {
    const own = ["populations.kubelets.count=2", "populations.kubelets.nodes=2", ...set];
    const { simulated, fleet, of } = await bed(text, 1, own);
    const running = fleet.run();
    await simulated.driver.advance(minutes * minute);
    const kubelets = of(fleet.report(), "kubelets");
    expect(kubelets.members.synced).toBe(2);
    fleet.stop();
    await simulated.driver.run(running, minute);
    await simulated.stop();
    return kubelets.watches.open / 2;
  };
  const path = "populations.kubelets.behaviour";

  // 30 pods with 3 objects each, a third of them read into the environment.
  it.each([
    ["watch each object for ever before 1.21", [`${path}.watchLaw="1.20"`], 90],
    ["watch what volumes show since 1.21", [`${path}.watchLaw="1.21"`], 60],
    ["watch what volumes show with the repaired recycler", [`${path}.watchLaw="1.23"`], 60],
    ["watch nothing immutable", [`${path}.immutableShare=1`], 0],
    ["watch the mutable half", [`${path}.watchLaw="1.20"`, `${path}.immutableShare=0.5`], 45],
  ])("%s", async (_, set, watches) => {
    expect(await watchesAfter(set, 8)).toBe(watches);
  });

  const manySlow = [
    "populations.kubelets.count=1",
    "populations.kubelets.rateLimit={ qps: 5, burst: 10 }",
    `${path}.pods=110`,
    `${path}.secretsPerPod=6`,
    `${path}.configMapsPerPod=2`,
  ];

  it.each([
    ["1.21", false],
    ["1.23", true],
  ])(
    "with QPS 5 and 880 mounts, 1.21's recycler kills what it waits for: %s comes up: %s",
    async (version, comesUp) => {
      const set = [...manySlow, `${path}.watchLaw="${version}"`];
      const { simulated, fleet, of } = await bed(text, 1, set);
      const running = fleet.run();
      // 880 lists take 174 s at that rate.
      await simulated.driver.advance(5 * minute);
      expect(of(fleet.report(), "kubelets").members.synced === 1).toBe(comesUp);
      fleet.stop();
      await simulated.driver.run(running, minute);
      await simulated.stop();
    },
    slowMs,
  );
});

describe("writers", () => {
  it("in a hot loop change nothing, or a revision each time", async () => {
    for (const [change, verb, changed] of [
      ["none", "patch", false],
      ["small", "patch", true],
      ["small", "put", true],
    ] as const) {
      const set = [
        `populations.writers.behaviour.change=${change}`,
        `populations.writers.behaviour.verb=${verb}`,
        "populations.writers.behaviour.times=50",
        "populations.writers.count=1",
      ];
      const { simulated, fleet, of } = await bed(shipped("hot-writer"), 1, set);
      const maps = simulated.client("test").resource("configmaps");
      const ref = { namespace: "hot", name: "status-0" };
      const report = await simulated.driver.run(fleet.run(), minute);
      expect(of(report, "writers").requests).toMatchObject({
        succeeded: verb === "put" ? 100 : 50,
        refused: 0,
      });
      const { metadata } = await simulated.driver.run(maps.get(ref), minute);
      const annotation = metadata.annotations?.["wavetank.dev/written"];
      expect(annotation).toBe(changed ? "49" : "unchanged");
      await simulated.stop();
    }
  });

  it("delete what they find while others watch it go", async () => {
    const { simulated, fleet, of } = await bed(shipped("mass-deleter"), 0.04);
    const report = await simulated.driver.run(fleet.run(), minute);
    const deleter = of(report, "deleter");
    const deletes = deleter.verbs.find(({ verb }) => verb === "DELETE");
    expect(deletes?.latencyMs.count).toBe(200);
    expect(of(report, "watchers").watches.events).toBeGreaterThanOrEqual(2 * 199);
    const maps = simulated.client("test").resource("configmaps");
    const left = await simulated.driver.run(maps.list({ namespace: "purge" }), minute);
    expect(left.items.map(({ metadata }) => metadata.name)).not.toContain("old-0");
    await simulated.stop();
  });

  it("create at a rate", async () => {
    const text = `
name: creation
populations:
  - name: creator
    behaviour:
      kind: creator
      times: 20
      perSecond: 10
      pad: { field: data.fill, bytes: 1000 }
      manifest: { apiVersion: v1, kind: ConfigMap, metadata: { namespace: default, name: "c-{{.object}}" } }
`;
    const { simulated, fleet } = await bed(text);
    const report = await simulated.driver.run(fleet.run(), minute);
    expect(report.durationMs).toBe(2_000);
    const maps = simulated.client("test").resource("configmaps");
    const made = await simulated.driver.run(maps.list({ namespace: "default" }), minute);
    const own = made.items.filter(({ metadata }) => metadata.name.startsWith("c-"));
    expect(own).toHaveLength(20);
    expect(own[0]?.data?.["fill"]).toHaveLength(1_000);
    await simulated.stop();
  });
});

describe("a run", () => {
  const text = `
name: restart
populations:
  - name: late
    count: 10
    start: { kind: serverRestart, overSeconds: 2 }
    behaviour: { kind: lister, read: { resource: namespaces } }
  - name: quiet
    behaviour: { kind: bystander }
`;

  it("can wait for a restart of the server", async () => {
    const { simulated, fleet, of } = await bed(text);
    const running = fleet.run();
    await simulated.driver.advance(5_000);
    expect(of(fleet.report(), "late").members.started).toBe(0);
    await simulated.stop();
    await simulated.driver.advance(1_500);
    await simulated.start();
    const report = await simulated.driver.run(running, minute);
    expect(report.outcome).toBe("completed");
    expect(of(report, "late")).toMatchObject({ members: { finished: 10 }, errors: [] });
    const quiet = of(report, "quiet");
    expect(quiet.errors).toMatchObject([{ status: 0, reason: "ConnectionError" }]);
    await simulated.stop();
  });

  it("ends with its time and with its number of requests", async () => {
    const { simulated, world, file } = await bed(text);
    const byTime = new Fleet(world, file, { durationMs: 3_500, requestsMax: 1_000 });
    const report = await simulated.driver.run(byTime.run(), minute);
    expect(report).toMatchObject({ outcome: "time", durationMs: 3_500 });
    expect(report.populations[1]?.requests.succeeded).toBe(4);
    const byCount = new Fleet(world, file, { durationMs: minute, requestsMax: 10 });
    const counted = await simulated.driver.run(byCount.run(), minute);
    expect(counted.outcome).toBe("requests");
    expect(counted.populations[1]?.requests.started).toBe(10);
    await simulated.stop();
  });

  it("is the same with the same seed, to the last number", async () => {
    const once = async (): Promise<FleetReport> => {
      const { simulated, fleet } = await bed(shipped("vector-restart"), 0.02);
      const running = fleet.run();
      await simulated.driver.advance(minute);
      fleet.stop();
      const report = await simulated.driver.run(running, minute);
      await simulated.stop();
      return report;
    };
    expect(await once()).toEqual(await once());
  });
});
