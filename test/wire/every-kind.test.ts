// Every built-in resource that is stored, one small object each, through every door of one server: bytes of JSON, YAML and
// protobuf, Table and metadata answers, status, watch, and the verbs. What people type is in every-kind-kubectl.test.ts.
import { Agent, request } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  decodeProtobuf,
  encodeProtobuf,
  unwrapEnvelope,
  wrapEnvelope,
} from "../../src/api/codec/protobuf.ts";
import { WireReader } from "../../src/api/codec/protobuf-wire.ts";
import { decodeYaml, encodeYaml } from "../../src/api/codec/yaml.ts";
import { parseJson, stringifyJson } from "../../src/std/json.ts";
import { type EveryKind, readEveryKind, storedResources } from "./every-kind.ts";
import {
  type Identity,
  type RawAnswer,
  type RawAsk,
  ask as askOnce,
  identityOf,
} from "./raw-client.ts";
import { type Server, startServer } from "./server.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
/** Neither grace nor orphans, which would wait for a kubelet and a garbage collector. */
const atOnce = "gracePeriodSeconds=0&propagationPolicy=Background";
const agent = new Agent({ keepAlive: true });
let server: Server;
let identity: Identity;

const ask = (path: string, options: RawAsk = {}): Promise<RawAnswer> =>
  askOnce(identity, path, { ...options, agent });

/** The answer's object; fails with the server's words on any other status. */
async function object(path: string, options: RawAsk = {}, status = 200): Promise<any> {
  const answer = await ask(path, options);
  expect(answer.status, answer.text).toBe(status);
  return parseJson(answer.text);
}

const send = (method: string, body: unknown, type = "application/json"): RawAsk => ({
  method,
  headers: { "content-type": type },
  body: stringifyJson(body),
});
const accept = (value: string): RawAsk => ({ headers: { accept: value } });

beforeAll(async () => {
  server = await startServer();
  identity = identityOf(server.kubeconfig);
  await object("/api/v1/namespaces", send("POST", { metadata: { name: "every" } }), 201);
});

afterAll(async () => {
  agent.destroy();
  expect(await server.stop()).toBe(0);
});

const kinds = readEveryKind();

it("has a manifest of every stored resource", () => {
  expect(new Set(kinds.map(({ resource }) => resource))).toEqual(new Set(storedResources));
});

