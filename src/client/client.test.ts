// What a client sends and what it makes of answers, against a server that answers by script.
import { describe, expect, it } from "vitest";
import { ConnectionError } from "../host/http.ts";
import {
  type Answer,
  type Asked,
  type ScriptedServer,
  configMap,
  json,
  list,
  refusal,
  scriptedServer,
} from "../../test/scripted-server.ts";
import { type Simulation, engine, simulate } from "../../test/simulation.ts";
import { Client, addressOf } from "./client.ts";
import { nodeIdentity, tokenIdentity, userIdentity } from "./identity.ts";
import { listAll } from "./pager.ts";
import { bindPod, evictPod } from "./pod-verbs.ts";
import { hasCause, isExpired, isResourceVersionTooLarge, reasonOf } from "./reason.ts";
import { keyOf, refOf, refOfKey } from "./served-object.ts";

type Bed = Simulation & ScriptedServer & { client: Client };

function bed(answer: (asked: Asked, index: number) => Answer, qps?: number): Bed {
  const simulation = simulate();
  const server = scriptedServer(answer);
  const client = new Client(simulation.host, server.transport, {
    userAgent: "test/v1",
    identity: tokenIdentity("secret"),
    rateLimit: qps === undefined ? undefined : { qps, burst: 1 },
  });
  return { ...simulation, ...server, client };
}

const ok = (): Answer => json(200, configMap("a", "5"));
const ref = { namespace: "default", name: "a" };
const hour = 3_600_000;

describe("replacing an object", () => {
  const map = { metadata: { namespace: "default", name: "a", resourceVersion: "5" } };

  it.each([
    ["as the server spells it", json(200, configMap("a", "6")), "6"],
    [
      "spread over lines",
      { ...json(200, {}), body: '{"metadata": {\n "resourceVersion": "7"}}' },
      "7",
    ],
    [
      "of another spelling",
      { ...json(200, {}), body: '{"metadata":{"resourceVersion" : "8"}}' },
      "8",
    ],
  ])("gives its new resourceVersion, %s", async (_, answer, expected) => {
    const { client, driver, asked } = bed(() => answer);
    const replacing = client.resource("configmaps").replace(map);
    expect(await driver.run(replacing, hour)).toBe(expected);
    expect(asked[0]).toMatchObject({ method: "PUT", body: { metadata: { resourceVersion: "5" } } });
  });

  it("is refused as any update is", async () => {
    const { client, driver } = bed(() => refusal(409, "Conflict"));
    const replacing = client.resource("configmaps").replace(map);
    await expect(driver.run(replacing, hour)).rejects.toMatchObject({ reason: "Conflict" });
  });
});

