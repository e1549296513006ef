// Whatever comes in, the answer is Kubernetes' own error or a clean close, and others are served meanwhile.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connect2 } from "node:http2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Identity, ask, dial, identityOf } from "./raw-client.ts";
import { type Server, startServer } from "./server.ts";

let server: Server;
let me: Identity;

beforeAll(async () => {
  server = await startServer();
  me = identityOf(server.kubeconfig);
});

afterAll(async () => {
  expect(await server.stop()).toBe(0);
  expect(server.stderr()).toBe("");
});

const configMaps = "/api/v1/namespaces/default/configmaps";

function rssMiB(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

describe("a refused request", () => {
  it.each([
    ["wrong JSON", configMaps, { body: "{" }, 400, "BadRequest", "unexpected end of JSON input"],
    ["no JSON", configMaps, { body: "{a:1}" }, 400, "BadRequest", "invalid character 'a'"],
    ["an array", configMaps, { body: "[]" }, 400, "BadRequest", ""],
    [
      "an unknown kind",
      configMaps,
      { body: '{"apiVersion":"v1","kind":"Nope","metadata":{"name":"a"}}' },
      400,
      "BadRequest",
      "Nope",
    ],
    [
      "another kind",
      configMaps,
      { body: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}' },
      400,
      "BadRequest",
      "Secret",
    ],
    [
      "a wrong type",
      "/apis/apps/v1/namespaces/default/deployments",
      { body: '{"metadata":{"name":"a"},"spec":{"replicas":"three"}}' },
      400,
      "BadRequest",
      "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "a bad name",
      configMaps,
      { body: '{"metadata":{"name":"Bad_Name"}}' },
      422,
      "Invalid",
      'ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain',
    ],
    ["no name", configMaps, { body: "{}" }, 422, "Invalid", "name or generateName is required"],
    [
      "another namespace",
      configMaps,
      { body: '{"metadata":{"name":"a","namespace":"b"}}' },
      400,
      "BadRequest",
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "a bad label selector",
      `${configMaps}?labelSelector=a%20b`,
      {},
      400,
      "BadRequest",
      "unable to parse requirement",
    ],
    [
      "a bad field selector",
      "/api/v1/pods?fieldSelector=spec.x%3D1",
      {},
      400,
      "BadRequest",
      "field label not supported",
    ],
    [
      "a bad continue token",
      `${configMaps}?continue=zzz`,
      {},
      400,
      "BadRequest",
      "continue key is not valid",
    ],
    [
      "a bad resourceVersion",
      `${configMaps}?resourceVersion=x`,
      {},
      400,
      "BadRequest",
      'parsing "x": invalid syntax',
    ],
    [
      "a future resourceVersion",
      `${configMaps}?resourceVersion=999999`,
      {},
      504,
      "Timeout",
      "Too large resource version: 999999, current: ",
    ],
    [
      "a match without version",
      `${configMaps}?resourceVersionMatch=Exact`,
      {},
      422,
      "Invalid",
      "resourceVersionMatch is forbidden unless resourceVersion is provided",
    ],
    [
      "an unknown resource",
      "/api/v1/namespaces/default/nopes",
      {},
      404,
      "NotFound",
      "the server could not find the requested resource",
    ],
    [
      "a wrong method",
      "/api/v1/namespaces/default/configmaps/a",
      { method: "POST", body: "{}" },
      405,
      "MethodNotAllowed",
      "",
    ],
    [
      "an unknown media type",
      configMaps,
      { body: "x", headers: { "content-type": "text/plain" } },
      415,
      "UnsupportedMediaType",
      "the body of the request was in an unknown format",
    ],
    [
      "an unknown answer",
      configMaps,
      { headers: { accept: "text/html" } },
      406,
      "NotAcceptable",
      "only the following media types are accepted",
    ],
    [
      "a bad token",
      configMaps,
      { anonymous: true, headers: { authorization: "Bearer x" } },
      401,
      "Unauthorized",
      "Unauthorized",
    ],
    [
      "nobody",
      configMaps,
      { anonymous: true },
      403,
      "Forbidden",
      'User "system:anonymous" cannot list resource "configmaps"',
    ],
    [
      "a big body",
      configMaps,
      { body: Buffer.alloc(3_145_729, 32) },
      413,
      "RequestEntityTooLarge",
      "limit is 3145728",
    ],
    [
      "deep nesting",
      configMaps,
      { body: `{"data":${'{"a":'.repeat(20_000)}` },
      400,
      "BadRequest",
      "",
    ],
    [
      "a garbled protobuf",
      configMaps,
      {
        body: Buffer.from("6b387300ffffffffffffff", "hex"),
        headers: { "content-type": "application/vnd.kubernetes.protobuf" },
      },
      400,
      "BadRequest",
      "",
    ],
    [
      "a dry run of another kind",
      `${configMaps}?dryRun=some`,
      { body: '{"metadata":{"name":"a"}}' },
      422,
      "Invalid",
      "dryRun: Unsupported value",
    ],
    [
      "a bad timeout",
      `${configMaps}?timeout=soon`,
      {},
      400,
      "BadRequest",
      "invalid timeout specified in the request URL",
    ],
  ])("%s", async (_name, path, options, status, reason, words) => {
    const answer = await ask(me, path, options);
    expect(answer.json).toMatchObject({ kind: "Status", status: "Failure", code: status, reason });
    expect(answer.status).toBe(status);
    expect(answer.json.message).toContain(words);
  });

  it("is outside every API: plain text", async () => {
    const answer = await ask(me, "/nowhere");
    expect([answer.status, answer.text.trim()]).toEqual([404, "404 page not found"]);
  });
});

it("keeps integers beyond 2^53 digit for digit", async () => {
  const big = '"tolerationSeconds":9007199254740993';
  const pod = `{"metadata":{"name":"big"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute",${big}}]}}`;
  const created = await ask(me, "/api/v1/namespaces/default/pods", { body: pod });
  expect(created.text).toContain(big);
  const patched = await ask(me, "/api/v1/namespaces/default/pods/big", {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: '{"metadata":{"labels":{"a":"b"}}}',
  });
  expect(patched.text).toContain(big);
  const yaml = await ask(me, "/api/v1/namespaces/default/pods/big", {
    headers: { accept: "application/yaml" },
  });
  expect(yaml.text).toContain("tolerationSeconds: 9007199254740993\n");
});

it("drops a half-sent body and a half-closed connection", async () => {
  const socket = await dial(me);
  socket.write(`POST ${configMaps} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"metadata"`);
  socket.end();
  socket.resume();
  await once(socket, "close");
  expect((await ask(me, `${configMaps}/metadata`)).status).toBe(404);
});

it("serves others while a reader of a 150 MB list stops reading", async () => {
  const text = "x".repeat(1_000_000);
  for (let index = 0; index < 150; index++) {
    const body = JSON.stringify({ metadata: { name: `large-${index}` }, data: { text } });
    expect((await ask(me, configMaps, { body })).status).toBe(201);
  }
  await ask(me, configMaps);
  const before = rssMiB();
  const stalled = [];
  for (let index = 0; index < 10; index++) {
    const socket = await dial(me);
    socket.pause();
    socket.write(`GET ${configMaps} HTTP/1.1\r\nHost: x\r\n\r\n`);
    stalled.push(socket);
  }
  const session = connect2(server.url, { ca: me.ca, cert: me.cert, key: me.key });
  const stream = session.request({ ":path": configMaps });
  await once(stream, "response");
  stream.pause();
  for (let index = 0; index < 50; index++)
    expect((await ask(me, `${configMaps}/large-1?pretty=false`)).status).toBe(200);
  expect(rssMiB() - before).toBeLessThan(64);
  for (const socket of stalled) socket.destroy();
  session.destroy();
});

it("stands a thousand connections that say nothing", async () => {
  const before = rssMiB();
  const silent = await Promise.all(
    Array.from({ length: 1000 }, (_, n) => dial(me, n % 2 ? "h2" : "http/1.1")),
  );
  expect((await ask(me, "/readyz")).text).toBe("ok");
  expect(rssMiB() - before).toBeLessThan(150);
  for (const socket of silent) socket.destroy();
});