describe.each(kinds)("$title", (kind) => {
  const { resource, collection, path } = kind;
  const gvk = `${resource.group === "" ? "" : `${resource.group}/`}${resource.version}`;
  let born: any;
  let created: any;
  let events: Events;

  it("is created from JSON and read back, alone and in lists", async () => {
    const { metadata } = await object(`${collection}?limit=1`);
    events = await watch(kind, metadata.resourceVersion);
    await object(`${collection}?dryRun=All`, send("POST", kind.object), 201);
    expect((await ask(path)).status).toBe(404);
    born = await object(collection, send("POST", kind.object), 201);
    created = await judged(kind, born);
    expect(created).toMatchObject({ kind: resource.kind, apiVersion: gvk });
    expect(Object.keys(created).slice(0, 3)).toEqual(["kind", "apiVersion", "metadata"]);
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(await object(path)).toEqual(created);
    const { kind: _kind, apiVersion: _apiVersion, ...item } = created;
    const name = encodeURIComponent(`metadata.name=${created.metadata.name}`);
    for (const place of [collection, collection.replace(/\/namespaces\/every/, "")]) {
      const list = await object(`${place}?fieldSelector=${name}`);
      expect(list).toMatchObject({ kind: `${resource.kind}List`, apiVersion: gvk });
      expect(list.items).toEqual([item]);
    }
    expect((await ask(collection, send("POST", kind.object))).json.reason).toBe("AlreadyExists");
  });

  it("says the same in protobuf and YAML", async () => {
    const { kind: _kind, apiVersion: _apiVersion, ...bare } = created;
    const bytes = await ask(path, accept(protobuf));
    expect(bytes.headers["content-type"]).toBe(protobuf);
    const envelope = unwrapEnvelope(bytes.bytes);
    expect(envelope).toMatchObject({ kind: resource.kind, apiVersion: gvk });
    expect(decodeProtobuf(resource.type, envelope.message)).toEqual(inProtobuf(bare));
    const list = unwrapEnvelope((await ask(collection, accept(protobuf))).bytes);
    expect(list).toMatchObject({ kind: `${resource.kind}List`, apiVersion: gvk });
    const items = listItems(list.message).map((item) => decodeProtobuf(resource.type, item));
    expect(items).toContainEqual(inProtobuf(bare));
    const yaml = await ask(path, accept("application/yaml"));
    expect(decodeYaml(yaml.text)).toEqual(created);
  });

  it("is shown as Table and as metadata", async () => {
    for (const place of [path, collection]) {
      const table = await object(place, accept("application/json;as=Table;v=v1;g=meta.k8s.io"));
      expect(table).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
      const columns = table.columnDefinitions.length;
      expect(columns).toBeGreaterThan(1);
      for (const row of table.rows) {
        expect(row.cells).toHaveLength(columns);
        expect(row.object).toMatchObject({ kind: "PartialObjectMetadata" });
      }
      const cells = table.rows.map((row: any) => JSON.stringify(row.cells));
      expect(cells.join()).toContain(
        table.columnDefinitions[0].name === "Name" ? created.metadata.name : "",
      );
    }
    const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    const { metadata } = created;
    expect(await object(path, accept(partial))).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata,
    });
    const list = await object(collection, accept(partial.replace("Metadata;", "MetadataList;")));
    expect(list.kind).toBe("PartialObjectMetadataList");
    expect(list.items.map((one: any) => one.metadata)).toContainEqual(metadata);
  });

  it("is not written anew by what was just read", async () => {
    const { resourceVersion } = created.metadata;
    const same = async (options: RawAsk): Promise<void> =>
      expect((await object(path, options)).metadata.resourceVersion).toBe(resourceVersion);
    await same(send("PUT", created));
    await same({
      method: "PUT",
      headers: { "content-type": "application/yaml" },
      body: encodeYaml(created),
    });
    const { bytes } = await ask(path, accept(protobuf));
    await same({ method: "PUT", headers: { "content-type": protobuf }, body: bytes });
    await same(send("PATCH", {}, "application/merge-patch+json"));
    // Patches replace lists whole: what comes back is defaulted as before. Of what admission added, a node would lose the
    // taint of those that are not ready yet, and a pod its token's volume, which strategic patches merge.
    if (!["pods", "nodes"].includes(resource.resource))
      await same(send("PATCH", kind.object, "application/merge-patch+json"));
    if (resource.resource !== "nodes")
      await same(send("PATCH", kind.object, "application/strategic-merge-patch+json"));
    await same(send("PATCH", {}, "application/strategic-merge-patch+json"));
    await same(send("PATCH", [], "application/json-patch+json"));
  });

  it("changes by PUT and every patch", async () => {
    const label = (value: string): object => ({ metadata: { labels: { step: value } } });
    const put = structuredClone(created);
    put.metadata.labels = { ...put.metadata.labels, step: "put" };
    const steps: RawAsk[] = [
      send("PUT", put),
      send("PATCH", label("merge"), "application/merge-patch+json"),
      send("PATCH", label("strategic"), "application/strategic-merge-patch+json"),
      send(
        "PATCH",
        [{ op: "replace", path: "/metadata/labels/step", value: "json" }],
        "application/json-patch+json",
      ),
    ];
    let before = created;
    for (const [index, step] of steps.entries()) {
      const after = await object(path, step);
      expect(after.metadata.labels.step).toBe(["put", "merge", "strategic", "json"][index]);
      expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
      expect(after.metadata.generation).toBe(generationAfter(kind, created, index + 1));
      expect(contentOf(after)).toEqual(contentOf(created));
      before = after;
    }
    const stale = await ask(path, send("PUT", put));
    expect([stale.status, stale.json.reason]).toEqual([409, "Conflict"]);
  });

  if (kind.status)
    it("keeps status and the rest apart", async () => {
      const before = await object(path);
      expect(await object(`${path}/status`)).toEqual(before);
      const both = { ...before, status: kind.status };
      if (before.spec) both.spec = structuredClone(before.spec);
      expect(withoutStatus(await object(path, send("PUT", both)))).toEqual(withoutStatus(before));
      expect((await object(path)).status).toEqual(before.status);
      const spoiled = { ...both, spec: {} };
      const written = await object(`${path}/status`, send("PUT", spoiled));
      expect(written.status).toMatchObject(kind.status ?? {});
      expect(contentOf(written)).toEqual(contentOf(before));
      expect(written.metadata.generation).toBe(before.metadata.generation);
      expect(written.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
      // The first may change what is stored: autoscaling/v1 keeps in annotations what only v2 can say.
      const same = await object(`${path}/status`, send("PUT", written));
      expect(contentOf(same)).toEqual(contentOf(written));
      expect(await object(`${path}/status`, send("PUT", same))).toEqual(same);
      for (const type of ["application/merge-patch+json", "application/strategic-merge-patch+json"])
        expect(
          await object(`${path}/status`, send("PATCH", { status: kind.status }, type)),
        ).toEqual(same);
      const kept = await object(
        path,
        send("PATCH", { status: null }, "application/merge-patch+json"),
      );
      expect(kept.status).toEqual(written.status);
    });

  it("is deleted, and its watchers were told all", async () => {
    const grace = await object(`${path}?gracePeriodSeconds=0&dryRun=All`, { method: "DELETE" });
    expect(["Status", resource.kind]).toContain(grace.kind);
    const last = await object(path);
    await object(`${path}?${atOnce}`, { method: "DELETE" });
    if (resource.resource === "namespaces") {
      const { metadata, spec, status } = await object(path);
      expect([spec.finalizers, status.phase]).toEqual([["kubernetes"], "Terminating"]);
      await object(`${path}/finalize`, send("PUT", { metadata, spec: {} }));
    }
    await releaseProtected(path);
    expect((await ask(path)).json.reason).toBe("NotFound");
    const seen = await events.untilDeleted(created.metadata.uid);
    expect(seen[0]).toEqual({ type: "ADDED", object: born });
    expect(seen.at(-1)).toMatchObject({
      type: "DELETED",
      object: { metadata: { uid: last.metadata.uid } },
    });
    expect(seen.length).toBeGreaterThan(5);
    const revisions = seen.map((event) => Number(event.object.metadata.resourceVersion));
    expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
  });

  it("is created from its own protobuf as from JSON", async () => {
    const { kind: _kind, apiVersion: _apiVersion, ...bare } = ownable(kind, created);
    const {
      uid: _uid,
      resourceVersion: _rv,
      creationTimestamp: _created,
      ...metadata
    } = bare.metadata;
    const message = encodeProtobuf(resource.type, { ...bare, metadata });
    const body = Buffer.from(wrapEnvelope(resource.kind, gvk, message));
    const again = await object(
      collection,
      { method: "POST", headers: { "content-type": protobuf, accept: "application/json" }, body },
      201,
    );
    const seen = ownable(kind, await judged(kind, again));
    expect(stable(seen)).toEqual(stable(ownable(kind, created)));
    await object(`${path}?${atOnce}`, { method: "DELETE" });
  });
});

