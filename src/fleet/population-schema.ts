// What a populations file may hold, as JSON Schema: the same tables check files, fill in defaults, and are published as
// schema/population.json for editors. The types in population.ts are what a checked file becomes.
import type { JsonSchema } from "../std/json-schema.ts";
import { clientLibraries } from "./client-library.ts";

export const membersMax = 20_000;
export const fixturesMax = 200_000;
const requestsMax = 10_000_000;

const text = (description: string): JsonSchema => ({ type: "string", description });
const count = (description: string, maximum: number, usual?: number): JsonSchema => ({
  type: "integer",
  minimum: 1,
  maximum,
  description,
  ...(usual === undefined ? {} : { default: usual }),
});
const seconds = (description: string, usual?: number): JsonSchema => ({
  type: "number",
  minimum: 0,
  description,
  ...(usual === undefined ? {} : { default: usual }),
});
const share = (description: string): JsonSchema => ({
  type: "number",
  minimum: 0,
  maximum: 1,
  default: 0,
  description,
});
const oneOf = (values: readonly string[], usual: string, description: string): JsonSchema => ({
  type: "string",
  enum: values,
  default: usual,
  description,
});

/** An object that is told from its siblings by `kind`. */
function kind(
  name: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  return {
    type: "object",
    description,
    properties: { kind: { const: name }, ...properties },
    required: ["kind", ...required],
    additionalProperties: false,
  };
}

const resource: JsonSchema = {
  type: "string",
  pattern: "^[a-z0-9]+(\\.[a-z0-9.-]+)?$",
  examples: ["pods", "deployments.apps", "widgets.v1.example.com"],
  description: "plural name, with its group unless that is the core group",
};

const view = {
  resource,
  namespace: text("absent: all namespaces"),
  labelSelector: text("may hold {{.index}} and {{.node}}"),
  fieldSelector: text("may hold {{.index}} and {{.node}}"),
} as const;

const read: JsonSchema = {
  type: "object",
  description: "with a name a GET, without one a LIST",
  properties: {
    ...view,
    name: text("of one object"),
    resourceVersion: text('"0": whatever the cache has; absent: the newest state'),
    resourceVersionMatch: { type: "string", enum: ["Exact", "NotOlderThan"] },
    limit: count("page size; one page is read", 100_000),
  },
  required: ["resource"],
  additionalProperties: false,
};

const manifest: JsonSchema = {
  type: "object",
  description: "an object; its texts may hold {{.index}} and {{.node}}",
  properties: {
    apiVersion: text("v1, apps/v1, ..."),
    kind: text("Pod, Secret, ..."),
    metadata: {
      type: "object",
      properties: { name: text("must differ for each index"), namespace: text("of the object") },
      required: ["name"],
      additionalProperties: true,
    },
  },
  required: ["apiVersion", "kind", "metadata"],
  additionalProperties: true,
};

const pad: JsonSchema = {
  type: "object",
  description: "a text that makes the object large",
  properties: {
    field: text("where, e.g. data.fill"),
    bytes: count("length of the text", 3_000_000),
  },
  required: ["field", "bytes"],
  additionalProperties: false,
};

const nodes = count("{{.node}} goes round node-1 to node-N", 20_000, 1);

const start: JsonSchema = {
  description: "when members begin",
  default: { kind: "together" },
  oneOf: [
    kind("together", "all at once", { afterSeconds: seconds("a pause before", 0) }),
    kind(
      "staggered",
      "one after another",
      { afterSeconds: seconds("a pause before", 0), everySeconds: seconds("between two members") },
      ["everySeconds"],
    ),
    kind(
      "jitter",
      "each at a moment of its own",
      { afterSeconds: seconds("a pause before", 0), overSeconds: seconds("drawn from 0 to this") },
      ["overSeconds"],
    ),
    kind("serverRestart", "when the server was away and is back", {
      afterSeconds: seconds("a pause before", 0),
      overSeconds: seconds("each at a moment drawn from 0 to this", 0),
    }),
  ],
};

const identity: JsonSchema = {
  description: "whom members act as; other users need the right to impersonate them",
  default: { kind: "self" },
  oneOf: [
    kind("self", "the user of the kubeconfig", {}),
    kind(
      "user",
      "a user; the name may hold {{.index}} and {{.node}}",
      {
        name: text("e.g. system:node:{{.node}}"),
        groups: { type: "array", items: { type: "string" }, default: [] },
      },
      ["name"],
    ),
    kind(
      "serviceAccount",
      "a ServiceAccount",
      { namespace: text("its namespace"), name: text("its name") },
      ["namespace", "name"],
    ),
  ],
};

const stay = seconds("how long a member stays once it is complete; absent: to the end");

