import { describe, expect, test } from "vitest";
import { stringifyJson } from "../../std/json.ts";
import { normalize } from "./normalize.ts";
import {
  decodeProtobuf,
  encodeProtobuf,
  encodeWatchFrame,
  unwrapEnvelope,
  wrapEnvelope,
} from "./protobuf.ts";

const hex = (text: string): Uint8Array =>
  Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("bytes", () => {
  // Written down by hand from the .proto files.
  const cases: [string, string, object, string][] = [
    [
      "strings, bools, pointers to zero",
      "core.v1.EnvVarSource",
      { configMapKeyRef: { name: "n", key: "k", optional: false } },
      "1a0a 0a03 0a016e 12016b 1800",
    ],
    [
      "negative and large integers",
      "core.v1.PodSecurityContext",
      { runAsUser: -1, fsGroup: 9223372036854775807n },
      "10ffffffffffffffffff01 28ffffffffffffffff7f",
    ],
    [
      "time",
      "core.v1.ContainerStateRunning",
      { startedAt: "1970-01-01T00:00:05Z" },
      "0a04 0805 1000",
    ],
    [
      "time before 1970",
      "core.v1.ContainerStateRunning",
      { startedAt: "1969-12-31T23:59:59Z" },
      "0a0d 08ffffffffffffffffff01 1000",
    ],
    [
      "micro time",
      "coordination.v1.LeaseSpec",
      { renewTime: "1970-01-01T00:00:01.000002Z" },
      "2205 0801 10d00f",
    ],
    [
      "quantity in a map",
      "core.v1.ResourceRequirements",
      { limits: { cpu: "1" } },
      "0a0a 0a03637075 1203 0a0131",
    ],
    [
      "int-or-string",
      "apps.v1.RollingUpdateDeployment",
      { maxUnavailable: "25%", maxSurge: 1 },
      "0a09 0801 1000 1a03323525 1206 0800 1001 1a00",
    ],
    [
      "bytes in a map",
      "core.v1.Secret",
      { metadata: {}, data: { a: "aGk=" } },
      "0a00 1207 0a0161 12026869",
    ],
    ["double", "apiextensions.v1.JSONSchemaProps", { maximum: 1.5 }, "49000000000000f83f"],
    [
      "raw JSON",
      "apiextensions.v1.JSONSchemaProps",
      { enum: [{ a: 1 }, null] },
      "a20109 0a077b2261223a317d a20100",
    ],
    [
      "schema or bool",
      "apiextensions.v1.JSONSchemaProps",
      { additionalProperties: true },
      "f20102 0801",
    ],
    [
      "schema or list",
      "apiextensions.v1.JSONSchemaProps",
      { items: [{ type: "x" }] },
      "c20105 1203 2a0178",
    ],
    [
      "string list in a map",
      "authentication.v1.UserInfo",
      { extra: { k: ["a", "b"] } },
      "220b 0a016b 1206 0a0161 0a0162",
    ],
    ["unicode", "core.v1.LocalObjectReference", { name: "ü😀" }, "0a06 c3bc f09f9880"],
  ];
  test.each(cases.map((row) => [row[0], row] as const))("%s", (_, [, typeId, object, text]) => {
    expect(hexOf(encodeProtobuf(typeId, object))).toBe(text.replaceAll(" ", ""));
    expect(decodeProtobuf(typeId, hex(text))).toEqual(normalize(typeId, object));
  });

  test("zero values of plain fields on the wire vanish, those of pointers stay", () => {
    // replicas? 0, minReadySeconds 0, paused 0
    expect(decodeProtobuf("apps.v1.DeploymentSpec", hex("0800 2800 3800"))).toMatchObject({
      replicas: 0,
    });
    expect(Object.keys(decodeProtobuf("apps.v1.DeploymentSpec", hex("0800 2800 3800")))).toEqual([
      "replicas",
      "template",
      "strategy",
    ]);
    expect(decodeProtobuf("meta.v1.ObjectMeta", hex("0a00 1200 3800 4200"))).toEqual({});
  });

  test("a time's fraction is dropped, a micro time's nanos too", () => {
    expect(decodeProtobuf("core.v1.ContainerStateRunning", hex("0a05 0805 10f403"))).toEqual({
      startedAt: "1970-01-01T00:00:05Z",
    });
    expect(decodeProtobuf("coordination.v1.LeaseSpec", hex("2205 0801 10cf0f"))).toEqual({
      renewTime: "1970-01-01T00:00:01.000001Z",
    });
  });

  test("repeated messages merge, packed numbers are read, unknown fields and groups skipped", () => {
    expect(decodeProtobuf("core.v1.EnvVarSource", hex("1a03 12016b 1a02 1801"))).toEqual({
      configMapKeyRef: { key: "k", optional: true },
    });
    expect(decodeProtobuf("core.v1.PodSecurityContext", hex("22020507 2009"))).toEqual({
      supplementalGroups: [5, 7, 9],
    });
    expect(
      decodeProtobuf(
        "core.v1.LocalObjectReference",
        hex("7b 0801 7c 9806 05 a106 0000000000000000 ad06 00000000 0a0161"),
      ),
    ).toEqual({ name: "a" });
  });

  test("a map entry may lack its key or value", () => {
    expect(decodeProtobuf("core.v1.ConfigMap", hex("1203 0a0161 1200"))).toEqual({
      metadata: {},
      data: { "": "", a: "" },
    });
  });

  test("a key __proto__ stays a key", () => {
    const object = JSON.parse('{"metadata":{},"data":{"__proto__":"x"}}') as object;
    const decoded = decodeProtobuf(
      "core.v1.ConfigMap",
      encodeProtobuf("core.v1.ConfigMap", object),
    );
    expect(stringifyJson(decoded)).toBe('{"metadata":{},"data":{"__proto__":"x"}}');
  });
});