describe.each([
  [
    "/api/v1/namespaces/every/events/lone.17a1",
    "/apis/events.k8s.io/v1/namespaces/every/events/lone.17a1",
  ],
  [
    "/apis/autoscaling/v1/namespaces/every/horizontalpodautoscalers/old",
    "/apis/autoscaling/v2/namespaces/every/horizontalpodautoscalers/old",
  ],
])("%s", (one, other) => {
  it(`is the same object as ${other}`, async () => {
    for (const [here, there] of [
      [one, other],
      [other, one],
    ] as const) {
      const kind = kinds.find(({ path }) => path === one)!;
      const created = await object(kind.collection, send("POST", kind.object), 201);
      const { uid, creationTimestamp } = created.metadata;
      const patch = send(
        "PATCH",
        { metadata: { labels: { seen: "yes" } } },
        "application/merge-patch+json",
      );
      const { resourceVersion } = (await object(here, patch)).metadata;
      const same = {
        metadata: { uid, creationTimestamp, resourceVersion, labels: { seen: "yes" } },
      };
      const seen = await object(there);
      expect(seen).toMatchObject(same);
      expect(there).toContain(seen.apiVersion);
      const collection = there.slice(0, there.lastIndexOf("/"));
      expect((await object(collection)).items).toMatchObject([same]);
      expect(await object(there, send("PUT", seen))).toEqual(seen);
      await object(there, { method: "DELETE" });
      expect((await ask(here)).status).toBe(404);
    }
  });
});

