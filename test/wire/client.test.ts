// Our own client and informer in a process of their own, over HTTPS, by the kubeconfig that the server wrote.
import { ConnectionError } from "../../src/host/http.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client } from "../../src/client/client.ts";
import { transportIdentity } from "../../src/client/identity.ts";
import { type ServerTransport, createHttpsTransport } from "../../src/host/node/https-transport.ts";
import { readKubeconfig } from "../../src/host/node/kubeconfig-credentials.ts";
import { createNodeHost } from "../../src/host/node/node-host.ts";
import { InformerSet } from "../../src/informer/informer-set.ts";
import { clientGoProfile } from "../../src/informer/reflector-profile.ts";
import { type Server, startServer } from "./server.ts";

const namespace = "default";
const objects = 300;
const host = createNodeHost("silent", () => {});
let dataDir: string;
let server: Server;
let https: ServerTransport;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "wavetank-client-"));
  server = await startServer({ dataDir, flags: ["--durability=relaxed"] });
  https = createHttpsTransport(readKubeconfig(server.kubeconfig));
});

afterAll(async () => {
  https.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Whoever calls while connections of the old server break is told so, and calls again. */
async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
    }
  }
}

it("stays true through a restart of the server", async () => {
  const client = new Client(host, https.transport, {
    userAgent: "wire-test/1",
    identity: transportIdentity,
    rateLimit: undefined,
  });
  const maps = client.resource("configmaps");
  const informers = new InformerSet(host, client, { profile: clientGoProfile, freeze: true });
  const informer = informers.of("configmaps");
  const seen: string[] = [];
  let changed: () => void = () => undefined;
  informer.addHandler(({ type, object }) => {
    if (object.metadata.name.startsWith("cm-")) seen.push(`${type} ${object.metadata.name}`);
    changed();
  });
  const until = async (count: number): Promise<void> => {
    while (seen.length < count) await new Promise<void>((resolve) => (changed = resolve));
  };
  informers.start();
  await informers.whenSynced();
  const names = Array.from({ length: objects }, (_, index) => `cm-${index}`);
  await Promise.all(names.map((name) => maps.create({ metadata: { name, namespace } })));
  await until(objects);
  expect(seen.toSorted()).toEqual(names.map((name) => `added ${name}`).toSorted());

  const port = Number(new URL(server.url).port);
  await server.stop();
  server = await startServer({ dataDir, port, flags: ["--durability=relaxed"] });
  await untilAnswered(() => maps.find({ namespace, name: "cm-8" }));
  await maps.delete({ namespace, name: "cm-8" });
  await maps.create({ metadata: { name: "cm-new", namespace } });
  await until(objects + 2);
  // In the order of the changes by a watch that goes on, new ones first by a list.
  expect(seen.slice(objects).toSorted()).toEqual(["added cm-new", "deleted cm-8"]);
  await informers.stop();
});
