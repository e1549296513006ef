import { describe, expect, it } from "vitest";
import { engine } from "../../../test/simulation.ts";
import { ConnectionError } from "../../host/http.ts";
import { kubeCosts } from "../cost-profiles.ts";
import { type Topology, World, gibibytes } from "./world.ts";

const topology: Topology = {
  masters: 3,
  machine: { cores: 4, memoryBytes: gibibytes(8) },
  network: { latencyMs: 0.5 },
  costs: kubeCosts,
  etcdBaseBytes: gibibytes(0.5),
  etcdQuotaBytes: gibibytes(2),
  apiServerBaseBytes: gibibytes(1),
  livenessProbe: true,
  options: {},
};

async function booted(seed = 1): Promise<World> {
  const world = new World(seed, engine, topology);
  await world.boot();
  return world;
}

const minute = 60_000;
const configMap = (name: string) => ({ metadata: { name, namespace: "default" } });

describe("a world", () => {
  it("serves one store through all its servers", async () => {
    const world = await booted();
    const [one, two] = world.servers.map((server) => world.network.direct(server));
    expect(one).toBeDefined();
    expect(two).toBeDefined();
    const admin = world.admin("kubectl");
    await world.driver.run(admin.resource("configmaps").create(configMap("a")), minute);
    const maps = await world.driver.run(
      admin.resource("configmaps").find({ namespace: "default", name: "a" }),
      minute,
    );
    expect(maps?.metadata.name).toBe("a");
    expect(world.machines.every(({ processor }) => processor.busyMs > 0)).toBe(true);
  });

  it("refuses while all servers are down and comes back by itself", async () => {
    const world = await booted();
    const admin = world.admin("kubectl");
    for (const { process } of world.servers) process.killed("test");
    const refused = world.driver.run(admin.resource("nodes").find({ name: "x" }), minute);
    await expect(refused).rejects.toThrow(ConnectionError);
    await world.driver.until(() => world.servers.every(({ ready }) => ready), minute);
    const found = await world.driver.run(admin.resource("nodes").find({ name: "x" }), minute);
    expect(found).toBeUndefined();
  });

  it("answers nothing that needs etcd without a majority of its members", async () => {
    const world = await booted();
    const admin = world.admin("kubectl");
    for (const { process } of world.etcd.members.slice(1)) process.stop("test");
    const lost = world.driver.run(admin.resource("configmaps").create(configMap("b")), minute);
    await expect(lost).rejects.toThrow("etcdserver: request timed out");
    world.etcd.members[1]?.process.start();
    await world.driver.advance(10_000);
    const made = await world.driver.run(
      admin.resource("configmaps").create(configMap("b")),
      minute,
    );
    expect(made.metadata.name).toBe("b");
  });

  it("does not write for a client that left while its request waited for a core", async () => {
    const world = new World(1, engine, {
      ...topology,
      machine: { ...topology.machine, cores: 0.001 },
    });
    await world.boot();
    const maps = world.admin("kubectl").resource("configmaps");
    // A request is half a millisecond of work, here half a second.
    const leaving = new AbortController();
    const made = maps.create(configMap("late"), { signal: leaving.signal });
    world.host.clock.after(100, () => leaving.abort());
    await expect(world.driver.run(made, minute)).rejects.toThrow("aborted");
    const found = await world.driver.run(maps.find({ namespace: "default", name: "late" }), minute);
    expect(found).toBeUndefined();
  });

  it("is the same world for the same seed", async () => {
    const trace = async (seed: number): Promise<string> => {
      const world = await booted(seed);
      const admin = world.admin("kubectl");
      for (const name of ["a", "b", "c"])
        await world.driver.run(admin.resource("configmaps").create(configMap(name)), minute);
      world.servers[0]?.process.killed("test");
      await world.driver.advance(minute);
      return world.host.trace();
    };
    const [one, again, other] = [await trace(1), await trace(1), await trace(2)];
    expect(one).toBe(again);
    expect(one).not.toBe(other);
  });
});
