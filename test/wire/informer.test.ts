// The JavaScript client's informer across a restart of the server: no event lost, none doubled.
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Server, startServer } from "./server.ts";

const namespace = "default";
const objects = 1000;
let dataDir: string;
let server: Server;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "wavetank-informer-"));
  server = await startServer({ dataDir, flags: ["--durability=relaxed"] });
});

afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function clients(): { config: KubeConfig; core: CoreV1Api } {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  return { config, core: config.makeApiClient(CoreV1Api) };
}

it("keeps an informer true through restarts", async () => {
  const { config, core } = clients();
  const seen: string[] = [];
  const name = (object: V1ConfigMap): string => object.metadata?.name ?? "";
  const port = Number(new URL(server.url).port);
  const informer = makeInformer(
    config,
    `/api/v1/namespaces/${namespace}/configmaps`,
    () => core.listNamespacedConfigMap({ namespace, labelSelector: "informed" }),
    "informed",
  );
  informer.on("add", (object) => seen.push(`add ${name(object)}`));
  informer.on("update", (object) => seen.push(`update ${name(object)} ${object.data?.["n"]}`));
  informer.on("delete", (object) => seen.push(`delete ${name(object)}`));
  // The library leaves restarting after a broken connection to the caller.
  let stopped = false;
  informer.on("error", () => {
    if (!stopped) setTimeout(() => void informer.start(), 100);
  });
  await informer.start();

  const create = (index: number): Promise<V1ConfigMap> =>
    core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: `cm-${index}`, labels: { informed: "yes" } }, data: { n: "0" } },
    });
  for (let from = 0; from < objects; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => create(from + index)));
  await until(() => seen.length >= objects);
  expect(new Set(seen).size).toBe(objects);

  await server.stop();
  server = await startServer({ dataDir, port, flags: ["--durability=relaxed"] });
  const { core: fresh } = clients();
  await fresh.patchNamespacedConfigMap({
    namespace,
    name: "cm-7",
    body: [{ op: "replace", path: "/data/n", value: "1" }],
  });
  await fresh.deleteNamespacedConfigMap({ namespace, name: "cm-8" });
  await fresh.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name: "cm-new", labels: { informed: "yes" } } },
  });
  await until(() => seen.includes("add cm-new"));
  await until(() => seen.includes("update cm-7 1") && seen.includes("delete cm-8"));
  stopped = true;
  await informer.stop();
  expect(seen.filter((event) => event === "add cm-new")).toHaveLength(1);
  expect(seen.filter((event) => event.startsWith("add "))).toHaveLength(objects + 1);
  expect(seen.filter((event) => event === "delete cm-8")).toHaveLength(1);
  expect(informer.list()).toHaveLength(objects);
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
