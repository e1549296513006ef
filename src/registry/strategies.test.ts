import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNodeHost } from "../host/node/node-host.ts";
import type { StatusError } from "../api/meta/errors.ts";
import type { KubeObject } from "../api/object.ts";
import { schema } from "../api/schema/schema.ts";
import type { Status } from "../api/types/meta-v1.ts";
import { TestRegistries, type TestRegistry } from "./registries.testbed.ts";
import { noListOptions } from "../api/meta/list-options.ts";
import { parseObject } from "../api/codec/parse-object.ts";

const host = createNodeHost("silent", () => undefined);
let all: TestRegistries;

beforeEach(async () => {
  all = await TestRegistries.open(host);
});
afterEach(() => all.close());

async function refusal(run: Promise<unknown>): Promise<Status> {
  try {
    await run;
  } catch (error) {
    return (error as StatusError).status;
  }
  throw new Error("nothing was thrown");
}

const container = { name: "c", image: "i" };
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };
const workload = (extra: object = {}): object => ({
  metadata: { name: "w" },
  spec: { selector: { matchLabels: { app: "a" } }, template, ...extra },
});
const pod = (spec: object = {}): object => ({
  metadata: { name: "p", labels: { app: "a" } },
  spec: { containers: [container], ...spec },
});

test("every stored resource of the schema has a registry at its place", () => {
  const stored = schema.resources.filter(({ verbs }) => verbs.includes("delete"));
  expect(all.registries.all.map(({ resource }) => resource)).toEqual(stored);
  expect(all.registries.find("", "bindings")).toBeUndefined();
  expect(all.registries.find("autoscaling", "horizontalpodautoscalers")?.resource.version).toBe(
    "v2",
  );
});

describe("generation and status", () => {
  test.each([
    ["apps", "deployments", workload(), { replicas: 3 }],
    ["apps", "statefulsets", workload(), { replicas: 3 }],
    ["apps", "replicasets", workload(), { replicas: 3 }],
    [
      "",
      "replicationcontrollers",
      { metadata: { name: "w" }, spec: { selector: { app: "a" }, template } },
      { replicas: 3 },
    ],
    [
      "networking.k8s.io",
      "networkpolicies",
      { metadata: { name: "w" }, spec: { podSelector: {} } },
      { podSelector: { matchLabels: { a: "b" } } },
    ],
  ])("of %s %s move with the spec only", async (group, resource, object, change) => {
    const kind = all.of(group, resource);
    const hasStatus = kind.registry.resource.subresources.length > 0;
    const made = await kind.create(hasStatus ? { ...object, status: { replicas: 9 } } : object);
    expect(made.metadata.generation).toBe(1);
    expect((made["status"] as { replicas?: number } | undefined)?.replicas ?? 0).toBe(0);
    const labelled = await kind.patch("w", (found) => {
      found.metadata.labels = { x: "y" };
      if (found["status"] !== undefined) found["status"] = { replicas: 5 };
    });
    expect(labelled.metadata.generation).toBe(1);
    expect(labelled["status"]).toEqual(made["status"]);
    const changed = await kind.patch("w", (found) => {
      found["spec"] = { ...(found["spec"] as object), ...change };
    });
    expect(changed.metadata.generation).toBe(2);
  });

  test("of Deployments move with annotations too", async () => {
    const deployments = all.of("apps", "deployments");
    await deployments.create(workload());
    const annotated = await deployments.patch("w", (found) => {
      found.metadata.annotations = { a: "1" };
    });
    expect(annotated.metadata.generation).toBe(2);
  });

  test.each([
    ["networking.k8s.io", "servicecidrs", { spec: { cidrs: ["10.0.0.0/24"] } }],
    ["resource.k8s.io", "resourceclaims", { spec: {} }],
    ["storage.k8s.io", "csidrivers", { spec: {} }],
  ])("%s %s begin without a generation", async (group, resource, object) => {
    const made = await all.of(group, resource).create({ metadata: { name: "w" }, ...object });
    expect(made.metadata.generation).toBeUndefined();
  });

  test("PUT makes a RuntimeClass that is not there", async () => {
    const classes = all.of("node.k8s.io", "runtimeclasses");
    const made = await classes.put({ metadata: { name: "w" }, handler: "h" });
    expect(made["handler"]).toBe("h");
  });

  test("of CSIDrivers begin with the first change", async () => {
    const drivers = all.of("storage.k8s.io", "csidrivers");
    await drivers.create({ metadata: { name: "w" }, spec: {} });
    const changed = await drivers.patch("w", (found) => {
      found["spec"] = { ...(found["spec"] as object), requiresRepublish: true };
    });
    expect(changed.metadata.generation).toBe(1);
  });

  test("of EndpointSlices move with labels too", async () => {
    const slices = all.of("discovery.k8s.io", "endpointslices");
    await slices.create({ metadata: { name: "w" }, addressType: "IPv4", endpoints: [] });
    const labelled = await slices.patch("w", (found) => {
      found.metadata.labels = { a: "1" };
    });
    expect(labelled.metadata.generation).toBe(2);
  });

  test("/status changes status and, for most kinds, labels", async () => {
    const deployments = all.of("apps", "deployments");
    await deployments.create(workload());
    const change = (found: KubeObject): void => {
      found["status"] = { replicas: 2 };
      found.metadata.labels = { l: "1" };
      (found["spec"] as { replicas: number }).replicas = 7;
    };
    const written = await deployments.patch("w", change, { subresource: "status" });
    expect(written["status"]).toMatchObject({ replicas: 2 });
    expect(written["spec"]).toMatchObject({ replicas: 1 });
    expect(written.metadata).toMatchObject({ generation: 1, labels: { l: "1" } });
    const crds = all.of("apiextensions.k8s.io", "customresourcedefinitions");
    await crds.create(definition);
    const kept = await crds.patch(
      definition.metadata.name,
      (found) => (found.metadata.labels = { l: "1" }),
      { subresource: "status" },
    );
    expect(kept.metadata.labels).toBeUndefined();
  });

  test("of nodes are kept when they register with one", async () => {
    const made = await all
      .of("", "nodes")
      .create({ metadata: { name: "n" }, status: { capacity: { cpu: "2" } } });
    expect(made["status"]).toMatchObject({ capacity: { cpu: "2" } });
  });

  test("a subresource that the kind does not have is not found", async () => {
    const configMaps = all.of("", "configmaps");
    await configMaps.create({ metadata: { name: "a" } });
    expect((await refusal(configMaps.patch("a", () => {}, { subresource: "status" }))).code).toBe(
      404,
    );
    expect((await refusal(configMaps.registry.getScale("default", "a", ""))).code).toBe(404);
  });
});

