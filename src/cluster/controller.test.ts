// The whole client tower's ground in one small controller: every ConfigMap labelled `copy-to` has a copy in that
// namespace. It shows how controllers are written: gather, plan (pure), apply.
import { expect, it } from "vitest";
import type { ConfigMap } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import { serviceAccountIdentity, userIdentity } from "../client/identity.ts";
import { keyOf, refOf } from "../client/served-object.ts";
import type { Host } from "../host/host.ts";
import { Controller } from "../informer/controller.ts";
import { EventCorrelator, correlatorLimitsUsual } from "../informer/event-correlator.ts";
import { EventRecorder } from "../informer/event-recorder.ts";
import { InformerSet } from "../informer/informer-set.ts";
import { byLabel } from "../informer/index-functions.ts";
import { clientGoProfile } from "../informer/reflector-profile.ts";
import { retryUsual } from "../informer/work-queue.ts";
import { engine } from "../../test/simulation.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

type Plan =
  | { readonly do: "nothing" }
  | { readonly do: "create" | "update"; readonly copy: ConfigMap };

function plan(source: ConfigMap, copy: ConfigMap | undefined): Plan {
  const { name = "", namespace = "", labels } = source.metadata;
  const wanted: ConfigMap = {
    metadata: {
      name,
      namespace: labels?.["copy-to"] ?? "",
      labels: { "copy-of": `${namespace}.${name}` },
    },
    data: source.data ?? {},
  };
  if (copy === undefined) return { do: "create", copy: wanted };
  if (JSON.stringify(copy.data) === JSON.stringify(wanted.data)) return { do: "nothing" };
  return { do: "update", copy: { ...copy, data: wanted.data! } };
}

const byCopyOf = byLabel("copy-of");

function copyController(
  host: Host,
  client: Client,
  informers: InformerSet,
): { controller: Controller; recorder: EventRecorder } {
  const recorder = new EventRecorder(host, client.resource("events"), {
    component: "copy-controller",
    style: new EventCorrelator(host.clock, correlatorLimitsUsual),
  });
  const maps = informers.of("configmaps", [byCopyOf]);
  const writer = client.resource("configmaps");
  const controller = new Controller(host, {
    name: "copy",
    workers: 2,
    retry: retryUsual,
    async sync(key) {
      const source = maps.lister.find(key);
      if (source === undefined || source.metadata.labels?.["copy-to"] === undefined) return;
      const [copy] = maps.lister.by(byCopyOf, key.replace("/", "."));
      const planned = plan(source, copy);
      if (planned.do === "nothing") return;
      await (planned.do === "create" ? writer.create(planned.copy) : writer.update(planned.copy));
      recorder.event(source, "Normal", "Copied", `${planned.do} ${keyOf(planned.copy)}`);
    },
  });
  controller.watch(maps, ({ object }) => {
    const copyOf = object.metadata.labels?.["copy-of"];
    return [copyOf === undefined ? keyOf(object) : copyOf.replace(".", "/")];
  });
  return { controller, recorder };
}

it("keeps copies true through edits, deletions and a restart of the server", async () => {
  const simulated = new SimulatedControlPlane(11, engine);
  await simulated.start();
  const { host, driver } = simulated;
  const run = <T>(promise: Promise<T>): Promise<T> => driver.run(promise, 600_000);
  const admin = simulated.client("kubectl");
  const maps = admin.resource("configmaps");
  await run(admin.resource("namespaces").create({ metadata: { name: "target" } }));

  const client = simulated.client("copy-controller", {
    identity: userIdentity(engine.digest, "copier", ["system:masters"]),
    rateLimit: { qps: 20, burst: 30 },
  });
  const informers = new InformerSet(host, client, { profile: clientGoProfile, freeze: true });
  const { controller, recorder } = copyController(host, client, informers);
  informers.start();
  controller.start();

  const source = (name: string): ConfigMap => ({
    metadata: { name, namespace: "default", labels: { "copy-to": "target" } },
    data: { n: "1" },
  });
  const names = ["a", "b", "c"];
  await run(Promise.all(names.map((name) => maps.create(source(name)))));
  await driver.advance(5_000);
  const copies = async (): Promise<string[]> => {
    const { items } = await run(maps.list({ namespace: "target", labelSelector: "copy-of" }));
    return items.map(({ metadata, data }) => `${metadata.name}=${data?.["n"]}`);
  };
  expect(await copies()).toEqual(["a=1", "b=1", "c=1"]);

  const a = await run(maps.get({ namespace: "default", name: "a" }));
  await run(maps.update({ ...a, data: { n: "2" } }));
  await run(maps.delete({ namespace: "target", name: "b" }));
  await simulated.stop();
  await driver.advance(20_000);
  await simulated.start();
  await driver.advance(120_000);
  expect(await copies()).toEqual(["a=2", "b=1", "c=1"]);

  const { items } = await run(
    admin.resource("events").list({ fieldSelector: "involvedObject.name=a" }),
  );
  expect(items.map(({ message }) => message).toSorted()).toEqual([
    "create target/a",
    "update target/a",
  ]);
  await run(Promise.all([controller.stop(), recorder.stop(), informers.stop()]));
  await simulated.stop();
});

it("gives controllers the rights of the bootstrap policy and no more", async () => {
  const simulated = new SimulatedControlPlane(1, engine);
  await simulated.start();
  const run = <T>(promise: Promise<T>): Promise<T> => simulated.driver.run(promise, 60_000);
  const client = simulated.client("job-controller", {
    identity: serviceAccountIdentity(engine.digest, "kube-system", "job-controller"),
  });
  expect((await run(client.resource("pods").list())).items).toEqual([]);
  const refused = run(client.resource("secrets").list());
  await expect(refused).rejects.toMatchObject({ reason: "Forbidden" });
  const pod = { metadata: { name: "p", namespace: "default" }, spec: { containers: [] } };
  // Allowed to create; the pod itself is no good.
  await expect(run(client.resource("pods").create(pod))).rejects.toMatchObject({ code: 422 });
  await expect(run(client.resource("nodes").delete(refOf(pod)))).rejects.toMatchObject({
    reason: "Forbidden",
  });
});
