import { describe, expect, it } from "vitest";
import { unwrapEnvelope } from "../api/codec/protobuf.ts";
import {
  type Received,
  type Sent,
  bed,
  configMap,
  configMaps,
  post,
  receive,
  requestOf,
} from "./server.testbed.ts";

describe("refusals", () => {
  it.each([
    ["GET", "/api/v1/nothing", 404, "the server could not find the requested resource"],
    [
      "GET",
      "/api/v1/namespaces/x/pods/p/nothing",
      404,
      "the server could not find the requested resource",
    ],
    ["GET", "/api/v1/namespaces/x/nodes", 404, "the server could not find the requested resource"],
    ["GET", "/api/v1/pods/p", 404, "the server could not find the requested resource"],
    ["GET", `${configMaps}/c/`, 404, 'configmaps "c" not found'],
    ["GET", "/apis/apps/v1/namespaces/x/deployments/d", 404, 'deployments.apps "d" not found'],
    [
      "POST",
      `${configMaps}/c`,
      405,
      "the server does not allow this method on the requested resource",
    ],
    ["PUT", configMaps, 405, "the server does not allow this method on the requested resource"],
    [
      "POST",
      "/api/v1/configmaps",
      405,
      "the server does not allow this method on the requested resource",
    ],
    [
      "DELETE",
      "/api/v1/configmaps",
      405,
      "the server does not allow this method on the requested resource",
    ],
    [
      "DELETE",
      "/api/v1/namespaces",
      405,
      "the server does not allow this method on the requested resource",
    ],
    [
      "GET",
      "/apis/authentication.k8s.io/v1/tokenreviews",
      405,
      "the server does not allow this method on the requested resource",
    ],
    [
      "POST",
      "/api/v1/namespaces/x/pods/p/status",
      405,
      "the server does not allow this method on the requested resource",
    ],
    ["GET", "/apis/apps/v9", 404, "the server could not find the requested resource"],
    ["GET", "/api/v2", 404, "the server could not find the requested resource"],
    ["GET", `${configMaps}?limit=x`, 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      "GET",
      `${configMaps}?timeout=5`,
      400,
      'invalid timeout specified in the request URL - time: missing unit in duration "5"',
    ],
    [
      "GET",
      `${configMaps}?timeout=x`,
      400,
      'invalid timeout specified in the request URL - time: invalid duration "x"',
    ],
    [
      "GET",
      `${configMaps}?sendInitialEvents=true`,
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
  ])("%s %s: %d", async (method, target, code, message) => {
    const { send } = bed();
    const received = await send(target, { method, body: "{}" });
    expect(received.status).toBe(code);
    expect(received.json()).toMatchObject({ kind: "Status", status: "Failure", code, message });
  });

  it.each([
    ["/nothing", 404, "404 page not found\n"],
    ["/apis/no.such/v1/things", 404, "404 page not found\n"],
  ])("GET %s is plain text", async (target, status, body) => {
    const received = await bed().send(target);
    expect([received.status, received.text]).toEqual([status, body]);
    expect(received.headers["content-type"]).toEqual(["text/plain; charset=utf-8"]);
  });

  const wrongBodies: [string, Sent, number, string][] = [
    [
      "another name",
      { method: "PUT", body: configMap("other") },
      400,
      "the name of the object (other) does not match the name on the URL (c)",
    ],
    [
      "no name",
      { method: "PUT", body: { kind: "ConfigMap", apiVersion: "v1" } },
      400,
      "the name of the object (c based on URL) was undeterminable: name must be provided",
    ],
    [
      "another version",
      { method: "PUT", body: { ...configMap("c"), apiVersion: "apps/v1" } },
      400,
      "",
    ],
    [
      "an unknown media type",
      { method: "PUT", body: "x", headers: { "content-type": "text/plain" } },
      415,
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ],
    [
      "an unknown patch",
      { method: "PATCH", body: "{}", headers: { "content-type": "application/json" } },
      415,
      "415: Unsupported Media Type",
    ],
    [
      "an apply patch",
      { method: "PATCH", body: "{}", headers: { "content-type": "application/apply-patch+yaml" } },
      415,
      "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json",
    ],
    [
      "too much",
      { method: "PUT", body: new Uint8Array(3_145_729) },
      413,
      "Request entity too large: limit is 3145728",
    ],
    [
      "bad delete options",
      { method: "DELETE", body: { propagationPolicy: "x" } },
      422,
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
  ];
  it.each(wrongBodies)("a body with %s", async (_, sent, code, message) => {
    const received = await bed().send(`${configMaps}/c`, sent);
    expect(received.status).toBe(code);
    if (message !== "") expect(received.json()).toMatchObject({ code, message });
  });

  it("a namespace that is not the URL's", async () => {
    const body = { ...configMap("c"), metadata: { name: "c", namespace: "other" } };
    const received = await bed().send(configMaps, post(body));
    expect(received.json()).toMatchObject({
      code: 400,
      message:
        "the namespace of the provided object does not match the namespace sent on the request",
    });
  });

  it("401 comes before 403, 403 before 404", async () => {
    const { send } = bed();
    const nowhere = "/api/v1/namespaces/x/nothing/n";
    const as = (name: string, method: string): Promise<Received> =>
      send(nowhere, { method, headers: { authorization: `Bearer ${name}` } });
    expect((await as("stranger", "DELETE")).json()).toMatchObject({
      code: 401,
      message: "Unauthorized",
    });
    const forbidden = await as("bob", "DELETE");
    expect(forbidden.json()).toMatchObject({
      code: 403,
      message:
        'nothing "n" is forbidden: User "bob" cannot delete resource "nothing" in API group "" in the namespace "x"',
    });
    expect(forbidden.headers["x-content-type-options"]).toEqual(["nosniff"]);
    expect((await as("bob", "GET")).status).toBe(404);
  });

  it("406 as indented JSON when nothing fits", async () => {
    const received = await bed().send(configMaps, { headers: { accept: "text/html" } });
    expect(received.status).toBe(406);
    expect(received.text).toContain('\n  "reason": "NotAcceptable"');
  });

  it("errors in the client's media type, never as a Table", async () => {
    const { send } = bed();
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    expect((await send(`${configMaps}/c`, { headers: { accept } })).json()).toMatchObject({
      kind: "Status",
    });
    const protobuf = await send(`${configMaps}/c`, {
      headers: { accept: "application/vnd.kubernetes.protobuf" },
    });
    expect(unwrapEnvelope(protobuf.bytes)).toMatchObject({ kind: "Status", apiVersion: "v1" });
  });
});

describe("what every answer carries", () => {
  it("an audit id, no caching, the media type", async () => {
    const { send } = bed();
    const { headers } = await send(configMaps);
    expect(headers["audit-id"]?.[0]).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(headers["cache-control"]).toEqual(["no-cache, private"]);
    expect(headers["content-type"]).toEqual(["application/json"]);
    const echoed = await send(configMaps, { headers: { "audit-id": "mine" } });
    expect(echoed.headers["audit-id"]).toEqual(["mine"]);
  });

  it("gzip only when it is worth it and wanted", async () => {
    const { send } = bed();
    for (const name of ["a", "b", "c"])
      await send(configMaps, post(configMap(name, { filler: "x".repeat(50_000) })));
    const gzip = { headers: { "accept-encoding": "gzip, deflate" } };
    expect((await send(configMaps, gzip)).response.gzip).toBe(true);
    expect((await send(configMaps)).response.gzip).toBeUndefined();
    expect((await send(`${configMaps}/a`, gzip)).response.gzip).toBeUndefined();
  });

  it("nothing but headers for HEAD", async () => {
    const received = await bed().send(configMaps, { method: "HEAD" });
    expect([received.status, received.bytes.length]).toEqual([200, 0]);
  });

  it("layout for people", async () => {
    const { send } = bed();
    await send(configMaps, post(configMap("c")));
    const curl = await send(`${configMaps}/c`, { headers: { "user-agent": "curl/8.0" } });
    expect(curl.text).toBe(JSON.stringify(curl.json(), undefined, 2));
  });

  it("panics become 500 and a line in the log", async () => {
    const { send, host } = bed({
      authenticator: { authenticate: () => Promise.reject(new TypeError("oops")) },
    });
    const received = await send(configMaps);
    expect([received.status, received.text]).toEqual([
      500,
      "This request caused apiserver to panic. Look in the logs for details.\n",
    ]);
    expect(host.logged).toEqual(["request failed"]);
  });

  it("impersonation is asked for before authorization", async () => {
    const { send, parts } = bed();
    await send(configMaps, { headers: { "impersonate-user": "carol" } });
    expect(parts.asked[0]?.user.name).toBe("carol");
  });

  it("who calls is asked about with the name a field selector fixes", async () => {
    const { send, parts } = bed();
    await send(`${configMaps}?fieldSelector=metadata.name%3Dx`);
    expect(parts.asked[0]?.request).toMatchObject({ name: "x", resource: "configmaps" });
  });
});

describe("time", () => {
  it("runs out", async () => {
    const { server, host } = bed({
      authenticator: { authenticate: () => new Promise(() => undefined) },
    });
    const pending = [
      server.handle(requestOf(configMaps)),
      server.handle(requestOf(`${configMaps}?timeout=5s`)),
    ];
    await host.advance(5_000);
    const short = await receive(await pending[1]!);
    expect(short.json()).toMatchObject({
      code: 504,
      reason: "Timeout",
      message: "Timeout: request did not complete within the allotted timeout",
    });
    await host.advance(55_000);
    expect((await receive(await pending[0]!)).status).toBe(504);
  });

  it("cuts off a client that stops reading", async () => {
    const { send, server, host } = bed();
    for (const name of ["a", "b"])
      await send(configMaps, post(configMap(name, { filler: "x".repeat(100_000) })));
    const { body } = await server.handle(requestOf(configMaps));
    const stuck = {
      signal: new AbortController().signal,
      write: () => new Promise<void>(() => undefined),
    };
    const reading = (body as (sink: typeof stuck) => Promise<void>)(stuck);
    const refused = expect(reading).rejects.toThrow("was not read within the timeout");
    await host.advance(60_000);
    await refused;
    await server.drain();
  });
});

describe("fixed paths", () => {
  it.each([
    ["/version", "application/json", '{\n  "major": "1",'],
    ["/version/", "application/json", '{\n  "major": "1",'],
    ["/healthz", "text/plain; charset=utf-8", "ok"],
    ["/livez/ping", "text/plain; charset=utf-8", "ok"],
    ["/readyz?verbose", "text/plain; charset=utf-8", "[+]ping ok\n"],
    ["/metrics", "text/plain; version=0.0.4; charset=utf-8", "# HELP apiserver_request_total"],
    ["/openid/v1/jwks", "application/jwk-set+json", '{"keys":[]}'],
    ["/.well-known/openid-configuration", "application/json", '{"issuer":"i"}'],
    ["/", "application/json", '{\n  "paths": ['],
    ["/api", "application/json", '{"kind":"APIVersions"'],
    ["/apis/", "application/json", '{"kind":"APIGroupList"'],
    ["/openapi/v3", "application/json", '{"paths":{'],
    ["/openapi/v3/version", "application/json", '{"openapi":"3.0.0"'],
  ])("%s", async (target, contentType, start) => {
    const received = await bed().send(target);
    expect(received.status).toBe(200);
    expect(received.headers["content-type"]).toEqual([contentType]);
    expect(received.text.slice(0, start.length)).toBe(start);
  });

  it("answer POST with 405 and unchanged documents with 304", async () => {
    const { send } = bed();
    expect((await send("/version", { method: "POST" })).status).toBe(405);
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const first = await send("/apis", { headers: { accept } });
    expect(first.headers).toMatchObject({ "cache-control": ["public"], vary: ["Accept"] });
    const [etag = ""] = first.headers["etag"] ?? [];
    const again = await send("/apis", { headers: { accept, "if-none-match": etag } });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  it("keeps OpenAPI documents under the hash of their bytes", async () => {
    const { send } = bed();
    const index = (await send("/openapi/v3")).json() as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const url = index.paths["apis/apps/v1"]?.serverRelativeURL ?? "";
    const kept = await send(url);
    expect(kept.headers["cache-control"]).toEqual(["public, immutable"]);
    expect(kept.headers["expires"]).toEqual(["Fri, 01 Jan 2027 00:00:00 GMT"]);
    const moved = await send("/openapi/v3/apis/apps/v1?hash=OLD");
    expect([moved.status, moved.headers["location"]]).toEqual([301, [url]]);
    expect((await send("/openapi/v3", { headers: { accept: "text/html" } })).status).toBe(406);
    const v2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    const protobuf = await send("/openapi/v2", { headers: { accept: v2 } });
    expect(protobuf.headers["content-type"]).toEqual([
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
    ]);
  });

  it("measure the bodies of writes", async () => {
    const { send } = bed();
    const body = JSON.stringify(configMap("a"));
    await send(configMaps, post(body));
    const { text } = await send("/metrics");
    const labels = 'resource="configmaps",verb="create",group=""';
    expect(text).toContain(`apiserver_request_body_size_bytes_sum{${labels}} ${body.length}\n`);
    expect(text).toContain(`apiserver_request_body_size_bytes_count{${labels}} 1\n`);
  });

  it("count what was served", async () => {
    const { send } = bed();
    await send(configMaps);
    await send("/api/v1/namespaces/x/strangers");
    const { text } = await send("/metrics");
    expect(text).toContain(
      'apiserver_request_total{verb="LIST",dry_run="",group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver",code="200"} 1\n',
    );
    expect(text).not.toContain("strangers");
    const where =
      'group="",version="v1",resource="configmaps",subresource="",scope="namespace",component="apiserver"';
    expect(text).toContain(
      `apiserver_request_sli_duration_seconds_count{verb="LIST",${where}} 1\n`,
    );
    expect(text).not.toContain(
      `apiserver_request_sli_duration_seconds_bucket{verb="LIST",${where},le="0.005"}`,
    );
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1\n');
  });
});
