import { uncounted } from "../api/request-cost.ts";
import { describe, expect, it } from "vitest";
import { decodeProtobuf, unwrapEnvelope } from "../api/codec/protobuf.ts";
import { normalize } from "../api/codec/normalize.ts";
import { decodeYaml } from "../api/codec/yaml.ts";
import type { Clock } from "../host/host.ts";
import type { CachedObject } from "../watchcache/resource-cache.ts";
import { ChunkPool } from "./chunk-pool.ts";
import { type EncodedKind, type Wanted, encodeObject } from "./encode-object.ts";
import { joinBytes } from "./json-bytes.ts";
import { listPieces } from "./list-body.ts";
import { listBody } from "./list-stream.ts";
import { builtInOffer, negotiate } from "./negotiation.ts";
import { CollectingSink } from "./server.testbed.ts";

const utf8 = new TextEncoder();
const text = new TextDecoder();
const now = Date.parse("2026-01-01T00:05:00Z");

const kind: EncodedKind = {
  kind: { group: "", version: "v1", kind: "ConfigMap" },
  apiVersion: "v1",
  typeId: "core.v1.ConfigMap",
};
const typePrefixBytes = '{"kind":"ConfigMap","apiVersion":"v1",'.length;

function configMap(n: number, size = 10): object {
  return {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: {
      name: `c${n}`,
      namespace: "default",
      uid: `u${n}`,
      resourceVersion: `${n}`,
      creationTimestamp: "2026-01-01T00:00:00Z",
      labels: { "n\"'}": "{" },
    },
    data: { key: "v".repeat(size) },
  };
}

const cached = (object: object): CachedObject => ({
  key: "k",
  revision: 1,
  bytes: utf8.encode(JSON.stringify(object)),
});

const clock: Clock & { turns: number } = {
  turns: 0,
  now: () => now,
  monotonic: () => 0,
  after: () => () => undefined,
  turn: async () => void clock.turns++,
};

function wanted(accept: string, pretty = false): Wanted {
  const negotiated = negotiate(accept, builtInOffer);
  if (negotiated === undefined) throw new Error(`not acceptable: ${accept}`);
  return { negotiated, pretty, includeObject: "Metadata", now };
}

async function list(objects: readonly object[], want: Wanted): Promise<Uint8Array> {
  const metadata = { resourceVersion: "9", continue: "t", remainingItemCount: 3 };
  const contents = { kind, metadata, items: objects.map(cached), typePrefixBytes };
  const pieces = await listPieces(clock, contents, want);
  const { body } = await listBody({ clock, pool: new ChunkPool(), cost: uncounted() }, pieces);
  if (typeof body !== "function") return body;
  const sink = new CollectingSink();
  await body(sink);
  return joinBytes(sink.chunks);
}

const plain = (objects: readonly object[]): object => ({
  kind: "ConfigMapList",
  apiVersion: "v1",
  metadata: { resourceVersion: "9", continue: "t", remainingItemCount: 3 },
  items: objects.map((object) => {
    const { kind: _kind, apiVersion: _version, ...rest } = object as Record<string, unknown>;
    return rest;
  }),
});

describe.each([
  ["none", 0, 10],
  ["a few", 3, 10],
  ["a stream of them", 300, 1_000],
  ["more than is held", 30, 50_000],
])("a list of %s", (_, count, size) => {
  const objects = Array.from({ length: count }, (_unused, n) => configMap(n, size));

  it("is the stringified list in JSON", async () => {
    const bytes = await list(objects, wanted("application/json"));
    expect(text.decode(bytes)).toBe(`${JSON.stringify(plain(objects))}\n`);
  });

  it("is indented for people", async () => {
    const bytes = await list(objects, wanted("application/json", true));
    expect(text.decode(bytes)).toBe(JSON.stringify(plain(objects), undefined, 2));
  });

  it("says the same in YAML and protobuf", async () => {
    const yaml = await list(objects, wanted("application/yaml"));
    // The decoder takes documents up to a megabyte only.
    if (yaml.length < 1_000_000) expect(decodeYaml(text.decode(yaml))).toEqual(plain(objects));
    const envelope = unwrapEnvelope(
      await list(objects, wanted("application/vnd.kubernetes.protobuf")),
    );
    expect(envelope).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1" });
    const decoded = decodeProtobuf("core.v1.ConfigMapList", envelope.message);
    const {
      kind: _kind,
      apiVersion: _version,
      ...expected
    } = normalize("core.v1.ConfigMapList", plain(objects)) as Record<string, unknown>;
    expect(decoded).toEqual(expected);
  });

  it("is reduced to metadata, or to a Table", async () => {
    const accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    const partial = JSON.parse(text.decode(await list(objects, wanted(accept)))) as object;
    const rows = objects.map((object) => ({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: (object as { metadata: object }).metadata,
    }));
    expect(partial).toEqual({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "9", continue: "t", remainingItemCount: 3 },
      items: rows,
    });
    const table = JSON.parse(
      text.decode(await list(objects, wanted("application/json;as=Table;v=v1;g=meta.k8s.io"))),
    ) as { columnDefinitions: { name: string }[]; rows: object[] };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Data", "Age"]);
    expect(table.rows).toEqual(rows.map((object, n) => ({ cells: [`c${n}`, 1, "5m"], object })));
  });
});

it("lets others run while a long protobuf list is measured", async () => {
  const objects = Array.from({ length: 300 }, (_, n) => configMap(n, 5_000));
  clock.turns = 0;
  await listPieces(
    clock,
    { kind, metadata: {}, items: objects.map(cached), typePrefixBytes },
    wanted("application/vnd.kubernetes.protobuf"),
  );
  expect(clock.turns).toBe(4);
});

describe("encodeObject", () => {
  const { bytes } = cached(configMap(1));

  it("sends stored bytes untouched", () => {
    expect(encodeObject(bytes, kind, wanted("application/json"))).toBe(bytes);
  });

  it("makes Tables and metadata of one object", () => {
    const table = encodeObject(
      bytes,
      kind,
      wanted("application/json;as=Table;v=v1beta1;g=meta.k8s.io"),
    );
    expect(JSON.parse(text.decode(table))).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1beta1",
      metadata: { resourceVersion: "1" },
      rows: [{ cells: ["c1", 1, "5m"], object: { apiVersion: "meta.k8s.io/v1beta1" } }],
    });
    const partial = wanted(
      "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    );
    const envelope = unwrapEnvelope(encodeObject(bytes, kind, partial));
    expect(envelope).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" });
  });

  it.each([
    [
      "an object as a list",
      "PartialObjectMetadataList",
      "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
    ],
  ])("refuses %s", (_, as, message) => {
    const accept = `application/json;as=${as};v=v1;g=meta.k8s.io`;
    expect(() => encodeObject(bytes, kind, wanted(accept))).toThrow(message);
  });

  it("refuses a list as one object", async () => {
    const accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
    await expect(list([], wanted(accept))).rejects.toThrow(
      "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
    );
  });
});
