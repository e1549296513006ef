import { afterEach, beforeEach, expect, test } from "vitest";
import type { FlowSchema } from "../api/types/flowcontrol-v1.ts";
import type { Client } from "../client/client.ts";
import { engine } from "../../test/simulation.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

const schemas = "flowschemas.flowcontrol.apiserver.k8s.io";
const levels = "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io";

let simulated: SimulatedControlPlane;
let client: Client;

beforeEach(async () => {
  simulated = new SimulatedControlPlane(1, engine);
  await simulated.start();
  client = simulated.client("test");
});

afterEach(() => simulated.stop());

const run = <T>(promise: Promise<T>): Promise<T> => simulated.driver.run(promise, 10_000);

const schemaNames = async (): Promise<string[]> => {
  const { items } = await run(client.resource(schemas).list());
  return items.map(({ metadata }) => metadata.name ?? "");
};

test("what the server starts with comes back within a minute", async () => {
  await run(client.resource(schemas).delete({ name: "service-accounts" }));
  await run(client.resource(schemas).delete({ name: "catch-all" }));
  expect(await schemaNames()).not.toContain("service-accounts");
  await simulated.driver.advance(61_000);
  const names = await schemaNames();
  expect(names).toContain("service-accounts");
  expect(names).toContain("catch-all");
});

test("a suggested level that was changed is put back, unless its annotation gives it away", async () => {
  const resource = client.resource(levels);
  const change = async (autoUpdate: string): Promise<void> => {
    const level = await run(resource.get({ name: "workload-low" }));
    const limited = { ...level.spec?.limited, nominalConcurrencyShares: 7 };
    const annotations = { "apf.kubernetes.io/autoupdate-spec": autoUpdate };
    const metadata = { ...level.metadata, annotations };
    await run(resource.update({ ...level, metadata, spec: { type: "Limited", limited } }));
  };
  const shares = async (): Promise<number | undefined> =>
    (await run(resource.get({ name: "workload-low" }))).spec?.limited?.nominalConcurrencyShares;
  await change("true");
  expect(await shares()).toBe(7);
  await simulated.driver.advance(61_000);
  expect(await shares()).toBe(100);
  await change("false");
  await simulated.driver.advance(61_000);
  expect(await shares()).toBe(7);
});

test("a FlowSchema's status follows its level", async () => {
  const schema: FlowSchema = {
    metadata: { name: "mine" },
    spec: { priorityLevelConfiguration: { name: "mine" }, matchingPrecedence: 100 },
  };
  const dangling = async (): Promise<readonly (string | undefined)[]> => {
    const { status } = await run(client.resource(schemas).get({ name: "mine" }));
    return (status?.conditions ?? []).map(
      ({ type, status: is, reason }) => `${type} ${is} ${reason}`,
    );
  };
  await run(client.resource(schemas).create(schema));
  await simulated.driver.advance(100);
  expect(await dangling()).toEqual(["Dangling True NotFound"]);
  const spec = { type: "Limited", limited: { limitResponse: { type: "Reject" } } };
  await run(client.resource(levels).create({ metadata: { name: "mine" }, spec }));
  await simulated.driver.advance(100);
  expect(await dangling()).toEqual(["Dangling False Found"]);
});
