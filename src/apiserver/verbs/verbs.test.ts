import { describe, expect, it } from "vitest";
import {
  decodeProtobuf,
  encodeProtobuf,
  unwrapEnvelope,
  wrapEnvelope,
} from "../../api/codec/protobuf.ts";
import {
  CollectingSink,
  type Received,
  bed,
  configMap,
  configMaps,
  post,
  requestOf,
} from "../server.testbed.ts";

describe("objects", () => {
  it("are created, read, listed, replaced, patched and deleted", async () => {
    const { send } = bed();
    const created = await send(configMaps, post(configMap("c1")));
    expect(created.status).toBe(201);
    expect(created.json()).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "c1", namespace: "default", resourceVersion: "11" },
      data: { a: "b" },
    });
    const read = await send(`${configMaps}/c1`);
    expect([read.status, read.text]).toEqual([200, created.text]);
    const replaced = await send(`${configMaps}/c1`, {
      ...post(configMap("c1", { a: "c" })),
      method: "PUT",
    });
    expect(replaced.json()).toMatchObject({
      metadata: { resourceVersion: "12" },
      data: { a: "c" },
    });
    const patch = (type: string, body: object): Promise<Received> =>
      send(`${configMaps}/c1`, { method: "PATCH", body, headers: { "content-type": type } });
    await patch("application/merge-patch+json", { data: { m: "1", a: null } });
    await patch("application/strategic-merge-patch+json", { data: { s: "1" } });
    const patched = await patch("application/json-patch+json", [
      { op: "add", path: "/data/j", value: "1" },
    ]);
    expect([patched.status, patched.json()["data"]]).toEqual([200, { m: "1", s: "1", j: "1" }]);
    const list = await send(configMaps);
    expect(list.json()).toEqual({
      kind: "ConfigMapList",
      apiVersion: "v1",
      metadata: { resourceVersion: "15" },
      items: [{ metadata: patched.json()["metadata"], data: { m: "1", s: "1", j: "1" } }],
    });
    const deleted = await send(`${configMaps}/c1`, { method: "DELETE" });
    expect(deleted.json()).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "c1", kind: "configmaps" },
    });
    expect((await send(`${configMaps}/c1`)).status).toBe(404);
  });

  it("come and go as protobuf", async () => {
    const { send } = bed();
    const type = "application/vnd.kubernetes.protobuf";
    const message = encodeProtobuf("core.v1.ConfigMap", {
      metadata: { name: "p" },
      data: { k: "v" },
    });
    const body = wrapEnvelope("ConfigMap", "v1", message);
    const created = await send(
      configMaps,
      post(body, { "content-type": type, accept: `${type},application/json` }),
    );
    expect(created.headers["content-type"]).toEqual([type]);
    const envelope = unwrapEnvelope(created.bytes);
    expect(decodeProtobuf("core.v1.ConfigMap", envelope.message)).toMatchObject({
      metadata: { name: "p", namespace: "default" },
      data: { k: "v" },
    });
    const yaml = await send(`${configMaps}/p`, { headers: { accept: "application/yaml" } });
    expect(yaml.text).toContain("kind: ConfigMap\n");
  });

  it("pass options on to the registry", async () => {
    const { send, registries } = bed();
    await send(`${configMaps}?dryRun=All&fieldManager=me`, post(configMap("a")));
    await send(`${configMaps}/a`, {
      method: "DELETE",
      body: { propagationPolicy: "Orphan", dryRun: ["All"] },
    });
    const [create, remove] = registries.get("configmaps")?.calls ?? [];
    expect(create).toMatchObject({
      dryRun: true,
      fieldManager: "me",
      namespace: "default",
      user: { name: "admin" },
    });
    expect(remove).toMatchObject({
      dryRun: true,
      name: "a",
      options: { propagationPolicy: "Orphan" },
    });
  });

  it("may be created by PUT only with the right to", async () => {
    const { send, parts } = bed();
    const put = { ...post(configMap("new")), method: "PUT" };
    expect((await send(`${configMaps}/new`, put)).status).toBe(201);
    expect(parts.asked.map(({ verb }) => verb)).toEqual(["update", "create"]);
  });

  it("are deleted by collection", async () => {
    const { send } = bed();
    for (const name of ["a", "b"]) await send(configMaps, post(configMap(name)));
    const deleted = await send(configMaps, { method: "DELETE" });
    expect(deleted.json()["items"]).toHaveLength(2);
    expect((await send(configMaps)).json()["items"]).toEqual([]);
  });
});