const definition = {
  metadata: { name: "crontabs.stable.example.com" },
  spec: {
    group: "stable.example.com",
    scope: "Namespaced",
    names: { plural: "crontabs", kind: "CronTab" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
};

describe("CustomResourceDefinitions", () => {
  test("remember every storage version", async () => {
    const crds = all.of("apiextensions.k8s.io", "customresourcedefinitions");
    const made = await crds.create(definition);
    expect(made["status"]).toMatchObject({ storedVersions: ["v1"] });
    const changed = await crds.patch(definition.metadata.name, (found) => {
      const { versions } = found["spec"] as typeof definition.spec;
      versions.push({ ...versions[0]!, name: "v2" });
      versions[0] = { ...versions[0]!, storage: false };
    });
    expect(changed["status"]).toMatchObject({ storedVersions: ["v1", "v2"] });
  });
});

describe("pods", () => {
  let pods: TestRegistry;
  beforeEach(() => {
    pods = all.of("", "pods");
  });

  test("start pending, with a class", async () => {
    const made = await pods.create({ ...pod(), status: { phase: "Running" } });
    expect(made["status"]).toEqual({ phase: "Pending", qosClass: "BestEffort" });
    expect(made.metadata.generation).toBe(1);
  });

  test("go at once when nothing runs: marked, then removed", async () => {
    const made = await pods.create(pod());
    const deleted = await pods.delete("p");
    expect(deleted).toMatchObject({ gone: true, returnsObject: true });
    expect(deleted.object.metadata.deletionTimestamp).toBe("2026-01-02T03:04:05Z");
    const last = parseObject(deleted.bytes).metadata.resourceVersion;
    expect(Number(last)).toBe(Number(made.metadata.resourceVersion) + 2);
  });

  test("on a node are given their grace period, which can only be shortened", async () => {
    await pods.create(pod({ nodeName: "n" }));
    const first = await pods.delete("p");
    expect(first).toMatchObject({ gone: false, returnsObject: true });
    expect(first.object.metadata).toMatchObject({
      deletionTimestamp: "2026-01-02T03:04:35Z",
      deletionGracePeriodSeconds: 30,
      generation: 2,
    });
    all.advance(5_000);
    expect((await pods.delete("p", { gracePeriodSeconds: 60 })).bytes).toEqual(first.bytes);
    const shorter = await pods.delete("p", { gracePeriodSeconds: 10 });
    expect(shorter.object.metadata).toMatchObject({
      deletionTimestamp: "2026-01-02T03:04:15Z",
      deletionGracePeriodSeconds: 10,
      generation: 2,
    });
    expect((await pods.delete("p", { gracePeriodSeconds: 0 })).gone).toBe(true);
  });

  test.each([
    [-5, 1],
    [7, 7],
  ])("asked for %d s of grace get %d", async (gracePeriodSeconds, seconds) => {
    await pods.create(pod({ nodeName: "n" }));
    const { object } = await pods.delete("p", { gracePeriodSeconds });
    expect(object.metadata.deletionGracePeriodSeconds).toBe(seconds);
  });

  test("with finalizers outlive grace 0 until these are gone", async () => {
    await pods.create({
      ...pod({ nodeName: "n" }),
      metadata: { name: "p", finalizers: ["x.io/y"] },
    });
    expect((await pods.delete("p")).gone).toBe(false);
    const { gone, object } = await pods.delete("p", { gracePeriodSeconds: 0 });
    expect([gone, object.metadata.deletionGracePeriodSeconds]).toEqual([false, 0]);
    await pods.patch("p", (found) => delete found.metadata.finalizers);
    expect((await refusal(pods.get("p"))).code).toBe(404);
  });

  test("keep owners and class on /status, and see one address in two fields", async () => {
    await pods.create(pod());
    const written = await pods.patch(
      "p",
      (found) => {
        found.metadata.ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "u" }];
        found["status"] = { phase: "Running", podIP: "10.0.0.1" };
      },
      { subresource: "status" },
    );
    expect(written.metadata.ownerReferences).toBeUndefined();
    expect(written["status"]).toEqual({
      phase: "Running",
      podIP: "10.0.0.1",
      podIPs: [{ ip: "10.0.0.1" }],
      qosClass: "BestEffort",
    });
  });

  test("show that they wait for gates", async () => {
    const made = await pods.create(pod({ schedulingGates: [{ name: "g" }] }));
    expect(made["status"]).toMatchObject({
      conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
    });
  });

  test("are found by node, also unscheduled ones", async () => {
    await pods.create(pod({ nodeName: "n" }));
    await pods.create({ ...pod(), metadata: { name: "q" } });
    expect(await pods.names({ fieldSelector: "spec.nodeName=n" }, "")).toEqual(["default/p"]);
    expect(await pods.names({ fieldSelector: "spec.host=n" }, "")).toEqual(["default/p"]);
    expect(await pods.names({ fieldSelector: "spec.nodeName=,status.phase=Pending" }, "")).toEqual([
      "default/q",
    ]);
    expect((await refusal(pods.names({ fieldSelector: "spec.image=i" }))).message).toBe(
      "field label not supported: spec.image",
    );
  });

  test("take nothing but ephemeral containers through that subresource", async () => {
    await pods.create(pod());
    const written = await pods.patch(
      "p",
      (found) => {
        found.metadata.labels = { other: "1" };
        found["spec"] = {
          containers: [{ ...container, image: "other" }],
          ephemeralContainers: [{ name: "debug", image: "d" }],
        };
      },
      { subresource: "ephemeralcontainers" },
    );
    expect(written.metadata.labels).toEqual({ app: "a" });
    expect(written.metadata.generation).toBe(2);
    expect(written["spec"]).toMatchObject({
      containers: [{ image: "i" }],
      ephemeralContainers: [{ name: "debug" }],
    });
  });

  test("take nothing but resources through resize", async () => {
    await pods.create(
      pod({ containers: [{ ...container, resources: { requests: { cpu: "1" } } }] }),
    );
    const written = await pods.patch(
      "p",
      (found) => {
        const spec = found["spec"] as { containers: { image: string; resources: object }[] };
        spec.containers[0]!.image = "other";
        spec.containers[0]!.resources = { requests: { cpu: "2" } };
      },
      { subresource: "resize" },
    );
    expect(written["spec"]).toMatchObject({
      containers: [{ image: "i", resources: { requests: { cpu: "2" } } }],
    });
  });
});

