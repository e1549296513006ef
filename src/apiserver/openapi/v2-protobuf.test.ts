import { describe, expect, test } from "vitest";
import { schema } from "../../api/schema/schema.ts";
import { openApiV2 } from "./v2.ts";
import { encodeOpenApiV2 } from "./v2-protobuf.ts";

type Message = Map<number, (Uint8Array | number)[]>;

/** Reads one message: length-delimited and varint fields, by number. */
function read(bytes: Uint8Array): Message {
  const message: Message = new Map();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const values = message.get(tag >> 3) ?? [];
    message.set(tag >> 3, values);
    if ((tag & 7) === 0) values.push(varint());
    else {
      const size = varint();
      values.push(bytes.subarray(at, at + size));
      at += size;
    }
  }
  return message;
}

function messages(from: Message, field: number): Message[] {
  return (from.get(field) ?? []).map((value) => read(value as Uint8Array));
}

function message(from: Message, ...path: number[]): Message {
  return path.reduce((each, field) => messages(each, field)[0] ?? new Map(), from);
}

function text(from: Message, field: number): string {
  return new TextDecoder().decode(from.get(field)?.[0] as Uint8Array);
}

/** A map's entries {1 name, 2 value} by name. */
function named(from: Message, field: number): Map<string, Message> {
  return new Map(messages(from, field).map((entry) => [text(entry, 1), message(entry, 2)]));
}

const document = openApiV2(schema);
const decoded = read(encodeOpenApiV2(document));

test("the frame", () => {
  expect(text(decoded, 1)).toBe("2.0");
  expect(text(message(decoded, 2), 2)).toBe("v1.36.0");
  expect([...named(message(decoded, 8), 2).keys()]).toEqual(Object.keys(document.paths));
  expect([...named(message(decoded, 9), 1).keys()]).toEqual(Object.keys(document.definitions));
  const key = named(message(decoded, 13), 1).get("BearerToken") ?? new Map();
  expect(text(message(key, 2), 1)).toBe("apiKey");
});

describe("a schema", () => {
  const definitions = named(message(decoded, 9), 1);
  const deployment = definitions.get("io.k8s.api.apps.v1.Deployment") ?? new Map();

  test("has type, properties and extensions", () => {
    expect(text(message(deployment, 22), 1)).toBe("object");
    const spec = named(message(deployment, 25), 1).get("spec") ?? new Map();
    expect(text(spec, 1)).toBe("#/definitions/io.k8s.api.apps.v1.DeploymentSpec");
    const kinds = named(deployment, 31).get("x-kubernetes-group-version-kind") ?? new Map();
    expect(JSON.parse(text(kinds, 2))).toEqual([
      { group: "apps", version: "v1", kind: "Deployment" },
    ]);
  });

  test("has items, values and required names", () => {
    const spec = definitions.get("io.k8s.api.core.v1.PodSpec") ?? new Map();
    expect(text(spec, 19)).toBe("containers");
    const properties = named(message(spec, 25), 1);
    const containers = properties.get("containers") ?? new Map();
    expect(text(message(containers, 23, 1), 1)).toBe("#/definitions/io.k8s.api.core.v1.Container");
    const nodeSelector = properties.get("nodeSelector") ?? new Map();
    expect(text(message(nodeSelector, 21, 1, 22), 1)).toBe("string");
  });
});

test("an operation with body and query parameters", () => {
  const item = named(message(decoded, 8), 2).get("/api/v1/namespaces/{namespace}/pods/{name}");
  const patch = message(item ?? new Map(), 8);
  expect(text(patch, 5)).toBe("patchCoreV1NamespacedPod");
  const parameters = messages(patch, 8).map((each) => message(each, 1));
  expect(text(message(parameters[0] ?? new Map(), 1, 5), 1)).toBe(
    "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Patch",
  );
  expect(parameters.slice(1).map((each) => text(message(each, 2, 3), 4))).toEqual([
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
  ]);
  const kind = named(patch, 13).get("x-kubernetes-group-version-kind") ?? new Map();
  expect(JSON.parse(text(kind, 2))).toEqual({ group: "", version: "v1", kind: "Pod" });
  const ok = named(message(patch, 9), 1).get("200") ?? new Map();
  expect(text(message(ok, 1, 2, 1), 1)).toBe("#/definitions/io.k8s.api.core.v1.Pod");
});
