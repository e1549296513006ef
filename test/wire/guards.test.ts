// The guards on what clients may hold, through the front door with small limits: connections, streams, watches, time, bytes.
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { afterEach, expect, it } from "vitest";
import { type Identity, ask, dial, identityOf } from "./raw-client.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;
let identity: Identity;
let ends: (() => unknown)[] = [];

async function start(...flags: readonly string[]): Promise<void> {
  server = await startServer({ flags: ["--memory", ...flags] });
  identity = identityOf(server.kubeconfig);
}

afterEach(async () => {
  for (const end of ends) end();
  ends = [];
  expect(await server.stop()).toBe(0);
});

function session(): ClientHttp2Session {
  const { ca = "", cert = "", key = "" } = identity;
  const made = connect(server.url, { ca, cert, key });
  made.on("error", () => {});
  ends.push(() => made.destroy());
  return made;
}

async function statusOf(stream: ClientHttp2Stream): Promise<[number, string]> {
  stream.on("error", () => {});
  const [headers] = (await once(stream, "response")) as [Record<string, string | number>];
  return [Number(headers[":status"]), `${headers["retry-after"] ?? ""}`];
}

async function metric(line: string): Promise<number> {
  const { text } = await ask(identity, "/metrics");
  return Number(
    text
      .split("\n")
      .find((each) => each.startsWith(`${line} `))
      ?.split(" ")
      .at(-1),
  );
}

const watch = { ":path": "/api/v1/namespaces?watch=true&resourceVersion=0" };

it("bounds the watches of a user, says so, and forgets those that ended", async () => {
  await start("--max-watches-per-user=2");
  const client = session();
  const first = client.request(watch);
  expect(await statusOf(first)).toEqual([200, ""]);
  expect(await statusOf(client.request(watch))).toEqual([200, ""]);
  const refused = await ask(identity, watch[":path"]);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "10"]);
  expect(refused.json).toMatchObject({ kind: "Status", reason: "TooManyRequests" });
  expect(refused.json.message).toMatch(/too many watches open/);
  expect(await metric('wavetank_watches_refused_total{limit="user"}')).toBe(1);
  expect(await metric("wavetank_watches_open")).toBe(2);
  first.close();
  while ((await metric("wavetank_watches_open")) > 1);
  expect(await statusOf(client.request(watch))).toEqual([200, ""]);
});

it("bounds how fast a user opens watches", async () => {
  // Twenty at once, then one a second.
  await start("--watch-starts-per-second=1");
  const client = session();
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => statusOf(client.request(watch))),
  );
  const refused = answers.filter(([status]) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(20);
  expect(await metric('wavetank_watches_refused_total{limit="rate"}')).toBe(refused.length);
});

it("bounds connections, and takes new ones when others have left", async () => {
  await start("--max-connections=2");
  const held = [await dial(identity), await dial(identity)];
  for (const socket of held) ends.push(() => socket.destroy());
  await expect(ask(identity, "/version")).rejects.toThrow();
  held[0]?.destroy();
  let answered: number | undefined;
  while (answered === undefined)
    answered = await ask(identity, "/version").then(
      ({ status }) => status,
      () => undefined,
    );
  expect(answered).toBe(200);
  held[1]?.destroy();
  let cut: number | undefined;
  while (cut === undefined)
    cut = await metric('wavetank_connections_cut_total{guard="total"}').catch(() => undefined);
  expect(cut).toBeGreaterThan(0);
});

it.each([
  ["as of today", [], 100],
  ["as 1.28", ["--kubernetes-version=1.28"], 250],
  ["as told", ["--http2-max-streams-per-connection=9"], 9],
])("tells how many streams a connection may have: %s", async (_name, flags, streams) => {
  await start(...flags);
  const [settings] = (await once(session(), "remoteSettings")) as [
    { maxConcurrentStreams: number },
  ];
  expect(settings.maxConcurrentStreams).toBe(streams);
});

it("takes 32 creates of a megabyte at once on one connection", async () => {
  await start();
  const client = session();
  const create = async (index: number): Promise<number> => {
    const stream = client.request({
      ":method": "POST",
      ":path": "/api/v1/namespaces/default/configmaps",
      "content-type": "application/json",
    });
    const metadata = { name: `large-${index}` };
    stream.end(JSON.stringify({ metadata, data: { text: "x".repeat(1_000_000) } }));
    const [status] = await statusOf(stream);
    for await (const chunk of stream) void chunk;
    return status;
  };
  const statuses = await Promise.all(Array.from({ length: 32 }, (_, index) => create(index)));
  expect(statuses).toEqual(Array.from({ length: 32 }, () => 201));
});

it("refuses larger bodies than it is told to take", async () => {
  await start("--max-request-bytes=1000");
  const body = JSON.stringify({ metadata: { name: "x" }, data: { text: "x".repeat(2_000) } });
  const headers = { "content-type": "application/json" };
  const path = "/api/v1/namespaces/default/configmaps";
  const { status, json } = await ask(identity, path, { method: "POST", body, headers });
  expect([status, json.reason]).toEqual([413, "RequestEntityTooLarge"]);
  expect(json.message).toContain("limit is 1000");
});

it("gives up a request whose body drips in", async () => {
  await start("--request-timeout=300ms");
  const stream = session().request({
    ":method": "POST",
    ":path": "/api/v1/namespaces/default/configmaps",
    "content-type": "application/json",
  });
  const dripping = setInterval(() => stream.destroyed || stream.write(" "), 20);
  ends.push(() => clearInterval(dripping));
  expect((await statusOf(stream))[0]).toBe(504);
  stream.resume();
  // The server stops it also when the client would go on.
  await once(stream, "close");
});