describe("binding a pod", () => {
  const bind = (target: object, metadata: object = {}): Promise<Status> => {
    const pods = all.of("", "pods");
    const object = { metadata: { name: "p", ...metadata }, target };
    return pods.registry.createSubresource(object, {
      ...pods.call(),
      name: "p",
      subresource: "binding",
    });
  };

  test("sets the node, once, and leaves the generation", async () => {
    const pods = all.of("", "pods");
    await pods.create(pod());
    const node = { kind: "Node", name: "n" };
    expect(await bind(node, { annotations: { a: "1" } })).toMatchObject({ status: "Success" });
    const bound = await pods.get("p");
    expect(bound["spec"]).toMatchObject({ nodeName: "n" });
    expect(bound.metadata).toMatchObject({ generation: 1, annotations: { a: "1" } });
    expect(bound["status"]).toMatchObject({
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-02T03:04:05Z" },
      ],
    });
    expect(await refusal(bind(node))).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    });
  });

  test("refuses what cannot be scheduled", async () => {
    const pods = all.of("", "pods");
    expect((await refusal(bind({ kind: "Node", name: "n" }))).code).toBe(404);
    await pods.create(pod({ schedulingGates: [{ name: "g" }] }));
    expect((await refusal(bind({ kind: "Node", name: "n" }))).message).toBe(
      'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
    );
    expect((await refusal(bind({ kind: "Moon", name: "n" }))).code).toBe(422);
    expect((await refusal(bind({ kind: "Node", name: "n" }, { uid: "other" }))).code).toBe(409);
  });
});