describe("verbs", () => {
  const line = ({ method, path, query, headers, body }: Asked): unknown[] => [
    `${method} ${path}`,
    query,
    headers["content-type"],
    body,
  ];
  const cases: [string, (client: Client) => Promise<unknown>, unknown[]][] = [
    [
      "get",
      (client) => client.resource("configmaps").get(ref, { resourceVersion: "0" }),
      [
        "GET /api/v1/namespaces/default/configmaps/a",
        { resourceVersion: "0" },
        undefined,
        undefined,
      ],
    ],
    [
      "list",
      (client) =>
        client.resource("deployments.apps").list({ labelSelector: "a in (b,c)", limit: 5 }),
      [
        "GET /apis/apps/v1/deployments",
        { labelSelector: "a in (b,c)", limit: "5" },
        undefined,
        undefined,
      ],
    ],
    [
      "create",
      (client) =>
        client
          .resource("nodes")
          .create({ metadata: { name: "n" } }, { dryRun: true, fieldManager: "me" }),
      [
        "POST /api/v1/nodes",
        { dryRun: "All", fieldManager: "me" },
        "application/json",
        { apiVersion: "v1", kind: "Node", metadata: { name: "n" } },
      ],
    ],
    [
      "updateStatus",
      (client) =>
        client
          .resource("jobs.batch")
          .updateStatus({ metadata: { name: "j", namespace: "x" }, status: { active: 1 } }),
      [
        "PUT /apis/batch/v1/namespaces/x/jobs/j/status",
        {},
        "application/json",
        {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name: "j", namespace: "x" },
          status: { active: 1 },
        },
      ],
    ],
    [
      "patch",
      (client) =>
        client
          .resource("pods")
          .patch(ref, { type: "strategic", patch: { spec: {} } }, { subresource: "status" }),
      [
        "PATCH /api/v1/namespaces/default/pods/a/status",
        {},
        "application/strategic-merge-patch+json",
        { spec: {} },
      ],
    ],
    [
      "json patch",
      (client) =>
        client.resource("pods").patch(ref, { type: "json", operations: [{ op: "test" }] }),
      [
        "PATCH /api/v1/namespaces/default/pods/a",
        {},
        "application/json-patch+json",
        [{ op: "test" }],
      ],
    ],
    [
      "delete",
      (client) =>
        client.resource("pods").delete(ref, { gracePeriodSeconds: 0, preconditions: { uid: "u" } }),
      [
        "DELETE /api/v1/namespaces/default/pods/a",
        {},
        "application/json",
        {
          kind: "DeleteOptions",
          apiVersion: "v1",
          gracePeriodSeconds: 0,
          preconditions: { uid: "u" },
        },
      ],
    ],
    [
      "deleteCollection",
      (client) =>
        client.resource("pods").deleteCollection({ namespace: "x", fieldSelector: "a=b" }),
      ["DELETE /api/v1/namespaces/x/pods", { fieldSelector: "a=b" }, undefined, undefined],
    ],
    [
      "scale",
      (client) =>
        client.resource("deployments.apps").updateScale({
          metadata: { name: "d", namespace: "x" },
          spec: { replicas: 2 },
        }),
      [
        "PUT /apis/apps/v1/namespaces/x/deployments/d/scale",
        {},
        "application/json",
        { metadata: { name: "d", namespace: "x" }, spec: { replicas: 2 } },
      ],
    ],
    [
      "bind",
      (client) =>
        bindPod(
          client.resource("pods"),
          {
            metadata: {
              name: "a",
              namespace: "x",
              uid: "u",
              resourceVersion: "1",
              creationTimestamp: "",
            },
          },
          "n",
        ),
      [
        "POST /api/v1/namespaces/x/pods/a/binding",
        {},
        "application/json",
        {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name: "a", namespace: "x", uid: "u" },
          target: { kind: "Node", name: "n" },
        },
      ],
    ],
    [
      "evict",
      (client) => evictPod(client.resource("pods"), ref),
      [
        "POST /api/v1/namespaces/default/pods/a/eviction",
        {},
        "application/json",
        {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: { name: "a", namespace: "default" },
          deleteOptions: {},
        },
      ],
    ],
  ];

  it.each(cases)("%s", async (verb, call, wanted) => {
    const { client, asked } = bed(() => (verb === "list" ? list("1", []) : ok()));
    await call(client);
    expect(asked).toHaveLength(1);
    expect(line(asked[0]!)).toEqual(wanted);
    expect(asked[0]!.headers).toMatchObject({
      "user-agent": "test/v1",
      authorization: "Bearer secret",
      accept: "application/json",
    });
  });

  it("name the items of lists", async () => {
    const { client } = bed(() => list("9", [{ metadata: { name: "n" } }]));
    const page = await client.resource("leases.coordination.k8s.io").list();
    expect(page).toMatchObject({
      resourceVersion: "9",
      items: [{ kind: "Lease", apiVersion: "coordination.k8s.io/v1", metadata: { name: "n" } }],
    });
  });

  it("know the preferred version", () => {
    expect(addressOf("horizontalpodautoscalers.autoscaling").version).toBe("v2");
    expect(addressOf("events").group).toBe("");
  });
});

describe("refusals", () => {
  it("are StatusErrors", async () => {
    const { client } = bed(() => refusal(409, "AlreadyExists", { name: "a" }));
    const error: unknown = await client
      .resource("configmaps")
      .create({ metadata: ref })
      .catch((e: unknown) => e);
    expect(reasonOf(error)).toBe("AlreadyExists");
    expect(error).toMatchObject({ code: 409, status: { details: { name: "a" } } });
  });

  it("are told by their code when the body is no Status", async () => {
    const { client } = bed(() => ({ status: 502, headers: [], body: "bad gateway" }));
    await expect(client.resource("nodes").get({ name: "n" })).rejects.toMatchObject({
      code: 502,
      reason: "InternalError",
      message: 'an error on the server ("bad gateway") has prevented the request from succeeding',
    });
  });

  it("to find are a miss only when nothing is there", async () => {
    const { client } = bed((_, index) =>
      index === 0 ? refusal(404, "NotFound") : refusal(403, "Forbidden"),
    );
    expect(await client.resource("nodes").find({ name: "n" })).toBeUndefined();
    await expect(client.resource("nodes").find({ name: "n" })).rejects.toThrow("Forbidden");
  });

  it("are told apart", async () => {
    const { client } = bed((_, index) =>
      index === 0
        ? refusal(410, "Gone")
        : refusal(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] }),
    );
    const nodes = client.resource("nodes");
    const gone: unknown = await nodes.list().catch((error: unknown) => error);
    expect([isExpired(gone), isResourceVersionTooLarge(gone)]).toEqual([true, false]);
    const large: unknown = await nodes.list().catch((error: unknown) => error);
    expect([isExpired(large), isResourceVersionTooLarge(large)]).toEqual([false, true]);
    expect(hasCause(large, "ResourceVersionTooLarge")).toBe(true);
    expect(reasonOf(new ConnectionError("x", true))).toBe("");
  });
});