/** The server itself says of each FlowSchema, soon after it is there, whether its priority level is. */
async function judged({ title, path, status }: EveryKind, born: any): Promise<any> {
  if (!title.startsWith("flowschemas.") || status === undefined) return born;
  let seen = born;
  await expect.poll(async () => (seen = await object(path)).status).toMatchObject(status);
  return seen;
}

/** The `items` of a list message: field 2, each a message; `metadata` is field 1. */
function listItems(message: Uint8Array): Uint8Array[] {
  const items: Uint8Array[] = [];
  const reader = new WireReader(message);
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag >>> 3 === 2) items.push(reader.raw());
    else reader.skip(tag & 7);
  }
  return items;
}

/** Protobuf says no kinds inside objects; JSON does in the claims of a StatefulSet. */
function inProtobuf(bare: any): any {
  if (bare.spec?.volumeClaimTemplates === undefined) return bare;
  const volumeClaimTemplates = bare.spec.volumeClaimTemplates.map(
    ({ kind: _kind, apiVersion: _apiVersion, ...claim }: any) => claim,
  );
  return { ...bare, spec: { ...bare.spec, volumeClaimTemplates } };
}

/** Volumes and claims stay until their controller takes its finalizer off. */
async function releaseProtected(path: string): Promise<void> {
  const { json } = await ask(path);
  if (json.metadata.finalizers === undefined) return;
  expect(json.metadata.finalizers).toEqual([
    expect.stringMatching(/^kubernetes\.io\/.*protection$/),
  ]);
  expect(json.metadata.deletionTimestamp).toBeDefined();
  await object(
    path,
    send("PATCH", { metadata: { finalizers: null } }, "application/merge-patch+json"),
  );
}

/** Labels are what endpoint slices are found by, and so count as a change; of other kinds they do not. */
function generationAfter({ resource }: EveryKind, born: any, changes: number): unknown {
  const { generation } = born.metadata;
  return resource.resource === "endpointslices" ? generation + changes : generation;
}

/** All but metadata and status. */
function contentOf({ metadata: _metadata, status: _status, ...rest }: any): object {
  return rest;
}

function withoutStatus({ status: _status, ...rest }: any): object {
  return rest;
}

/** A Job selects by its uid, and nobody may make another one with that selector. */
function ownable({ title }: EveryKind, born: any): any {
  if (title !== "jobs.v1.batch") return born;
  const { selector: _selector, ...spec } = born.spec;
  return { ...born, spec: { ...spec, template: { ...spec.template, metadata: {} } } };
}

/** Without what each create draws anew: identity, and the moments of the create. */
function stable(object: any): object {
  const { uid: _uid, resourceVersion: _rv, creationTimestamp: _at, ...metadata } = object.metadata;
  if (object.status === undefined) return { ...object, metadata };
  const { lastPhaseTransitionTime: _since, ...status } = object.status;
  if (Array.isArray(status.conditions))
    status.conditions = status.conditions.map(
      ({ lastTransitionTime: _then, ...condition }: any) => condition,
    );
  return { ...object, metadata, status };
}

interface Events {
  /** Events of that object, once the last is there. */
  untilDeleted(uid: string): Promise<{ type: string; object: any }[]>;
}

function watch({ collection }: EveryKind, resourceVersion: string): Promise<Events> {
  const { host, port, ca, cert, key } = identity;
  const path = `${collection}?watch=true&resourceVersion=${resourceVersion}`;
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, ca, cert, key, path, agent: false });
    sent.on("error", reject);
    sent.on("response", (response) => {
      response.setEncoding("utf8");
      resolve({
        async untilDeleted(uid) {
          const seen: { type: string; object: any }[] = [];
          let rest = "";
          for await (const chunk of response) {
            const lines = (rest + String(chunk)).split("\n");
            rest = lines.pop() ?? "";
            for (const line of lines) {
              const event = parseJson(line) as { type: string; object: any };
              if (event.object.metadata.uid !== uid) continue;
              seen.push(event);
              if (event.type === "DELETED") return seen;
            }
          }
          throw new Error("the watch ended early");
        },
      });
    });
    sent.end();
  });
}