describe("evicting a pod", () => {
  const evict = (deleteOptions: object = {}, name = "p"): Promise<Status> => {
    const pods = all.of("", "pods");
    const object = { metadata: { name }, deleteOptions };
    return pods.registry.createSubresource(object, {
      ...pods.call(),
      name: "p",
      subresource: "eviction",
    });
  };
  const running = async (ready: "True" | "False" = "True"): Promise<void> => {
    const pods = all.of("", "pods");
    await pods.create(pod({ nodeName: "n" }));
    const status = { phase: "Running", conditions: [{ type: "Ready", status: ready }] };
    await pods.patch("p", (found) => (found["status"] = status), { subresource: "status" });
  };
  const budget = async (status: object, spec: object = {}, name = "b"): Promise<void> => {
    const budgets = all.of("policy", "poddisruptionbudgets");
    await budgets.create({
      metadata: { name },
      spec: { minAvailable: 2, selector: { matchLabels: { app: "a" } }, ...spec },
    });
    await budgets.patch(name, (found) => (found["status"] = { observedGeneration: 1, ...status }), {
      subresource: "status",
    });
  };

  test("without a budget deletes it, with a condition that says why", async () => {
    await running();
    expect(await evict()).toMatchObject({ status: "Success" });
    const evicted = await all.of("", "pods").get("p");
    expect(evicted.metadata.deletionTimestamp).toBe("2026-01-02T03:04:35Z");
    const { conditions } = evicted["status"] as { conditions: object[] };
    expect(conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "EvictionByEvictionAPI",
      }),
    );
  });

  test("charges its budget until that is empty", async () => {
    await running();
    await budget({ disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 });
    await evict();
    const charged = await all.of("policy", "poddisruptionbudgets").get("b");
    expect(charged["status"]).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: "2026-01-02T03:04:05Z" },
      conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
    });
  });

  test.each([
    [
      "an empty budget",
      { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 },
      "The disruption budget b needs 2 healthy pods and has 2 currently",
      undefined,
    ],
    [
      "an unobserved budget",
      {
        observedGeneration: 0,
        disruptionsAllowed: 1,
        currentHealthy: 2,
        desiredHealthy: 1,
        expectedPods: 2,
      },
      "The disruption budget b is still being processed by the server.",
      10,
    ],
  ])("is refused by %s", async (_, status, message, retryAfterSeconds) => {
    await running();
    await budget(status);
    const refused = await refusal(evict());
    expect(refused).toMatchObject({
      code: 429,
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: "DisruptionBudget", message }] },
    });
    expect(refused.details?.retryAfterSeconds).toBe(retryAfterSeconds);
    expect((await all.of("", "pods").get("p")).metadata.deletionTimestamp).toBeUndefined();
  });

  test("is refused when two budgets want it", async () => {
    await running();
    await budget({ disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 });
    await budget(
      { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 },
      {},
      "c",
    );
    expect(await refusal(evict())).toMatchObject({
      code: 500,
      message:
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    });
  });

  test("that is not healthy depends on the policy", async () => {
    await running("False");
    await budget({ disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 3 });
    expect((await refusal(evict())).code).toBe(429);
    await all.of("policy", "poddisruptionbudgets").patch("b", (found) => {
      found["spec"] = { ...(found["spec"] as object), unhealthyPodEvictionPolicy: "AlwaysAllow" };
    });
    expect(await evict()).toMatchObject({ status: "Success" });
  });

  test("checks the name and preconditions", async () => {
    await running();
    expect(await refusal(evict({}, "q"))).toMatchObject({
      code: 400,
      message: "name in URL does not match name in Eviction object",
    });
    expect((await refusal(evict({ preconditions: { uid: "x" } }))).code).toBe(409);
    expect(await evict({ dryRun: ["All"] })).toMatchObject({ status: "Success" });
    expect((await all.of("", "pods").get("p")).metadata.deletionTimestamp).toBeUndefined();
  });
});

