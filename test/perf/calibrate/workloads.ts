// Mixtures of work whose amounts we know, because we asked for it: few kinds, each with another part of the bill in front.
import type { ClientHttp2Stream } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { type LoadClient, inParallel } from "../load-client.ts";
import { path } from "../subject.ts";

/** In the order of `workNames`. */
export interface Work {
  readonly requests: number;
  readonly writes: number;
  /** Looked at, and in the answer. */
  readonly objects: number;
  readonly returned: number;
  readonly megabytes: number;
  readonly events: number;
}

export const workNames = [
  "requests",
  "writes",
  "objects",
  "returned",
  "megabytes",
  "events",
] as const;

type Clients = readonly LoadClient[];

export interface Workload {
  readonly name: string;
  run(clients: Clients): Promise<Work>;
}

export const population = { small: 4_000, large: 2_000 } as const;
const smallBytes = 1_000;
const largeBytes = 20_000;
const width = 16;
const megabyte = 1_000_000;
const nothing: Work = { requests: 0, writes: 0, objects: 0, returned: 0, megabytes: 0, events: 0 };

/** Small ones first, because their names are asked for. */
export const writing: readonly Workload[] = [
  {
    name: "small objects are created",
    run: (clients) =>
      create(clients, { size: "small", count: population.small, bytes: smallBytes }),
  },
  {
    name: "large objects are created",
    run: (clients) =>
      create(clients, { size: "large", count: population.large, bytes: largeBytes }),
  },
];

export const reading: readonly Workload[] = [
  { name: "small objects are read", run: (clients) => get(clients, "small", 6_000) },
  { name: "large objects are read", run: (clients) => get(clients, "large", 2_000) },
  { name: "lists that find nothing", run: (clients) => list(clients, "none", 150) },
  { name: "lists of small objects", run: (clients) => list(clients, "small", 40) },
  { name: "lists of large objects", run: (clients) => list(clients, "large", 12) },
  { name: "one object is written before 200 watchers", run: watched },
];

export const configMaps = path("configmaps");

export function configMap(name: string): string {
  return `${configMaps}/${name}`;
}

function clientOf(clients: Clients, index: number): LoadClient {
  return clients[index % clients.length]!;
}

async function create(
  clients: Clients,
  { size, count, bytes }: { readonly size: string; readonly count: number; readonly bytes: number },
): Promise<Work> {
  let out = 0;
  await inParallel(count, width, async (index) => {
    const metadata = { name: `${size}-${index}`, labels: { size } };
    const body = JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { text: "x".repeat(bytes) },
    });
    const answer = await clientOf(clients, index).expect(201, "POST", configMaps, { body });
    out += answer.size;
  });
  return { ...nothing, requests: count, writes: count, megabytes: out / megabyte };
}

async function get(clients: Clients, size: "small" | "large", count: number): Promise<Work> {
  let out = 0;
  await inParallel(count, width, async (index) => {
    const name = `${size}-${index % population[size]}`;
    out += (await clientOf(clients, index).expect(200, "GET", configMap(name))).size;
  });
  return {
    ...nothing,
    requests: count,
    objects: count,
    returned: count,
    megabytes: out / megabyte,
  };
}

/** From the cache where there is one; every object of the namespace is looked at, as upstream does without an index. */
async function list(
  clients: Clients,
  size: "none" | "small" | "large",
  count: number,
): Promise<Work> {
  let out = 0;
  const target = `${configMaps}?resourceVersion=0&labelSelector=size%3D${size}`;
  await inParallel(count, 2, async (index) => {
    out += (await clientOf(clients, index).expect(200, "GET", target)).size;
  });
  const objects = count * (population.small + population.large);
  const returned = size === "none" ? 0 : count * population[size];
  return { ...nothing, requests: count, objects, returned, megabytes: out / megabyte };
}

const watchers = 200;
const changes = 150;

async function watched(clients: Clients): Promise<Work> {
  const streams = await openWatches(clients, {
    count: watchers,
    query: "fieldSelector=metadata.name%3Dsmall-0",
  });
  let events = 0;
  for (const stream of streams)
    stream.on("data", (chunk: Buffer) => (events += chunk.toString().split('"type":"').length - 1));
  for (let change = 0; change < changes; change++) {
    const body = JSON.stringify({ metadata: { annotations: { change: String(change) } } });
    await clientOf(clients, change).expect(200, "PATCH", configMap("small-0"), { body });
  }
  for (let wait = 0; events < watchers * (changes + 1) && wait < 50; wait++) await pause(100);
  for (const stream of streams) stream.close();
  return { ...nothing, requests: watchers + changes, writes: changes, events };
}

/** Resolves when the server has answered them all. */
export async function openWatches(
  clients: Clients,
  { count, query }: { readonly count: number; readonly query: string },
): Promise<ClientHttp2Stream[]> {
  const target = `${configMaps}?watch=true&resourceVersion=0&timeoutSeconds=300&${query}`;
  const streams = Array.from({ length: count }, (_, index) =>
    clientOf(clients, index).open("GET", target),
  );
  for (const stream of streams) stream.on("error", () => undefined);
  await Promise.all(
    streams.map((stream) => new Promise((resolve) => stream.once("response", resolve))),
  );
  return streams;
}
