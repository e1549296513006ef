// The JavaScript client's informer across restarts of the server: per object, exactly the events that happened to it.
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Server, startServer } from "./server.ts";

const namespace = "default";
const labels = { informed: "yes" };
const objects = 1000;
const batch = 50;
let dataDir: string;
let server: Server;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "wavetank-informer-"));
  server = await startServer({ dataDir, flags: [] });
});

afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A client of its own after each restart: no pooled connection to a server that is gone. */
function connect(): { config: KubeConfig; core: CoreV1Api } {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  return { config, core: config.makeApiClient(CoreV1Api) };
}

interface Followed {
  /** Events by object, in the order they came: `add 0`, `update 1`, `delete 1`; the number is the object's data. */
  readonly seen: Map<string, string[]>;
  held(): number;
  stop(): Promise<void>;
}

async function follow(): Promise<Followed> {
  const { config, core } = connect();
  const seen = new Map<string, string[]>();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const list = (): ReturnType<CoreV1Api["listNamespacedConfigMap"]> =>
    core.listNamespacedConfigMap({ namespace, labelSelector: "informed" });
  const informer = makeInformer(config, path, list, "informed");
  const note = (event: string) => (object: V1ConfigMap) => {
    const name = object.metadata?.name ?? "";
    seen.set(name, [...(seen.get(name) ?? []), `${event} ${object.data?.["n"]}`]);
  };
  for (const event of ["add", "update", "delete"] as const) informer.on(event, note(event));
  // The library leaves starting again after a broken connection to its caller.
  let stopped = false;
  const start = (): void => {
    if (!stopped) informer.start().catch(again);
  };
  const again = (): void => void setTimeout(start, 100);
  informer.on("error", again);
  await informer.start();
  return {
    seen,
    held: () => informer.list().length,
    async stop() {
      stopped = true;
      await informer.stop();
    },
  };
}

async function inBatches(
  names: readonly string[],
  act: (name: string) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < names.length; from += batch)
    await Promise.all(names.slice(from, from + batch).map(act));
}

async function restart(signal: NodeJS.Signals): Promise<CoreV1Api> {
  const port = Number(new URL(server.url).port);
  await server.stop(signal);
  server = await startServer({ dataDir, port, flags: [] });
  return connect().core;
}

const create = (core: CoreV1Api) => (name: string) =>
  core.createNamespacedConfigMap({
    namespace,
    body: { metadata: { name, labels }, data: { n: "0" } },
  });

const setNumber = (core: CoreV1Api, n: string) => (name: string) =>
  core.patchNamespacedConfigMap({
    namespace,
    name,
    body: [{ op: "replace", path: "/data/n", value: n }],
  });

const remove = (core: CoreV1Api) => (name: string) =>
  core.deleteNamespacedConfigMap({ namespace, name });

it("keeps an informer true through an orderly stop and a kill", async () => {
  const names = Array.from({ length: objects }, (_, index) => `cm-${index}`);
  const expected = new Map(names.map((name) => [name, ["add 0"]]));
  const follower = await follow();
  await inBatches(names, create(connect().core));
  await seenAll(follower, expected);

  let left = names;
  for (const [round, signal] of (["SIGTERM", "SIGKILL"] as const).entries()) {
    const core = await restart(signal);
    const number = `${round + 1}`;
    const changed = left.filter((_, index) => index % 10 === 0);
    const removed = left.filter((_, index) => index % 10 === 1);
    const made = `new-${number}`;
    for (const name of changed) expected.get(name)?.push(`update ${number}`);
    for (const name of removed) expected.get(name)?.push(`delete ${lastNumber(expected, name)}`);
    expected.set(made, ["add 0"]);
    await inBatches(changed, setNumber(core, number));
    await inBatches(removed, remove(core));
    await create(core)(made);
    await seenAll(follower, expected);
    left = [...left.filter((name) => !removed.includes(name)), made];
    expect(follower.held()).toBe(left.length);
  }
  await follower.stop();
  expect(Object.fromEntries(follower.seen)).toEqual(Object.fromEntries(expected));
});

function lastNumber(events: ReadonlyMap<string, readonly string[]>, name: string): string {
  return events.get(name)?.at(-1)?.split(" ")[1] ?? "";
}

/** Waits for as many events as were caused; what they were is for the caller to say. The runner's limit ends it. */
async function seenAll(
  follower: Followed,
  expected: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const count = (events: ReadonlyMap<string, readonly string[]>): number =>
    [...events.values()].reduce((sum, { length }) => sum + length, 0);
  while (count(follower.seen) < count(expected))
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(Object.fromEntries(follower.seen)).toEqual(Object.fromEntries(expected));
}