describe("scaling", () => {
  const scale = { group: "autoscaling", version: "v1", kind: "Scale" };
  const put = (object: KubeObject, mayCreate = true): Promise<unknown> => {
    const { registry, call } = ((kind) => ({ registry: kind.registry, call: kind.call() }))(
      all.of("apps", "deployments"),
    );
    return registry
      .update({
        ...call,
        name: "w",
        subresource: "scale",
        kind: scale,
        mayCreate,
        authorizeCreate: () => Promise.resolve(),
        change: () => structuredClone(object),
      })
      .then(({ bytes }) => parseObject(bytes));
  };

  test("reads and writes the parent's replicas", async () => {
    const deployments = all.of("apps", "deployments");
    const made = await deployments.create(workload({ replicas: 2 }));
    const read = parseObject(
      (await deployments.registry.getScale("default", "w", "")).object.bytes,
    );
    expect(read).toEqual({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: {
        name: "w",
        namespace: "default",
        uid: made.metadata.uid,
        resourceVersion: made.metadata.resourceVersion,
        creationTimestamp: made.metadata.creationTimestamp,
      },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: "app=a" },
    });
    expect(await put({ ...read, spec: { replicas: 5 } })).toMatchObject({ spec: { replicas: 5 } });
    const scaled = await deployments.get("w");
    expect(scaled).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 5 } });
    expect(await refusal(put({ ...read, spec: { replicas: 6 } }))).toMatchObject({
      code: 409,
      details: { kind: "deployments", group: "apps" },
    });
    expect(await refusal(put({ metadata: { name: "w" }, spec: { replicas: -1 } }))).toMatchObject({
      code: 422,
      message:
        'Scale.autoscaling "w" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    });
  });

  test("shows a ReplicationController's bare selector", async () => {
    const controllers = all.of("", "replicationcontrollers");
    await controllers.create({
      metadata: { name: "w" },
      spec: {
        selector: { app: "a", b: "c" },
        template: { ...template, metadata: { labels: { app: "a", b: "c" } } },
      },
    });
    const read = parseObject(
      (await controllers.registry.getScale("default", "w", "")).object.bytes,
    );
    expect(read["status"]).toEqual({ replicas: 0, selector: "app=a,b=c" });
  });
});

