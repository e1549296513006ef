import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createNodeHost } from "../../host/node/node-host.ts";
import { uncounted } from "../../api/request-cost.ts";
import { TestRegistries } from "../registries.testbed.ts";

describe("what a write costs", () => {
  let all: TestRegistries;
  beforeEach(async () => {
    all = await TestRegistries.open(createNodeHost("silent", () => undefined));
  });
  afterEach(() => all.close());

  it("counts its transactions, and reads only where it had to look", async () => {
    const configMaps = all.of("", "configmaps");
    const created = uncounted();
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    await configMaps.registry.create(structuredClone(object), {
      ...configMaps.call(),
      cost: created,
    });
    expect(created).toMatchObject({ storeWrites: 1, storeReads: 0 });
    const deleted = uncounted();
    const call = { ...configMaps.call(), name: "a", options: {}, cost: deleted };
    await configMaps.registry.delete(call);
    expect(deleted).toMatchObject({ storeWrites: 1, objectsScanned: 1 });
    const missing = uncounted();
    await expect(configMaps.registry.delete({ ...call, cost: missing })).rejects.toThrow(
      "not found",
    );
    expect(missing).toMatchObject({ storeWrites: 0, storeReads: 1, storeObjects: 0 });
  });
});
