import { describe, expect, test } from "vitest";
import { parseJsonTracked, stringifyJson } from "../../std/json.ts";
import { DecodeError, type FieldProblem, problemText } from "./decode-error.ts";
import { normalize, normalizeWith } from "./normalize.ts";

const printed = (typeId: string, value: unknown): string => stringifyJson(normalize(typeId, value));

describe("what Go would print", () => {
  const cases: [string, string, unknown, string][] = [
    [
      "zero scalars vanish, pointers stay",
      "apps.v1.DeploymentSpec",
      { replicas: 0, minReadySeconds: 0, paused: false },
      '{"replicas":0,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}}',
    ],
    [
      "null is absent",
      "apps.v1.Deployment",
      { metadata: null, spec: null, status: null },
      '{"metadata":{},"spec":{"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
    ],
    [
      "fields in the struct's order",
      "core.v1.EnvVar",
      { value: "b", name: "a" },
      '{"name":"a","value":"b"}',
    ],
    [
      "kind and apiVersion first",
      "core.v1.ConfigMap",
      { data: { b: "2", a: "1" }, metadata: { name: "x" }, apiVersion: "v1", kind: "ConfigMap" },
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"},"data":{"a":"1","b":"2"}}',
    ],
    [
      "empty lists and maps vanish",
      "meta.v1.ObjectMeta",
      { labels: {}, annotations: { a: null }, finalizers: [], ownerReferences: null },
      '{"annotations":{"a":""}}',
    ],
    [
      "always printed: null for none",
      "rbac.v1.Role",
      { rules: [] },
      '{"metadata":{},"rules":null}',
    ],
    [
      "inlined fields belong to the parent",
      "core.v1.Probe",
      { failureThreshold: 3, httpGet: { port: "web" } },
      '{"httpGet":{"port":"web"},"failureThreshold":3}',
    ],
    [
      "inlined within inlined",
      "core.v1.Volume",
      { name: "v", emptyDir: {} },
      '{"name":"v","emptyDir":{}}',
    ],
    [
      "quantities",
      "core.v1.ResourceRequirements",
      { requests: { memory: "1024Mi", cpu: 0.5 }, limits: { cpu: "1000m" } },
      '{"limits":{"cpu":"1"},"requests":{"cpu":"500m","memory":"1Gi"}}',
    ],
    [
      "a quantity that is no pointer",
      "core.v1.ResourceFieldSelector",
      { resource: "limits.cpu" },
      '{"resource":"limits.cpu","divisor":"0"}',
    ],
    [
      "an int-or-string that is no pointer",
      "core.v1.ServicePort",
      { port: 80 },
      '{"port":80,"targetPort":0}',
    ],
    [
      "times",
      "core.v1.PodCondition",
      { type: "Ready", status: "True", lastTransitionTime: "2024-05-06T09:08:09+02:00" },
      '{"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2024-05-06T07:08:09Z"}',
    ],
    [
      "creationTimestamp vanishes",
      "meta.v1.ObjectMeta",
      { creationTimestamp: null, name: "a" },
      '{"name":"a"}',
    ],
    [
      "the zero creationTimestamp too",
      "meta.v1.ObjectMeta",
      { creationTimestamp: "0001-01-01T00:00:00Z" },
      "{}",
    ],
    [
      "micro times",
      "coordination.v1.LeaseSpec",
      { renewTime: "2024-05-06T07:08:09.000001Z" },
      '{"renewTime":"2024-05-06T07:08:09.000001Z"}',
    ],
    [
      "bytes",
      "core.v1.Secret",
      { data: { a: "aG\nk=", b: "" } },
      '{"metadata":{},"data":{"a":"aGk=","b":""}}',
    ],
    [
      "raw values are kept as they are",
      "apps.v1.ControllerRevision",
      { revision: 1, data: { z: 1, a: null, b: [] } },
      '{"metadata":{},"data":{"z":1,"a":null,"b":[]},"revision":1}',
    ],
    [
      "null in lists is the zero value",
      "core.v1.Container",
      { name: "a", args: ["x", null], ports: [null] },
      '{"name":"a","args":["x",""],"ports":[{"containerPort":0}],"resources":{}}',
    ],
    [
      "integers beyond 2^53",
      "core.v1.PodSecurityContext",
      { runAsUser: 9007199254740993n },
      '{"runAsUser":9007199254740993}',
    ],
    ["lists print [] for none", "core.v1.PodList", { items: null }, '{"metadata":{},"items":[]}'],
    [
      "map of lists",
      "authorization.v1.SubjectAccessReviewSpec",
      { extra: { b: null, a: ["x"] } },
      '{"extra":{"a":["x"],"b":[]}}',
    ],
    [
      "schema unions",
      "apiextensions.v1.JSONSchemaProps",
      {
        items: [{ type: "string" }],
        additionalProperties: false,
        dependencies: { a: ["b"], c: { type: "x" } },
        additionalItems: { type: "y" },
        enum: [1, null, "a"],
        default: null,
      },
      '{"enum":[1,null,"a"],"items":[{"type":"string"}],"additionalProperties":false,"dependencies":{"a":["b"],"c":{"type":"x"}},"additionalItems":{"type":"y"}}',
    ],
  ];
  test.each(cases.map((row) => [row[0], row] as const))("%s", (_, [, typeId, value, text]) => {
    expect(printed(typeId, value)).toBe(text);
  });

  test("a second time changes nothing", () => {
    for (const [, typeId, value, text] of cases) {
      expect(printed(typeId, normalize(typeId, value))).toBe(text);
    }
  });

  test("the input is left as it was", () => {
    const input = { metadata: { labels: { b: "1", a: "2" } }, data: { x: "1", __proto__: null } };
    const before = structuredClone(input);
    normalize("core.v1.ConfigMap", input);
    expect(input).toEqual(before);
  });

  test("a key __proto__ stays a key", () => {
    const value = JSON.parse('{"data":{"z":"1","__proto__":"x"}}') as unknown;
    expect(printed("core.v1.ConfigMap", value)).toBe(
      '{"metadata":{},"data":{"__proto__":"x","z":"1"}}',
    );
    expect(printed("core.v1.ConfigMap", JSON.parse('{"__proto__":{"data":{"a":"b"}}}'))).toBe(
      '{"metadata":{}}',
    );
  });
});