const readers: readonly JsonSchema[] = [
  kind(
    "informer",
    "LIST and WATCH by the library's law",
    {
      views: {
        type: "array",
        minItems: 1,
        maxItems: 100,
        items: { type: "object", properties: view, required: ["resource"] },
      },
      copies: count("each view so many times", 1_000, 1),
      staySeconds: stay,
    },
    ["views"],
  ),
  kind("vector", "Vector's kubernetes_logs: pods of its node, namespaces, its node; per source", {
    sources: count("sources in its configuration", 1_000, 1),
    useApiserverCache: { type: "boolean", default: false, description: "resourceVersion=0" },
    staySeconds: stay,
  }),
  kind(
    "lister",
    "so many reads, then done",
    {
      read,
      times: count("reads of each member", requestsMax, 1),
      parallel: count("reads at once", 10_000, 1),
    },
    ["read"],
  ),
  kind(
    "poller",
    "a read every so often",
    {
      read,
      everySeconds: seconds("from one to the next"),
      jitterSeconds: seconds("up to so much more", 0),
    },
    ["read", "everySeconds"],
  ),
  kind("bystander", "a small GET each second: what others wait for", {
    read: { ...read, default: { resource: "namespaces", name: "default" } },
    everySeconds: { ...seconds("from one to the next", 1), minimum: 0.01 },
  }),
];

const writers: readonly JsonSchema[] = [
  kind(
    "hot-writer",
    "writes one object over and over",
    {
      resource,
      namespace: text("of the object"),
      name: text("of the object; may hold {{.index}}"),
      verb: oneOf(["patch", "put"], "patch", "PATCH (merge) or GET and PUT"),
      change: oneOf(["none", "small"], "none", "whether the object differs afterwards"),
      everySeconds: seconds("0: as fast as answers come", 0),
      times: count("absent: to the end", requestsMax),
    },
    ["resource", "name"],
  ),
  kind(
    "mass-deleter",
    "deletes all that it finds, then done",
    {
      resource,
      namespace: text("absent: all namespaces"),
      labelSelector: text("absent: all objects"),
      mode: oneOf(["each", "collection"], "each", "one DELETE an object, or one for all"),
      pageLimit: count("of the LISTs that find them", 10_000, 500),
      parallel: count("DELETEs at once", 1_000, 1),
      gracePeriodSeconds: { type: "integer", minimum: 0 },
    },
    ["resource"],
  ),
  kind(
    "creator",
    "creates objects, then done",
    {
      manifest,
      times: count("objects of each member; {{.object}} counts them", requestsMax, 1),
      perSecond: { type: "number", minimum: 0, default: 0, description: "0: as fast as it goes" },
      pad,
    },
    ["manifest"],
  ),
  kind("kubelet", "a booting node: one reflector for each Secret and ConfigMap of its pods", {
    pods: count("on the node", 1_000, 30),
    secretsPerPod: { type: "integer", minimum: 0, maximum: 100, default: 2 },
    configMapsPerPod: { type: "integer", minimum: 0, maximum: 100, default: 1 },
    namespace: { ...text("of the pods"), default: "default" },
    secretName: { ...text("template"), default: "secret-{{.node}}-{{.pod}}-{{.object}}" },
    configMapName: { ...text("template"), default: "config-{{.node}}-{{.pod}}-{{.object}}" },
    envShare: share("of the references, those that are read once, into the environment"),
    immutableShare: share("of the objects, those that are immutable (say so in `prepare` too)"),
    watchLaw: oneOf(["1.20", "1.21", "1.23"], "1.23", "the kubelet's age"),
  }),
];

const population: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", pattern: "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", examples: ["collectors"] },
    count: count("members", membersMax, 1),
    nodes,
    identity,
    userAgent: { ...text("what members call themselves"), default: "wavetank-load" },
    connection: oneOf(["member", "population"], "member", "a connection for each, or one for all"),
    protocol: oneOf(["http2", "http1"], "http2", "of real connections"),
    library: oneOf([...clientLibraries.keys()], "client-go", "how it lists, watches and retries"),
    rateLimit: {
      type: "object",
      description: "of each member; watches are not held back",
      properties: {
        qps: { type: "number", minimum: 0.001 },
        burst: { type: "integer", minimum: 1 },
      },
      required: ["qps", "burst"],
    },
    start,
    behaviour: { description: "what members do", oneOf: [...readers, ...writers] },
  },
  required: ["name", "behaviour"],
  additionalProperties: false,
};

export const populationSchema: JsonSchema = {
  title: "Wavetank populations",
  description: "Populations of clients for `wavetank load` and `wavetank rehearse`",
  type: "object",
  properties: {
    name: text("of the file's storm"),
    description: { ...text("what it shows"), default: "" },
    prepare: {
      type: "array",
      default: [],
      description: "objects that must be there first",
      items: {
        type: "object",
        properties: { manifest, count: count("how many", fixturesMax, 1), nodes, pad },
        required: ["manifest"],
        additionalProperties: false,
      },
    },
    populations: { type: "array", minItems: 1, maxItems: 100, items: population },
  },
  required: ["name", "populations"],
  additionalProperties: false,
};
