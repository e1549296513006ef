import { describe, expect, test } from "vitest";
import { encodeUtf8 } from "../../std/utf8.ts";
import { StatusError } from "../meta/errors.ts";
import type { GroupVersionKind } from "../schema/schema.ts";
import { decodeBody, decodeOptions, type FieldValidation, requireGroupVersion } from "./body.ts";
import { encodeProtobuf, wrapEnvelope } from "./protobuf.ts";

const deployment: GroupVersionKind = { group: "apps", version: "v1", kind: "Deployment" };
const pod: GroupVersionKind = { group: "", version: "v1", kind: "Pod" };

function decode(
  text: string,
  kind = deployment,
  fieldValidation: FieldValidation = "Strict",
  mediaType: "json" | "yaml" = "json",
) {
  return decodeBody(encodeUtf8(text), mediaType, { kind }, fieldValidation);
}

/** Code and message of the refusal. */
function refusal(act: () => unknown): [number, string, string] {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.reason, error.message];
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("JSON", () => {
  test("a good body", () => {
    const { object, warnings, kind } = decode(
      '{"metadata":{"name":"a"},"spec":{"replicas":2},"apiVersion":"apps/v1","kind":"Deployment"}',
    );
    expect(JSON.stringify(object)).toBe(
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"a"},"spec":{"replicas":2,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
    );
    expect(warnings).toEqual([]);
    expect(kind).toEqual(deployment);
  });

  test.each(["{}", "null", '{"kind":"Deployment"}', '{"apiVersion":"apps/v1"}', '{"kind":null}'])(
    "kind and apiVersion are completed: %s",
    (text) => {
      const { object } = decode(text);
      expect(Object.keys(object).slice(0, 3)).toEqual(["kind", "apiVersion", "metadata"]);
      expect([object.kind, object.apiVersion]).toEqual(["Deployment", "apps/v1"]);
    },
  );

  const notRegistered = (kind: string, version: string) =>
    `no kind "${kind}" is registered for version "${version}" in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"`;
  test.each([
    [
      "",
      "the object provided is unrecognized (must be of type Deployment): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ],
    [
      "hello",
      "the object provided is unrecognized (must be of type Deployment): couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value (68656c6c6f)",
    ],
    [
      '{"kind":"Deployment","metadata":{"name":"a"',
      `the object provided is unrecognized (must be of type Deployment): couldn't get version/kind; json parse error: unexpected end of JSON input ({"kind":"Deployment","metadata ...)`,
    ],
    [
      "[]",
      'the object provided is unrecognized (must be of type Deployment): couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
    [
      '{"kind":7}',
      'the object provided is unrecognized (must be of type Deployment): couldn\'t get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":7})',
    ],
    [
      '{"apiVersion":"a/b/c"}',
      'the object provided is unrecognized (must be of type Deployment): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})',
    ],
    [
      '{"kind":"Nope"}',
      `Nope in version "v1" cannot be handled as a Deployment: ${notRegistered("Nope", "apps/v1")}`,
    ],
    [
      '{"kind":"Deployment","apiVersion":"example.com/v1"}',
      `Deployment in version "v1" cannot be handled as a Deployment: ${notRegistered("Deployment", "example.com/v1")}`,
    ],
    [
      '{"kind":"Pod","apiVersion":"v1"}',
      'Pod in version "v1" cannot be handled as a Deployment: converting (v1.Pod) to (apps.Deployment): unknown conversion',
    ],
    [
      '{"spec":{"replicas":"x"}}',
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      '{"spec":{"foo":1,"replicas":1,"replicas":2},"bar":1}',
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo", duplicate field "spec.replicas", unknown field "bar"',
    ],
  ])("%s", (text, message) => {
    expect(refusal(() => decode(text))).toEqual([400, "BadRequest", message]);
  });

  test("Warn and Ignore let problems pass", () => {
    const text = '{"spec":{"foo":1,"replicas":1,"replicas":2}}';
    const warned = decode(text, deployment, "Warn");
    expect(warned.warnings).toEqual([
      'unknown field "spec.foo"',
      'duplicate field "spec.replicas"',
    ]);
    expect(warned.object["spec"]).toMatchObject({ replicas: 2 });
    const ignored = decode(text, deployment, "Ignore");
    expect(ignored.warnings).toEqual([]);
    expect(ignored.object).toEqual(warned.object);
  });

  test("another version of the kind is decoded, and refused by the caller's check", () => {
    const v1 = { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" };
    const { kind } = decode('{"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2"}', v1);
    expect(refusal(() => requireGroupVersion(kind, v1))).toEqual([
      400,
      "BadRequest",
      "the API version in the data (autoscaling/v2) does not match the expected API version (autoscaling/v1)",
    ]);
    requireGroupVersion(v1, v1);
  });

  test("nothing inherited is taken for a field or kind", () => {
    expect(refusal(() => decode('{"kind":"constructor"}'))[1]).toBe("BadRequest");
    const { object } = decode(
      '{"__proto__":{"kind":"Pod"},"metadata":{"__proto__":{"name":"x"}}}',
      deployment,
      "Ignore",
    );
    expect(object.kind).toBe("Deployment");
    expect(object.metadata.name).toBeUndefined();
  });

  test("deep nesting is refused, wherever it stands", () => {
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    for (const text of [
      deep,
      `{"spec":{"x":${deep}}}`,
      `{"metadata":{"managedFields":[{"fieldsV1":${deep}}]}}`,
    ]) {
      expect(refusal(() => decode(text, pod, "Ignore"))[2]).toContain("exceeded max depth");
    }
  });
});

describe("YAML", () => {
  test("a good body", () => {
    const text =
      "kind: Pod\napiVersion: v1\nmetadata:\n  name: a\nspec:\n  hostNetwork: yes\n  containers:\n  - name: c\n";
    const { object } = decode(text, pod, "Strict", "yaml");
    expect(object).toMatchObject({
      kind: "Pod",
      spec: { hostNetwork: true, containers: [{ name: "c" }] },
    });
  });

  test("problems", () => {
    const text = "spec:\n  nodeName: a\n  nodeName: b\n  foo: 1\n";
    expect(decode(text, pod, "Warn", "yaml").warnings).toEqual([
      'yaml: unmarshal errors:\n  line 3: key "nodeName" already set in map',
      'unknown field "spec.foo"',
    ]);
    expect(refusal(() => decode("spec: [", pod, "Strict", "yaml"))[2]).toMatch(
      /^the object provided is unrecognized \(must be of type Pod\): yaml: line 1: .* \(737065633a205b\)$/,
    );
  });
});

describe("protobuf", () => {
  const body = (kind: string, apiVersion: string, message: Uint8Array) =>
    wrapEnvelope(kind, apiVersion, message);
  const read = (bytes: Uint8Array, kind = pod) => decodeBody(bytes, "protobuf", { kind }, "Strict");

  test("a good body, with the kind from the envelope or the target", () => {
    const message = encodeProtobuf("core.v1.Pod", { metadata: { name: "a" } });
    for (const [kind, apiVersion] of [
      ["Pod", "v1"],
      ["", ""],
    ] as const) {
      const { object } = read(body(kind, apiVersion, message));
      expect(object).toEqual({
        kind: "Pod",
        apiVersion: "v1",
        metadata: { name: "a" },
        spec: { containers: null },
        status: {},
      });
    }
  });

  test.each([
    ["", "empty data"],
    [
      "7b7d",
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    ],
    ["6b387300", "empty body"],
    ["6b3873000aff", "unexpected EOF"],
  ])("%s is unrecognized", (hex, message) => {
    expect(refusal(() => read(Buffer.from(hex, "hex")))[2]).toContain(
      `the object provided is unrecognized (must be of type Pod): ${message} (`,
    );
  });

  test("a broken message", () => {
    expect(refusal(() => read(body("Pod", "v1", Uint8Array.of(0x0a, 0x7f))))[2]).toBe(
      'Pod in version "v1" cannot be handled as a Pod: unexpected EOF',
    );
  });
});

describe("DeleteOptions", () => {
  const read = (text: string) => decodeOptions("meta.v1.DeleteOptions", encodeUtf8(text), "json");

  test.each([
    ['{"gracePeriodSeconds":0,"propagationPolicy":"Foreground"}', "meta.k8s.io/v1"],
    [
      '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"propagationPolicy":"Foreground","x":1}',
      "v1",
    ],
    [
      '{"kind":"DeleteOptions","apiVersion":"apps/v1","gracePeriodSeconds":0,"propagationPolicy":"Foreground"}',
      "apps/v1",
    ],
  ])("%s", (text, apiVersion) => {
    expect(read(text)).toEqual({
      kind: "DeleteOptions",
      apiVersion,
      gracePeriodSeconds: 0,
      propagationPolicy: "Foreground",
    });
  });

  test("protobuf", () => {
    const message = encodeProtobuf("meta.v1.DeleteOptions", { preconditions: { uid: "u" } });
    const options = decodeOptions(
      "meta.v1.DeleteOptions",
      wrapEnvelope("DeleteOptions", "v1", message),
      "protobuf",
    );
    expect(options).toMatchObject({ preconditions: { uid: "u" } });
  });

  test("garbage is a bare 500, as upstream answers it", () => {
    expect(refusal(() => read("{"))).toEqual([
      500,
      "",
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ]);
    expect(refusal(() => read('{"gracePeriodSeconds":"x"}'))[2]).toBe(
      "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    );
    expect(refusal(() => read('{"kind":"Pod","apiVersion":"v1"}'))[2]).toContain(
      'no kind "Pod" is registered for version "v1"',
    );
  });
});