describe("errors read like Go's", () => {
  const spec = (value: unknown) => ({ spec: { template: { spec: value } } });
  const cases: [string, string, unknown, string][] = [
    [
      "string for int",
      "apps.v1.Deployment",
      { spec: { replicas: "x" } },
      "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "number for string, inside lists",
      "apps.v1.Deployment",
      spec({ containers: [{}, { env: [{ value: 1 }] }] }),
      "json: cannot unmarshal number into Go struct field EnvVar.spec.template.spec.containers.env.value of type string",
    ],
    [
      "bool for string in a map",
      "core.v1.ConfigMap",
      { data: { a: true } },
      "json: cannot unmarshal bool into Go struct field ConfigMap.data of type string",
    ],
    [
      "object for list",
      "core.v1.Pod",
      { spec: { containers: {} } },
      "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
    ],
    [
      "array for map",
      "core.v1.Pod",
      { metadata: { labels: [] } },
      "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string",
    ],
    [
      "string for struct",
      "core.v1.Pod",
      { spec: "x" },
      "json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec",
    ],
    [
      "array for the whole",
      "core.v1.Pod",
      [],
      "json: cannot unmarshal array into Go value of type v1.Pod",
    ],
    [
      "fraction for int",
      "apps.v1.Deployment",
      { spec: { replicas: 1.5 } },
      "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "too big for int32",
      "apps.v1.Deployment",
      { spec: { replicas: 2147483648 } },
      "json: cannot unmarshal number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "too big for int64",
      "core.v1.PodSecurityContext",
      { fsGroup: 2n ** 63n },
      "json: cannot unmarshal number 9223372036854775808 into Go struct field PodSecurityContext.fsGroup of type int64",
    ],
    [
      "bool for int-or-string",
      "core.v1.Service",
      { spec: { ports: [{ targetPort: true }] } },
      "json: cannot unmarshal bool into Go struct field ServicePort.spec.ports.targetPort of type int32",
    ],
    [
      "inlined field",
      "core.v1.Container",
      { livenessProbe: { httpGet: 5 } },
      "json: cannot unmarshal number into Go struct field Probe.livenessProbe.ProbeHandler.httpGet of type v1.HTTPGetAction",
    ],
    [
      "inlined within inlined",
      "core.v1.Volume",
      { projected: { sources: [{ secret: { name: 5 } }] } },
      "json: cannot unmarshal number into Go struct field SecretProjection.VolumeSource.projected.sources.secret.LocalObjectReference.name of type string",
    ],
    [
      "a string with a name of its own",
      "core.v1.LimitRange",
      { spec: { limits: [{ type: 1 }] } },
      "json: cannot unmarshal number into Go struct field LimitRangeItem.spec.limits.type of type v1.LimitType",
    ],
    [
      "a map with a name of its own",
      "core.v1.LimitRange",
      { spec: { limits: [{ max: "" }] } },
      "json: cannot unmarshal string into Go struct field LimitRangeItem.spec.limits.max of type v1.ResourceList",
    ],
    [
      "a list of strings with a name",
      "core.v1.PersistentVolumeSpec",
      { accessModes: "" },
      "json: cannot unmarshal string into Go struct field PersistentVolumeSpec.accessModes of type []v1.PersistentVolumeAccessMode",
    ],
    [
      "one of a list of strings with a name",
      "core.v1.PersistentVolumeSpec",
      { accessModes: [5] },
      "json: cannot unmarshal number into Go struct field PersistentVolumeSpec.accessModes of type v1.PersistentVolumeAccessMode",
    ],
    [
      "bad time",
      "core.v1.Pod",
      { metadata: { creationTimestamp: "x" } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      "number for time",
      "core.v1.Pod",
      { metadata: { creationTimestamp: 5 } },
      "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
    ],
    [
      "bad quantity",
      "core.v1.Pod",
      { spec: { containers: [{ resources: { limits: { cpu: "lots" } } }] } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      "an object for a quantity, even one that pretends",
      "core.v1.EmptyDirVolumeSource",
      { sizeLimit: { toString: 1, valueOf: 2 } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ["bad base64", "core.v1.Secret", { data: { a: "a*" } }, "illegal base64 data at input byte 1"],
    [
      "bad schema union",
      "apiextensions.v1.JSONSchemaProps",
      { additionalProperties: 1 },
      "boolean or JSON schema expected",
    ],
    [
      "the first wrong type counts",
      "core.v1.Pod",
      { spec: { nodeName: 1, hostname: true } },
      "json: cannot unmarshal number into Go struct field PodSpec.spec.nodeName of type string",
    ],
    [
      "but upstream's own unmarshallers give up at once",
      "core.v1.Pod",
      { spec: { nodeName: 1, overhead: { cpu: "x" } } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ];
  test.each(cases.map((row) => [row[0], row] as const))("%s", (_, [, typeId, value, message]) => {
    expect(() => normalize(typeId, value)).toThrow(new DecodeError(message));
  });
});

describe("problems", () => {
  const problems = (typeId: string, value: unknown): string[] => {
    const found: FieldProblem[] = [];
    normalize(typeId, value, (problem) => found.push(problem));
    return found.map(problemText);
  };

  test("unknown fields with their paths, in document order", () => {
    const value = {
      zzz: 1,
      spec: {
        template: { spec: { containers: [{ name: "a" }, { nmae: "b", env: [{ nam: "x" }] }] } },
        replicsa: { deep: { deeper: 1 } },
      },
      metadata: { labels: { anything: "goes" }, lables: {} },
      Kind: "x",
    };
    expect(problems("apps.v1.Deployment", value)).toEqual([
      'unknown field "zzz"',
      'unknown field "spec.template.spec.containers[1].nmae"',
      'unknown field "spec.template.spec.containers[1].env[0].nam"',
      'unknown field "spec.replicsa"',
      'unknown field "metadata.lables"',
      'unknown field "Kind"',
    ]);
  });

  test("in maps of structs, but not below raw values and schema unions", () => {
    const schema = {
      properties: { a: { typ: "x" } },
      default: { any: "thing" },
      items: { typ: "x" },
    };
    expect(problems("apiextensions.v1.JSONSchemaProps", schema)).toEqual([
      'unknown field "properties.a.typ"',
    ]);
  });

  test("at most a hundred, each once", () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1]));
    expect(problems("core.v1.Pod", { spec: many })).toHaveLength(100);
  });

  test("repeated keys, where the type has them", () => {
    const text =
      '{"data":{"a":"1","a":"2"},"bogus":{"b":1,"b":2},"metadata":{"name":"x","name":"y"},"data":{"c":"1","c":"1"}}';
    const { value, duplicates } = parseJsonTracked(text);
    const found: string[] = [];
    normalizeWith("core.v1.ConfigMap", value, {
      report: (problem) => found.push(problemText(problem)),
      duplicates,
    });
    expect(found).toEqual([
      'duplicate field "data.c"',
      'duplicate field "data"',
      'unknown field "bogus"',
      'duplicate field "metadata.name"',
    ]);
  });
});