describe("trying again", () => {
  it("waits as long as the server says", async () => {
    const { client, asked, driver, host } = bed((_, index) =>
      index < 2 ? json(429, {}, 3) : ok(),
    );
    await driver.run(client.resource("configmaps").get(ref), hour);
    expect(asked).toHaveLength(3);
    expect(host.clock.monotonic()).toBe(6_000);
  });

  it("ends after ten times", async () => {
    const { client, asked, driver } = bed(() => json(503, {}, 1));
    const call = driver.run(client.resource("configmaps").get(ref), hour);
    await expect(call).rejects.toMatchObject({ reason: "ServiceUnavailable" });
    expect(asked).toHaveLength(11);
  });

  it("is not done when the server does not say when", async () => {
    const { client, asked } = bed(() => refusal(429, "TooManyRequests"));
    await expect(client.resource("configmaps").get(ref)).rejects.toMatchObject({ code: 429 });
    expect(asked).toHaveLength(1);
  });

  it("ends with the caller's signal", async () => {
    const { client, driver } = bed(() => json(503, {}, 10));
    const controller = new AbortController();
    const call = client.resource("configmaps").get(ref, { signal: controller.signal });
    await driver.advance(5_000);
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "AbortedError" });
  });
});

it("lets go of an answer that nobody waits for any more", async () => {
  let refused = false;
  const { client, driver } = bed(() => ({
    status: 200,
    headers: [],
    body: async ({ signal }) => void (refused = signal.aborted),
  }));
  const controller = new AbortController();
  const call = client.resource("configmaps").get(ref, { signal: controller.signal });
  const ended = expect(call).rejects.toMatchObject({ name: "AbortedError" });
  controller.abort();
  await ended;
  await driver.settle();
  expect(refused).toBe(true);
});

it("keeps to its rate", async () => {
  const { client, driver, host } = bed(ok, 2);
  const maps = client.resource("configmaps");
  await driver.run(Promise.all([1, 2, 3, 4, 5].map(() => maps.get(ref))), hour);
  expect(host.clock.monotonic()).toBe(2_000);
});

describe("listing to the end", () => {
  const pages = (asked: Asked): Answer =>
    asked.query["continue"] === undefined
      ? list("7", [configMap("a", "1")], "next")
      : list("7", [configMap("b", "2")]);

  it("follows the token and names no revision beside it", async () => {
    const { client, asked } = bed(pages);
    const all = await listAll(client.resource("configmaps"), { limit: 1, resourceVersion: "0" });
    expect(all.items.map(keyOf)).toEqual(["default/a", "default/b"]);
    expect([all.resourceVersion, all.paged]).toEqual(["7", true]);
    expect(asked.map(({ query }) => query)).toEqual([
      { limit: "1", resourceVersion: "0" },
      { limit: "1", continue: "next" },
    ]);
  });

  it("begins again without pages when the token is too old", async () => {
    const { client, asked } = bed((one, index) =>
      index === 1 ? refusal(410, "Expired") : index === 2 ? list("9", []) : pages(one),
    );
    const all = await listAll(client.resource("configmaps"), { limit: 1 });
    expect([all.items, all.resourceVersion]).toEqual([[], "9"]);
    expect(asked[2]!.query).toEqual({});
  });
});

it("names objects", () => {
  const object = { metadata: { name: "n", namespace: "x" } };
  expect(refOfKey(keyOf(object))).toEqual(refOf(object));
  expect(refOfKey(keyOf({ metadata: { name: "n" } }))).toEqual({ name: "n" });
});

it("gives every identity a certificate of its own", () => {
  const one = nodeIdentity(engine.digest, "n1").peer.certificate;
  const two = nodeIdentity(engine.digest, "n2").peer.certificate;
  expect(one).toMatchObject({ commonName: "system:node:n1", organizations: ["system:nodes"] });
  expect(one?.sha256).toMatch(/^[0-9a-f]{64}$/);
  expect(one?.sha256).not.toBe(two?.sha256);
  const none = userIdentity(engine.digest, "a", []).peer.certificate;
  expect(none?.sha256).not.toBe(userIdentity(engine.digest, "a", ["b"]).peer.certificate?.sha256);
});
