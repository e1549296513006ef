// Informers against the real control plane on virtual time: through restarts, compaction-like gaps and slow handlers no
// event is lost and none is told twice.
import { describe, expect, it } from "vitest";
import type { ConfigMap } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import { engine } from "../../test/simulation.ts";
import { InformerSet } from "../informer/informer-set.ts";
import type { Change } from "../informer/informer.ts";
import { type ReflectorProfileName, reflectorProfiles } from "../informer/reflector-profile.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

const namespace = "default";
const objects = 1_000;
const minute = 60_000;

interface Bed {
  readonly simulated: SimulatedControlPlane;
  readonly client: Client;
  readonly run: <T>(promise: Promise<T>) => Promise<T>;
}

async function bed(seed: number): Promise<Bed> {
  const simulated = new SimulatedControlPlane(seed, engine);
  await simulated.start();
  const client = simulated.client("writer");
  return { simulated, client, run: (promise) => simulated.driver.run(promise, 10 * minute) };
}

function configMap(name: string, n: number): ConfigMap {
  return { metadata: { name, namespace }, data: { n: String(n) } };
}

const names = Array.from({ length: objects }, (_, index) => `cm-${index}`);
const lineOf = ({ type, object }: Change<ConfigMap>): string =>
  `${type} ${object.metadata.name} ${object.data?.["n"] ?? ""}`;

describe.each(["client-go", "client-go 1.18", "client-go 1.16", "kube-rs"] as const)(
  "an informer as %s",
  (profile: ReflectorProfileName) => {
    it("stays true through restarts", async () => {
      const { simulated, client, run } = await bed(7);
      const { driver } = simulated;
      const maps = client.resource("configmaps");
      const before = names.slice(0, objects / 2);
      await run(Promise.all(before.map((name) => maps.create(configMap(name, 0)))));

      const informers = new InformerSet(simulated.host, simulated.client("reader"), {
        profile: reflectorProfiles[profile],
        freeze: true,
      });
      const informer = informers.of("configmaps");
      const seen: string[] = [];
      informer.addHandler((change) => {
        if (change.object.metadata.name.startsWith("cm-")) seen.push(lineOf(change));
      });
      informers.start();
      await run(informers.whenSynced());
      // A list from revision 0 may be behind; the watch brings the rest.
      await driver.until(() => seen.length >= before.length, minute);
      expect(seen.toSorted()).toEqual(before.map((name) => `added ${name} 0`).toSorted());

      const after = names.slice(objects / 2);
      await run(Promise.all(after.map((name) => maps.create(configMap(name, 0)))));
      await driver.until(() => seen.length === objects, minute);
      await simulated.stop();
      await driver.advance(5_000);
      await simulated.start();
      // Connections are refused until the informer finds the server again; this write happens meanwhile.
      const seven = await run(maps.get({ namespace, name: "cm-7" }));
      await run(maps.update({ ...seven, data: { n: "1" } }));
      await run(maps.delete({ namespace, name: "cm-8" }));
      await run(maps.delete({ namespace, name: "cm-9" }));
      await run(maps.create(configMap("cm-9", 5)));
      await driver.advance(2 * minute);

      const told = seen.slice(objects).toSorted();
      expect(told).toEqual(
        ["added cm-9 5", "deleted cm-8 0", "deleted cm-9 0", "updated cm-7 1"].toSorted(),
      );
      expect(new Set(seen.slice(0, objects)).size).toBe(objects);
      const inNamespace = informer.lister
        .select(namespace, [])
        .filter(({ metadata }) => metadata.name.startsWith("cm-"));
      expect(inNamespace).toHaveLength(objects - 1);
      await run(informers.stop());
      await simulated.stop();
    });
  },
);

describe("two runs", () => {
  const trace = async (seed: number): Promise<string> => {
    const { simulated, client, run } = await bed(seed);
    const maps = client.resource("configmaps");
    const uids: string[] = [];
    for (const name of ["a", "b", "c"])
      uids.push((await run(maps.create(configMap(name, 0)))).metadata.uid);
    await simulated.driver.advance(minute);
    await simulated.stop();
    return [simulated.host.trace(), ...uids].join(" ");
  };

  it("of one seed are the same, of two are not", async () => {
    const first = await trace(3);
    expect(await trace(3)).toBe(first);
    expect(await trace(4)).not.toBe(first);
  });
});