describe("envelope and watch frames", () => {
  const envelope = "6b387300 0a09 0a027631 1203506f64 1204 0a02 0a00 1a00 2200";

  test("wrap and unwrap", () => {
    expect(hexOf(wrapEnvelope("Pod", "v1", hex("0a020a00")))).toBe(envelope.replaceAll(" ", ""));
    const { kind, apiVersion, message } = unwrapEnvelope(hex(envelope));
    expect([kind, apiVersion, hexOf(message)]).toEqual(["Pod", "v1", "0a020a00"]);
  });

  test("a frame is the length, the type and an envelope in a raw extension", () => {
    const frame = encodeWatchFrame("ADDED", hex(envelope));
    expect(hexOf(frame)).toBe(`000000240a054144444544121b0a19${envelope.replaceAll(" ", "")}`);
    expect(decodeProtobuf("meta.v1.WatchEvent", frame.subarray(4))).toEqual({
      type: "ADDED",
      object: {
        kind: "Pod",
        apiVersion: "v1",
        metadata: {},
        spec: { containers: null },
        status: {},
      },
    });
  });
});

describe("malformed messages are refused", () => {
  test.each([
    ["cut off inside a string", "0a05 61", "unexpected EOF"],
    ["cut off inside a varint", "0a", "unexpected EOF"],
    ["length beyond 2^32", "0a ffffffffff01", "unexpected EOF"],
    ["varint of eleven bytes", "38 ffffffffffffffffffff01", "proto: integer overflow"],
    ["field zero", "00", "proto: illegal tag 0 (wire type 0)"],
    ["wrong wire type", "0801", "proto: wrong wireType = 0 for field name"],
    ["unknown wire type", "9f06", "proto: illegal wireType 7"],
    ["group that never ends", "9b06 0801", "unexpected EOF"],
    ["end of no group", "9c06", "proto: unexpected end of group"],
  ])("%s", (_, text, message) => {
    expect(() => decodeProtobuf("meta.v1.ObjectMeta", hex(text))).toThrow(message);
  });

  test("bad values inside scalars", () => {
    expect(() =>
      decodeProtobuf("core.v1.ResourceRequirements", hex("0a0a 0a03637075 1203 0a0178")),
    ).toThrow("quantities must match");
    expect(() =>
      decodeProtobuf("core.v1.ContainerStateRunning", hex("0a0a 08ffffffffffffffff7f")),
    ).toThrow("out of range");
    expect(() => decodeProtobuf("apiextensions.v1.JSONSchemaProps", hex("4203 0a01 7b"))).toThrow(
      "unexpected end of JSON input",
    );
  });

  test("nesting without end", () => {
    // JSONSchemaProps.not in itself, a thousand deep.
    let message = new Uint8Array(0);
    for (let depth = 0; depth < 1_000; depth++) {
      const length = message.length;
      const head =
        length < 128 ? [0xe2, 0x01, length] : [0xe2, 0x01, (length & 127) | 128, length >> 7];
      message = Uint8Array.from([...head, ...message]);
    }
    expect(() => decodeProtobuf("apiextensions.v1.JSONSchemaProps", message)).toThrow(
      "exceeded max depth",
    );
  });
});