describe("strictness", () => {
  const body = { ...configMap("c"), typo: 1 };
  it.each([
    ["Ignore", 201, undefined],
    ["Warn", 201, ['299 - "unknown field \\"typo\\""']],
    ["Strict", 400, undefined],
  ])("fieldValidation=%s of a create", async (validation, status, warning) => {
    const received = await bed().send(`${configMaps}?fieldValidation=${validation}`, post(body));
    expect([received.status, received.headers["warning"]]).toEqual([status, warning]);
  });

  it.each([
    ["Ignore", 200, undefined],
    ["Warn", 200, ['299 - "unknown field \\"typo\\""']],
    ["Strict", 422, undefined],
  ])("fieldValidation=%s of a patch", async (validation, status, warning) => {
    const { send } = bed();
    await send(configMaps, post(configMap("c")));
    const received = await send(`${configMaps}/c?fieldValidation=${validation}`, {
      method: "PATCH",
      body: { typo: 1 },
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect([received.status, received.headers["warning"]]).toEqual([status, warning]);
    if (validation === "Strict")
      expect(received.json()["message"]).toMatch(
        /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"v1\\",\\"data\\":.*,\\"typo\\":1\}": strict decoding error: unknown field "typo"$/,
      );
  });
});

describe("watch", () => {
  it("streams events and ends when the server drains", async () => {
    const { server, send, registries } = bed();
    const response = await server.handle(requestOf(`${configMaps}?watch=1`));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)["content-type"]).toBe("application/json");
    const sink = new CollectingSink();
    const reading = (response.body as (s: CollectingSink) => Promise<void>)(sink);
    const created = await send(configMaps, post(configMap("c")));
    await server.drain();
    await reading;
    expect(sink.text).toBe(`{"type":"ADDED","object":${created.text}}\n`);
    expect(registries.get("configmaps")?.watchers.size).toBe(0);
    const refused = await send(configMaps);
    expect(refused.json()).toMatchObject({ code: 503, reason: "ServiceUnavailable" });
    expect(refused.headers["retry-after"]).toEqual(["1"]);
    expect((await send("/readyz")).status).toBe(500);
    expect((await send("/livez")).status).toBe(200);
  });

  it("ends after timeoutSeconds, and lets go when the client leaves", async () => {
    const { server, host, registries } = bed();
    const open = async (target: string): Promise<[CollectingSink, Promise<void>]> => {
      const { body } = await server.handle(requestOf(target));
      const sink = new CollectingSink();
      return [sink, (body as (s: CollectingSink) => Promise<void>)(sink)];
    };
    const [, timed] = await open(`${configMaps}?watch=1&timeoutSeconds=5`);
    const [left, leaving] = await open(`${configMaps}?watch=1`);
    await host.advance(5_000);
    await timed;
    left.leave();
    await leaving;
    expect(registries.get("configmaps")?.watchers.size).toBe(0);
  });

  it("speaks WebSocket, Table and the old paths, not YAML", async () => {
    const { server, send } = bed();
    const headers = {
      upgrade: "websocket",
      "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.Ym9i, chat",
    };
    const socket = await server.handle(requestOf(`${configMaps}?watch=1`, { headers }));
    expect(socket.status).toBe(403);
    const admin = await server.handle(
      requestOf(`${configMaps}?watch=1`, { headers: { upgrade: "websocket" } }),
    );
    expect(admin.webSocket).toEqual({ frames: "text" });
    const legacy = await server.handle(requestOf("/api/v1/watch/namespaces/default/configmaps/c"));
    expect(typeof legacy.body).toBe("function");
    const yaml = await send(`${configMaps}?watch=1`, { headers: { accept: "application/yaml" } });
    expect(yaml.status).toBe(406);
    expect(yaml.text).toContain("application/json;stream=watch, application/vnd.kubernetes");
    const head = await send(`${configMaps}?watch=1`, { method: "HEAD" });
    expect(head.status).toBe(200);
  });
});

describe("what is not stored", () => {
  it("reviews are answered", async () => {
    const target = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const body = { kind: "SelfSubjectReview", apiVersion: "authentication.k8s.io/v1" };
    const received = await bed().send(target, post(body));
    expect(received.status).toBe(201);
    expect(received.json()).toMatchObject({ ...body, status: { userInfo: { username: "admin" } } });
  });

  it("components have their health", async () => {
    const { send } = bed();
    const list = await send("/api/v1/componentstatuses");
    expect(list.json()).toEqual({
      kind: "ComponentStatusList",
      apiVersion: "v1",
      metadata: {},
      items: [
        {
          metadata: { name: "etcd-0" },
          conditions: [{ type: "Healthy", status: "True", message: "ok" }],
        },
      ],
    });
    expect(list.headers["warning"]).toEqual(['299 - "v1 ComponentStatus is deprecated in v1.19+"']);
    expect((await send("/api/v1/componentstatuses/x")).status).toBe(404);
  });

  it("pods without a node have no logs yet and no shell", async () => {
    const { send } = bed();
    const pods = "/api/v1/namespaces/default/pods";
    const containers = [{ name: "a", image: "i" }];
    const pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "p" }, spec: { containers } };
    await send(pods, post(pod));
    const message = async (target: string, method = "GET"): Promise<unknown> =>
      (await send(`${pods}/p/${target}`, { method })).json()["message"];
    const logs = await send(`${pods}/p/log`);
    expect([logs.status, logs.text]).toEqual([204, ""]);
    expect(await message("exec?command=ls&container=x", "POST")).toBe(
      "container x is not valid for pod p",
    );
    expect(await message("exec?command=ls", "POST")).toBe("pod p does not have a host assigned");
    expect(await message("portforward", "POST")).toBe("pod p does not have a host assigned");
    expect((await send(`${pods}/q/log`)).status).toBe(404);
  });

  it("bindings and evictions go to the pod", async () => {
    const { send } = bed();
    const binding = {
      kind: "Binding",
      apiVersion: "v1",
      metadata: { name: "p" },
      target: { name: "n" },
    };
    const received = await send("/api/v1/namespaces/default/pods/p/binding", post(binding));
    expect([received.status, received.json()]).toEqual([
      201,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        message: "Binding",
        code: 201,
      },
    ]);
    expect((await send("/api/v1/namespaces/default/bindings", post(binding))).status).toBe(201);
  });
});
