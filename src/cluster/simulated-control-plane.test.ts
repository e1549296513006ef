import { describe, expect, it } from "vitest";
import { engine } from "../../test/simulation.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

async function started(seed: number): Promise<SimulatedControlPlane> {
  const simulated = new SimulatedControlPlane(seed, engine);
  await simulated.start();
  return simulated;
}

describe("a simulated control plane", () => {
  it("does the verbs", async () => {
    const simulated = await started(1);
    const { driver } = simulated;
    const maps = simulated.client("test").resource("configmaps");
    const run = <T>(promise: Promise<T>): Promise<T> => driver.run(promise, 60_000);
    const namespace = "default";
    const made = await run(maps.create({ metadata: { name: "a", namespace }, data: { k: "1" } }));
    expect(made).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { k: "1" } });
    const changed = await run(maps.update({ ...made, data: { k: "2" } }));
    expect(Number(changed.metadata.resourceVersion)).toBeGreaterThan(
      Number(made.metadata.resourceVersion),
    );
    await expect(run(maps.update({ ...made, data: { k: "3" } }))).rejects.toMatchObject({
      reason: "Conflict",
    });
    const page = await run(maps.list({ namespace }));
    expect(page.items.map((item) => [item.kind, item.metadata.name])).toContainEqual([
      "ConfigMap",
      "a",
    ]);
    await run(maps.delete({ namespace, name: "a" }));
    expect(await run(maps.find({ namespace, name: "a" }))).toBeUndefined();
    await simulated.stop();
  });
});
