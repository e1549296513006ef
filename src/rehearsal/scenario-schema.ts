// What a scenario file may hold, as JSON Schema: it checks files, fills in defaults, and is published as
// schema/scenario.json for editors.
import type { JsonSchema } from "../std/json-schema.ts";
import { costsSchema } from "./cost-schema.ts";
import { populationSchema } from "../fleet/population-schema.ts";

const text = (description: string): JsonSchema => ({ type: "string", description });
const number = (description: string, minimum: number, usual?: number): JsonSchema => ({
  type: "number",
  minimum,
  description,
  ...(usual === undefined ? {} : { default: usual }),
});
const whole = (description: string, maximum: number, usual: number): JsonSchema => ({
  type: "integer",
  minimum: 0,
  maximum,
  default: usual,
  description,
});

/** An object with no other fields. */
function record(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  return { type: "object", description, properties, required, additionalProperties: false };
}

const controlPlane: JsonSchema = {
  ...record(
    "the machines of the control plane",
    {
      masters: { type: "integer", minimum: 1, maximum: 7, default: 3 },
      cores: number("of each master", 0.01, 4),
      memoryGiB: number("of each master", 0.1, 16),
      etcdBaseGiB: number("resident memory of etcd before any data and load", 0, 0.3),
      apiServerBaseGiB: number("the same of an API server", 0, 1),
      etcdQuotaMiB: number("--quota-backend-bytes: beyond it etcd refuses writes", 1, 2_048),
      latencyMs: number("of the network, one way", 0, 0.5),
      runawayOwnerLimit: whole("replacements a runaway owner may make; 0: no guard", 1_000_000, 0),
      taintManager: {
        type: "boolean",
        default: true,
        description: "false: --enable-taint-manager=false, up to 1.26",
      },
      livenessProbe: {
        type: "boolean",
        default: true,
        description: "kubelets kill API servers that answer late",
      },
    },
    [],
  ),
  default: {},
};

const kubeletFields = {
  qps: number("kubeAPIQPS; absent: as the profile's", 0.1),
  burst: number("kubeAPIBurst; absent: as the profile's", 1),
  streamsMax: number("streams of a node's one connection; absent: it opens another", 2),
} as const;

const podsMax: JsonSchema = {
  type: "integer",
  minimum: 1,
  maximum: 254,
  description: "maxPods of each node",
};

const kubelet: JsonSchema = {
  ...record(
    "where the nodes' kubelets differ from the profile's",
    { ...kubeletFields, podsMax: { ...podsMax, default: 110 } },
    [],
  ),
  default: {},
};

const manifests: JsonSchema = {
  type: "array",
  description: "objects as kubectl apply takes them",
  items: {
    type: "object",
    properties: {
      apiVersion: text("v1, apps/v1, ..."),
      kind: text("Pod, Job, ..."),
      metadata: {
        type: "object",
        properties: { name: text("of the object"), namespace: text("of the object") },
        required: ["name"],
        additionalProperties: true,
      },
    },
    required: ["apiVersion", "kind", "metadata"],
    additionalProperties: true,
  },
};

const at = number("when, from the start", 0);

function step(
  kind: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): JsonSchema {
  return record(description, { kind: { const: kind }, atSeconds: at, ...properties }, [
    "kind",
    "atSeconds",
    ...required,
  ]);
}

const processes: JsonSchema = { type: "string", enum: ["api-servers", "etcd", "masters"] };

const timeline: JsonSchema = {
  type: "array",
  default: [],
  description: "what happens, besides what clients do by themselves",
  items: {
    oneOf: [
      step(
        "restart",
        "processes end and are started again",
        {
          what: processes,
          order: { type: "string", enum: ["together", "rolling"], default: "together" },
          everySeconds: number("between two of a rolling restart", 0, 30),
        },
        ["what"],
      ),
      step(
        "outage",
        "processes are gone, and come back by themselves",
        {
          what: processes,
          masters: {
            type: "array",
            minItems: 1,
            items: { type: "integer", minimum: 1, maximum: 7 },
            description: "1 is master-1",
          },
          forSeconds: number("how long; absent: to the end", 0),
        },
        ["what", "masters"],
      ),
      step("apply", "objects are created, or changed where they exist", { manifests }, [
        "manifests",
      ]),
      step(
        "delete",
        "as kubectl delete: one after another, five a second",
        {
          resource: text("pods, jobs.batch, namespaces ..."),
          namespace: text("absent: all"),
          name: text("absent: all"),
          labelSelector: text("absent: all"),
          force: { type: "boolean", default: false, description: "--grace-period=0 --force" },
        },
        ["resource"],
      ),
      step(
        "etcd-delete",
        "as etcdctl del --prefix: past the API, in one revision",
        { prefix: { type: "string", pattern: "^/registry/.+", examples: ["/registry/pods/x/"] } },
        ["prefix"],
      ),
      step(
        "etcd-defragment",
        "compaction, etcdctl defrag on all members, etcdctl alarm disarm",
        {},
        [],
      ),
      step(
        "node",
        "to machines of simulated nodes",
        {
          deed: { type: "string", enum: ["kill", "cut", "restart"] },
          names: { type: "array", minItems: 1, items: { type: "string" } },
        },
        ["deed", "names"],
      ),
    ],
  },
};

const { prepare, populations } = populationSchema.properties ?? {};

const profile: JsonSchema = {
  type: "string",
  pattern: "^(1\\.[0-9]{2}|wavetank)$",
  examples: ["1.25"],
  description: "the Kubernetes minor to behave as, or wavetank",
};

const guard = record(
  "what bounds the harm",
  {
    summary: text("what it is, in a sentence"),
    manifests: { ...manifests, default: [] },
    prepare: { ...prepare, default: [] },
    runawayOwnerLimit: { type: "integer", minimum: 0, description: "as in controlPlane" },
    profile: { ...profile, description: "the version to upgrade to" },
    kubelet: record("as the scenario's", { ...kubeletFields, podsMax }, []),
  },
  ["summary"],
);

const check = record(
  "a number of the run and its bounds",
  {
    name: text("what is claimed"),
    guard: { type: "string", enum: ["off", "on", "both"], default: "both" },
    figure: text("wavetank rehearse --figures lists them"),
    atLeast: { type: "number" },
    atMost: { type: "number" },
    source: text("what the bounds are from"),
  },
  ["name", "figure"],
);

export const scenarioSchema: JsonSchema = {
  title: "Wavetank scenario",
  ...record(
    "An outage to rehearse with `wavetank rehearse`",
    {
      name: { type: "string", pattern: "^[a-z0-9]([a-z0-9-]*[a-z0-9])?$", examples: ["my-storm"] },
      title: text("one line for people"),
      summary: text("what goes wrong, in a few sentences"),
      profile,
      costs: costsSchema,
      controlPlane,
      nodes: whole("simulated nodes with kubelets", 20_000, 0),
      kubelet,
      controllers: { type: "boolean", default: false, description: "controllers and scheduler" },
      prepare: { ...prepare, default: [] },
      populations: { ...populations, minItems: 0, default: [] },
      durationSeconds: { ...number("of simulated time", 1), maximum: 1_000_000 },
      timeline,
      guard,
      checks: { type: "array", default: [], items: check },
      verdict: record(
        "sentences; {{figure}} is replaced by its value",
        { off: text("without the guard"), on: text("with it") },
        ["off"],
      ),
    },
    ["name", "title", "summary", "profile", "durationSeconds", "verdict"],
  ),
};
