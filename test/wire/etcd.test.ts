// Two servers on one real etcd: each sees the other's writes, in order, and kube-apiserver's key layout is kept.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createNodeHost } from "../../src/host/node/node-host.ts";
import { openEtcdStore } from "../../src/storage/etcd/etcd-store.ts";
import { type Etcd, startEtcd } from "../etcd.ts";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { ask, identityOf } from "./raw-client.ts";
import { type Server, startServer } from "./server.ts";

let etcd: Etcd;
let servers: Server[];
let kubectls: Kubectl[];

beforeAll(async () => {
  etcd = await startEtcd();
  const flags = ["--etcd-servers", etcd.url];
  servers = [await startServer({ flags }), await startServer({ flags })];
  kubectls = servers.map((server) => kubectlFor("36", server.kubeconfig));
});

afterAll(async () => {
  for (const server of servers) expect(await server.stop()).toBe(0);
  await etcd.remove();
});

const configMaps = "/api/v1/namespaces/default/configmaps";

it("reads at once what the other wrote", async () => {
  const [a, b] = servers.map((server) => identityOf(server.kubeconfig));
  if (!a || !b) throw new Error("two servers were started");
  for (let index = 0; index < 20; index++) {
    const [writer, reader] = index % 2 ? [a, b] : [b, a];
    const body = JSON.stringify({ metadata: { name: `shared-${index}` } });
    const made = await ask(writer, configMaps, { body });
    expect(made.status).toBe(201);
    const list = await ask(reader, configMaps);
    const names = list.json.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(names).toContain(`shared-${index}`);
    const got = await ask(reader, `${configMaps}/shared-${index}`);
    expect(got.json.metadata.resourceVersion).toBe(made.json.metadata.resourceVersion);
  }
});

it("lets two writers race without losing an update", async () => {
  const [a, b] = servers.map((server) => identityOf(server.kubeconfig));
  if (!a || !b) throw new Error("two servers were started");
  await ask(a, configMaps, { body: '{"metadata":{"name":"raced"},"data":{}}' });
  const patch = (identity: typeof a, key: string): Promise<{ status: number }> =>
    ask(identity, `${configMaps}/raced`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ data: { [key]: "x" } }),
    });
  const statuses: number[] = [];
  for (let index = 0; index < 20; index++) {
    const both = await Promise.all([patch(a, `a${index}`), patch(b, `b${index}`)]);
    statuses.push(...both.map((answer) => answer.status));
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
  const raced = await ask(b, `${configMaps}/raced`);
  expect(Object.keys(raced.json.data)).toHaveLength(40);
});

it("gives every service an address and a node port of its own", async () => {
  const [a, b] = servers.map((server) => identityOf(server.kubeconfig));
  if (!a || !b) throw new Error("two servers were started");
  const made = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      ask(index % 2 ? a : b, "/api/v1/namespaces/default/services", {
        body: JSON.stringify({
          metadata: { name: `racer-${index}` },
          spec: { type: "NodePort", ports: [{ port: 80 }] },
        }),
      }),
    ),
  );
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
  const specs = made.map(({ json }) => json.spec);
  expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(100);
  expect(new Set(specs.map(({ ports }) => ports[0].nodePort)).size).toBe(100);
  const rows = (await kubectls[0]?.ok(["get", "ipaddresses"]))?.split("\n") ?? [];
  expect(rows[0]).toMatch(/^NAME +PARENTREF/);
  const parents = new Map(
    rows.slice(1).map((row) => row.split(/ +/).slice(0, 2) as [string, string]),
  );
  expect(parents.get("10.96.0.1")).toBe("services/default/kubernetes");
  for (const [index, { clusterIP }] of specs.entries())
    expect(parents.get(clusterIP)).toBe(`services/default/racer-${index}`);
  await kubectls[1]?.ok(["delete", "service", "racer-0"]);
  const gone = await ask(a, `/apis/networking.k8s.io/v1/ipaddresses/${specs[0].clusterIP}`);
  expect(gone.status).toBe(404);
});

it("keeps kube-apiserver's keys", async () => {
  await kubectls[0]?.ok(["create", "deployment", "web", "--image=nginx"]);
  await kubectls[1]?.ok(["create", "service", "clusterip", "web", "--tcp=80"]);
  const store = await openEtcdStore(
    createNodeHost("silent", () => {}),
    { servers: [etcd.url] },
  );
  const found = await store.range({ start: "/registry/", end: "/registry0", keysOnly: true });
  await store.close();
  const keys = found.kind === "Range" ? found.kvs.map((kv) => kv.key) : [];
  expect(keys).toEqual(
    expect.arrayContaining([
      "/registry/namespaces/default",
      "/registry/deployments/default/web",
      "/registry/services/specs/default/web",
      "/registry/configmaps/default/shared-0",
      "/registry/clusterroles/cluster-admin",
      "/registry/ipaddresses/10.96.0.1",
    ]),
  );
});
