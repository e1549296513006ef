// Kinds of the storage, node and resource groups against what kube-apiserver 1.36 answers.
import { describe } from "vitest";
import { dns1123Label, dns1123Subdomain, qualifiedName } from "./names.ts";
import { refusalTests, updateRefusalTests } from "./refusal.testbed.ts";

const bad = "Bad Value!";
const notSubdomain = dns1123Subdomain(bad)[0];

describe("storage", () => {
  const driver = { name: "csi.example.com", nodeID: "n" };
  refusalTests("storage.v1.CSINode", [
    ["good", { spec: { drivers: [{ ...driver, topologyKeys: ["a/b"] }] } }],
    [
      "bad",
      {
        spec: {
          drivers: [
            { ...driver, name: bad, nodeID: "n".repeat(257), allocatable: { count: -1 } },
            { ...driver, topologyKeys: [""] },
          ],
        },
      },
      `spec.drivers[0].name: Invalid value: "${bad}": ${dns1123Subdomain(bad.toLowerCase())[0]}`,
      `spec.drivers[0].nodeID: Invalid value: "${"n".repeat(257)}": must be 256 characters or less`,
      "spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0",
      "spec.drivers[1]: Required value",
      ...qualifiedName("").map((complaint) => `spec.drivers[1]: Invalid value: "": ${complaint}`),
    ],
    [
      "a long name",
      { spec: { drivers: [{ ...driver, name: "x".repeat(64) }] } },
      "spec.drivers[0].name: Too long: may not be more than 63 bytes",
    ],
  ]);
  refusalTests("storage.v1.CSIDriver", [
    [
      "bad",
      {
        spec: {
          nodeAllocatableUpdatePeriodSeconds: 9,
          tokenRequests: [
            { audience: "a", expirationSeconds: 599 },
            { audience: "a" },
            { audience: "b", expirationSeconds: 2 ** 32 + 1 },
          ],
        },
      },
      "spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes",
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      "spec.tokenRequests[2].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
      "spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds",
    ],
    [
      "tokens in secrets but no tokens",
      { spec: { serviceAccountTokenInSecrets: true } },
      "spec.serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified",
    ],
  ]);
  refusalTests("storage.v1.CSIStorageCapacity", [
    [
      "less than nothing",
      { storageClassName: "c", capacity: "-1" },
      'capacity: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ]);
  refusalTests("storage.v1.StorageClass", [
    [
      "provisioner",
      { provisioner: bad },
      `provisioner: Invalid value: "bad value!": ${qualifiedName("bad value!")[0]}`,
    ],
  ]);
  const attachment = (spec: object): object => ({
    spec: {
      attacher: "csi.example.com",
      source: { persistentVolumeName: "v" },
      nodeName: "n",
      ...spec,
    },
  });
  refusalTests("storage.v1.VolumeAttachment", [
    ["good", attachment({})],
    [
      "names",
      attachment({ attacher: bad, source: { persistentVolumeName: "" }, nodeName: "" }),
      `spec.attacher: Invalid value: "${bad}": ${dns1123Subdomain(bad.toLowerCase())[0]}`,
      "spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName",
      `spec.nodeName: Invalid value: "": ${dns1123Subdomain("")[0]}`,
      `spec.source.persistentVolumeName: Invalid value: "": ${dns1123Subdomain("")[0]}`,
    ],
  ]);
  updateRefusalTests("storage.v1.VolumeAttachment", [
    [
      "another node",
      attachment({}),
      attachment({ nodeName: "other" }),
      'spec: Invalid value: {"Attacher":"csi.example.com","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"other"}: field is immutable',
    ],
  ]);
  updateRefusalTests("storage.v1.VolumeAttributesClass", [
    [
      "nothing left",
      { driverName: "d", parameters: { iops: "1" } },
      {},
      "driverName: Forbidden: updates to driverName are forbidden.",
      "parameters: Forbidden: updates to parameters are forbidden.",
      "driverName: Required value",
      "parameters: Required value: must contain at least one key/value pair",
    ],
  ]);
});

describe("runtime classes and budgets", () => {
  refusalTests("node.v1.RuntimeClass", [
    ["nothing", {}, "handler: Required value"],
    [
      "overhead",
      { handler: "h", overhead: { podFixed: { memory: "-1" } } },
      'overhead.limits[memory]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ]);
  refusalTests("policy.v1.PodDisruptionBudget", [
    ["any name that fits into a path", { metadata: { name: bad } }],
  ]);
});

describe("devices", () => {
  const slice = (spec: object): object => ({
    spec: {
      driver: "gpu.example.com",
      pool: { name: "p", resourceSliceCount: 1 },
      nodeName: "n",
      ...spec,
    },
  });
  const onePlace =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  refusalTests("resource.v1.ResourceSlice", [
    ["good", slice({ devices: [{ name: "d", attributes: { model: { string: "m" } } }] })],
    [
      "names",
      slice({
        driver: "",
        nodeName: bad,
        pool: { name: bad, resourceSliceCount: 0, generation: -1 },
      }),
      "spec.driver: Required value",
      `spec.pool.name: Invalid value: "${bad}": ${notSubdomain}`,
      "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
      "spec.pool.generation: Invalid value: -1: must be greater than or equal to zero",
      `spec.nodeName: Invalid value: "${bad}": ${notSubdomain}`,
    ],
    [
      "an empty place",
      slice({ nodeName: "", allNodes: false }),
      'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
      "spec.allNodes: Invalid value: false: must be either unset or set to true",
      `spec: Required value: ${onePlace}`,
    ],
    [
      "two places",
      slice({ allNodes: true }),
      `spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${onePlace}, but multiple fields are set`,
    ],
    [
      "devices",
      slice({
        devices: [
          { name: "", attributes: { none: {}, two: { int: 1, bool: true } } },
          { name: "d", attributes: { model: { string: "x".repeat(65) } } },
          { name: "d" },
        ],
      }),
      `spec.devices[0].name: Invalid value: "": ${dns1123Label("")[0]}`,
      'spec.devices[0].attributes[none]: Invalid value: "": exactly one value must be specified',
      'spec.devices[0].attributes[two]: Invalid value: {"int":1,"bool":true}: exactly one value must be specified',
      "spec.devices[1].attributes[model].string: Too long: may not be more than 64 bytes",
      'spec.devices[2]: Duplicate value: "d"',
    ],
  ]);
  updateRefusalTests("resource.v1.ResourceSlice", [
    [
      "another node",
      slice({}),
      slice({ nodeName: undefined }),
      "spec.nodeName: Invalid value: null: field is immutable",
      `spec: Required value: ${onePlace}`,
    ],
  ]);
  refusalTests("resource.v1.ResourceClaim", [
    [
      "requests",
      { spec: { devices: { requests: [{ name: "" }] } } },
      `spec.devices.requests[0].name: Invalid value: "": ${dns1123Label("")[0]}`,
      "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required",
    ],
  ]);
});

describe("schemas of custom resources", () => {
  const crd = (schema: object, columns: object[] = []): object => ({
    metadata: { name: "foos.a.b" },
    status: { storedVersions: ["v1"] },
    spec: {
      group: "a.b",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          additionalPrinterColumns: columns,
        },
      ],
    },
  });
  const root = "spec.validation.openAPIV3Schema";
  const spec = (property: object): object =>
    crd({ type: "object", properties: { spec: property } });
  const types = '"array", "boolean", "integer", "number", "object", "string"';
  refusalTests("apiextensions.v1.CustomResourceDefinition", [
    ["no type", crd({}), `${root}.type: Required value: must not be empty at the root`],
    [
      "a type at the root that there is not",
      crd({ type: bad }),
      `${root}.type: Invalid value: "${bad}": must be object at the root`,
      `${root}.type: Unsupported value: "${bad}": supported values: ${types}`,
    ],
    [
      "a field without a type",
      spec({}),
      `${root}.properties[spec].type: Required value: must not be empty for specified object fields`,
    ],
    [
      "a list of nothing",
      spec({ type: "array" }),
      `${root}.properties[spec].items: Required value: must be specified`,
    ],
    [
      "a default of another type",
      spec({ type: "integer", default: "x" }),
      `${root}.properties[spec].default: Invalid value: "string":  in body must be of type integer: "string"`,
    ],
    ["what may be anything", spec({ "x-kubernetes-preserve-unknown-fields": true })],
    [
      "columns",
      crd({ type: "object" }, [
        { name: "", type: "", jsonPath: "" },
        { name: "n", type: bad, jsonPath: bad, format: bad },
      ]),
      "spec.additionalPrinterColumns[0].name: Required value",
      "spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string",
      "spec.additionalPrinterColumns[0].JSONPath: Required value",
      `spec.additionalPrinterColumns[1].type: Invalid value: "${bad}": must be one of boolean,date,integer,number,string`,
      `spec.additionalPrinterColumns[1].format: Invalid value: "${bad}": must be one of byte,date,date-time,double,float,int32,int64,password`,
      `spec.additionalPrinterColumns[1].JSONPath: Invalid value: "${bad}": must be a simple json path starting with .`,
    ],
  ]);
});