describe("namespaces", () => {
  test("stay until they are finalized", async () => {
    const namespaces = all.of("", "namespaces");
    const made = await namespaces.create({ metadata: { name: "n" } });
    expect(made).toMatchObject({
      metadata: { labels: { "kubernetes.io/metadata.name": "n" } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
    const changed = await namespaces.patch("n", (found) => (found["spec"] = { finalizers: [] }));
    expect(changed["spec"]).toEqual({ finalizers: ["kubernetes"] });
    const deleted = await namespaces.delete("n");
    expect(deleted).toMatchObject({ gone: false, returnsObject: true });
    expect(deleted.object).toMatchObject({ status: { phase: "Terminating" } });
    expect(deleted.object.metadata.deletionGracePeriodSeconds).toBeUndefined();
    await namespaces.patch("n", (found) => (found["spec"] = {}), { subresource: "finalize" });
    expect((await refusal(namespaces.get("n"))).code).toBe(404);
  });
});

describe("jobs", () => {
  const job = {
    metadata: { generateName: "j-" },
    spec: { template: { spec: { containers: [container], restartPolicy: "Never" } } },
  };

  test("select pods by their uid", async () => {
    const made = await all.of("batch", "jobs").create(job);
    const { uid, name } = made.metadata;
    expect(made["spec"]).toMatchObject({
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
      template: { metadata: { labels: { "job-name": name, "controller-uid": uid } } },
    });
  });

  test("leave their pods behind unless told otherwise", async () => {
    const jobs = all.of("batch", "jobs");
    const { name } = (await jobs.create(job)).metadata;
    const warnings: string[] = [];
    const deleted = await jobs.delete(name!, {}, { warnings });
    expect(deleted.object.metadata.finalizers).toEqual(["orphan"]);
    expect(warnings).toEqual([expect.stringMatching(/^child pods are preserved by default/)]);
    warnings.length = 0;
    expect((await jobs.delete(name!, { propagationPolicy: "Background" }, { warnings })).gone).toBe(
      true,
    );
    expect(warnings).toEqual([]);
  });
});

describe("kinds served in two versions", () => {
  test("events are one set of objects under two groups", async () => {
    const old = all.of("", "events");
    const fresh = all.of("events.k8s.io", "events");
    const made = await fresh.create({
      metadata: { name: "e" },
      eventTime: "2026-01-02T03:04:05.000000Z",
      reportingController: "c",
      reportingInstance: "i",
      action: "a",
      reason: "r",
      type: "Normal",
      regarding: { kind: "Pod", name: "p", namespace: "default" },
    });
    expect(made.apiVersion).toBe("events.k8s.io/v1");
    const seen = await old.get("e");
    expect(seen).toMatchObject({
      apiVersion: "v1",
      metadata: { resourceVersion: made.metadata.resourceVersion, uid: made.metadata.uid },
      involvedObject: { name: "p" },
      reportingComponent: "c",
    });
    expect(await old.names({ fieldSelector: "involvedObject.name=p" })).toEqual(["default/e"]);
    expect(await fresh.names({ fieldSelector: "regarding.name=p,reportingController=c" })).toEqual([
      "default/e",
    ]);
    expect((await refusal(fresh.names({ fieldSelector: "involvedObject.name=p" }))).message).toBe(
      "field label not supported: involvedObject.name",
    );
    const noted = await fresh.patch("e", (found) => (found["note"] = "n"));
    expect(noted["note"]).toBe("n");
    expect((await old.get("e"))["message"]).toBe("n");
    const watcher = await fresh.registry.watch(
      "default",
      noListOptions,
      host.clock.monotonic() + 60_000,
    );
    const items = await watcher.next();
    watcher.close();
    const first = "end" in items ? undefined : items[0];
    const bytes = first?.type === "ADDED" ? first.object.bytes : new Uint8Array();
    expect(parseObject(bytes)).toEqual(noted);
    expect((await fresh.delete("e")).gone).toBe(true);
  });

  test("events go away after an hour and a minute", async () => {
    const leases: number[] = [];
    const counted = await TestRegistries.open(host, {}, (store) => ({
      ...bound(store),
      grantLease: (seconds) => {
        leases.push(seconds);
        return store.grantLease(seconds);
      },
    }));
    const events = counted.of("", "events");
    for (const name of ["a", "b"]) {
      await events.create({ metadata: { name }, involvedObject: { namespace: "default" } });
    }
    expect(leases).toEqual([3660]);
    await counted.close();
  });

  test("autoscalers are read in both versions", async () => {
    const v1 = all.of("autoscaling", "horizontalpodautoscalers", "v1");
    const v2 = all.of("autoscaling", "horizontalpodautoscalers", "v2");
    const spec = {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "w" },
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 50,
    };
    const made = await v1.create({ metadata: { name: "h" }, spec });
    expect(made).toMatchObject({
      apiVersion: "autoscaling/v1",
      spec: { minReplicas: 1, targetCPUUtilizationPercentage: 50 },
    });
    expect(await v2.get("h")).toMatchObject({
      apiVersion: "autoscaling/v2",
      spec: {
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { averageUtilization: 50 } } },
        ],
      },
    });
    expect(await all.stored("/registry/horizontalpodautoscalers/default/h")).toBeDefined();
  });
});

/** A class instance's methods as a plain object. */
function bound(store: TestRegistries["store"]): TestRegistries["store"] {
  return {
    currentRevision: () => store.currentRevision(),
    range: (options) => store.range(options),
    transact: (transaction) => store.transact(transaction),
    watch: (options, sink) => store.watch(options, sink),
    compact: (revision) => store.compact(revision),
    grantLease: (seconds) => store.grantLease(seconds),
    revokeLease: (lease) => store.revokeLease(lease),
    status: () => store.status(),
    close: () => store.close(),
  };
}

describe("limit ranges", () => {
  test("one without a name is called by its uid", async () => {
    const { metadata } = await all.of("", "limitranges").create({ metadata: {}, spec: {} });
    expect(metadata.name).toBe(metadata.uid);
  });
});

describe("single kinds", () => {
  const pem = (label: string): string =>
    Buffer.from(`-----BEGIN ${label}-----\nZm9v\n-----END ${label}-----\n`).toString("base64");

  test("a CertificateSigningRequest names who asked, and keeps approval apart", async () => {
    const requests = all.of("certificates.k8s.io", "certificatesigningrequests");
    const made = await requests.create({
      metadata: { name: "r" },
      spec: {
        request: pem("CERTIFICATE REQUEST"),
        signerName: "example.com/s",
        usages: ["client auth"],
        username: "root",
      },
      status: { certificate: pem("CERTIFICATE") },
    });
    expect(made["spec"]).toMatchObject({ username: "ann", uid: "u1", groups: ["g"] });
    expect(made["status"]).toEqual({});
    const approved = [{ type: "Approved", status: "True", reason: "x" }];
    const byStatus = await requests.patch(
      "r",
      (found) => (found["status"] = { conditions: approved, certificate: pem("CERTIFICATE") }),
      { subresource: "status" },
    );
    expect(byStatus["status"]).toEqual({ certificate: pem("CERTIFICATE") });
    const byApproval = await requests.patch(
      "r",
      (found) => (found["status"] = { conditions: approved }),
      { subresource: "approval" },
    );
    expect(byApproval["status"]).toMatchObject({
      certificate: pem("CERTIFICATE"),
      conditions: [
        {
          type: "Approved",
          lastUpdateTime: "2026-01-02T03:04:05Z",
          lastTransitionTime: "2026-01-02T03:04:05Z",
        },
      ],
    });
    expect(await requests.names({ fieldSelector: "spec.signerName=example.com/s" })).toEqual(["r"]);
  });

  test("a DaemonSet counts its templates", async () => {
    const sets = all.of("apps", "daemonsets");
    const count = "deprecated.daemonset.template.generation";
    expect((await sets.create(workload())).metadata.annotations).toEqual({ [count]: "1" });
    const changed = await sets.patch("w", (found) => {
      (found["spec"] as { template: { spec: { nodeName: string } } }).template.spec.nodeName = "n";
    });
    expect(changed.metadata).toMatchObject({ generation: 2, annotations: { [count]: "2" } });
  });

  test("a local APIService is available from the start", async () => {
    const services = all.of("apiregistration.k8s.io", "apiservices");
    const made = await services.create({
      metadata: { name: "v1.x.io" },
      spec: { group: "x.io", version: "v1", groupPriorityMinimum: 1000, versionPriority: 100 },
    });
    expect(made["status"]).toMatchObject({
      conditions: [{ type: "Available", status: "True", reason: "Local" }],
    });
  });

  test("a Secret folds stringData", async () => {
    const made = await all
      .of("", "secrets")
      .create({ metadata: { name: "s" }, stringData: { k: "v" } });
    expect(made["data"]).toEqual({ k: "dg==" });
    expect(made["stringData"]).toBeUndefined();
  });

  test("a PersistentVolume notes when its phase changed", async () => {
    const volumes = all.of("", "persistentvolumes");
    const made = await volumes.create({
      metadata: { name: "v" },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/x" },
      },
    });
    expect(made["status"]).toEqual({
      phase: "Pending",
      lastPhaseTransitionTime: "2026-01-02T03:04:05Z",
    });
    all.advance(60_000);
    const bound = await volumes.patch(
      "v",
      (found) => (found["status"] = { ...(found["status"] as object), phase: "Bound" }),
      { subresource: "status" },
    );
    expect(bound["status"]).toEqual({
      phase: "Bound",
      lastPhaseTransitionTime: "2026-01-02T03:05:05Z",
    });
  });
});
