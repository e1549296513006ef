import { describe, expect, test } from "vitest";
import { alreadyExists } from "../api/meta/errors.ts";
import type { KubeObject } from "../api/object.ts";
import { schema } from "../api/schema/schema.ts";
import { type BootstrapOptions, bootstrapObjects, serverIdentity } from "./bootstrap-objects.ts";
import {
  applyBootstrap,
  planAggregation,
  planBootstrap,
  reconcileBootstrap,
} from "./bootstrap-reconcile.ts";
import { firstAddress } from "./bootstrap/kubernetes-service.ts";
import { createTestHost } from "../host/host.testbed.ts";
import { HeldObjects } from "./held-objects.testbed.ts";

const options: BootstrapOptions = {
  advertiseAddress: "192.0.2.7",
  advertisePort: 6443,
  serviceClusterIpRange: "10.96.0.0/16",
  caBundle: "PEM",
  flowControlMinor: 36,
  now: Date.parse("2026-01-02T03:04:05.678Z"),
  identity: { name: "apiserver-x", holder: "apiserver-x_1", hostname: "h" },
};

function filled(change: Partial<BootstrapOptions> = {}): HeldObjects {
  const held = new HeldObjects();
  for (const { resource, object } of bootstrapObjects({ ...options, ...change })) {
    held.put(resource, structuredClone(object));
  }
  return held;
}

const find = (held: HeldObjects, resource: string, name: string, namespace = ""): KubeObject => {
  const found = held.find(resource, namespace, name);
  if (found === undefined) throw new Error(`${resource} ${name} is missing`);
  return found;
};

describe("bootstrapObjects", () => {
  test("are of kinds that are served, under names that differ", () => {
    const objects = bootstrapObjects(options);
    const seen = new Set<string>();
    for (const { resource, object } of objects) {
      const [name = "", ...group] = resource.split(".");
      const known = schema.resources.find(
        (entry) => entry.resource === name && entry.group === group.join("."),
      );
      expect(known?.kind).toBe(object.kind);
      expect(object.apiVersion).toBe(
        known?.group === "" ? "v1" : `${known?.group}/${known?.version}`,
      );
      expect(object.metadata.namespace !== undefined).toBe(known?.namespaced);
      seen.add(`${resource} ${object.metadata.namespace} ${object.metadata.name}`);
    }
    expect(seen.size).toBe(objects.length);
  });

  test("hold what clients look for", () => {
    const held = filled();
    expect(find(held, "services", "kubernetes", "default")["spec"]).toMatchObject({
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 6443 }],
    });
    expect(find(held, "endpoints", "kubernetes", "default")["subsets"]).toEqual([
      { addresses: [{ ip: "192.0.2.7" }], ports: [{ name: "https", port: 6443, protocol: "TCP" }] },
    ]);
    expect(find(held, "configmaps", "kube-root-ca.crt", "kube-node-lease")["data"]).toEqual({
      "ca.crt": "PEM",
    });
    expect(find(held, "serviceaccounts", "default", "kube-system").metadata.name).toBe("default");
    expect(
      find(
        held,
        "configmaps",
        "kube-apiserver-legacy-service-account-token-tracking",
        "kube-system",
      )["data"],
    ).toEqual({ since: "2026-01-02" });
    expect(find(held, "leases.coordination.k8s.io", "apiserver-x", "kube-system")["spec"]).toEqual({
      holderIdentity: "apiserver-x_1",
      leaseDurationSeconds: 3600,
      renewTime: "2026-01-02T03:04:05.678000Z",
    });
  });

  test("flow schemas lead to levels that exist, in 1.36's order", () => {
    const held = filled();
    const schemas = held.list("flowschemas.flowcontrol.apiserver.k8s.io", "").map((object) => {
      const spec = object["spec"] as {
        matchingPrecedence: number;
        priorityLevelConfiguration: { name: string };
      };
      find(
        held,
        "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
        spec.priorityLevelConfiguration.name,
      );
      return `${object.metadata.name} ${spec.matchingPrecedence}`;
    });
    expect(schemas).toEqual([
      "exempt 1",
      "probes 2",
      "system-leader-election 100",
      "system-node-high 400",
      "system-nodes 500",
      "kube-controller-manager 800",
      "kube-scheduler 800",
      "kube-system-service-accounts 900",
      "service-accounts 9000",
      "global-default 9900",
      "catch-all 10000",
    ]);
  });

  test("every served group version but apiregistration's has its APIService", () => {
    const served = new Set(schema.resources.map(({ group, version }) => `${version}.${group}`));
    served.delete("v1.apiregistration.k8s.io");
    const names = filled()
      .list("apiservices.apiregistration.k8s.io", "")
      .map((object) => object.metadata.name);
    expect(new Set(names)).toEqual(served);
  });
});

describe("planBootstrap", () => {
  test("creates all, then nothing", () => {
    const steps = planBootstrap(bootstrapObjects(options), new HeldObjects());
    expect(steps).toHaveLength(bootstrapObjects(options).length);
    expect(new Set(steps.map((step) => step.action))).toEqual(new Set(["Create"]));
    expect(planBootstrap(bootstrapObjects(options), filled())).toEqual([]);
  });

  test("follows a new port and a new CA, and its own Lease", () => {
    const next = { ...options, advertisePort: 7000, caBundle: "NEW", now: options.now + 60_000 };
    const steps = planBootstrap(bootstrapObjects(next), filled());
    expect(
      steps.map(
        ({ action, resource, object }) => `${action} ${resource} ${object.metadata.namespace}`,
      ),
    ).toEqual([
      "Update configmaps kube-system",
      "Update configmaps kube-public",
      "Update configmaps kube-node-lease",
      "Update configmaps default",
      "Update services default",
      "Update endpoints default",
      "Update endpointslices.discovery.k8s.io default",
      "Update configmaps kube-system",
      "Update leases.coordination.k8s.io kube-system",
    ]);
  });

  test("adds what a policy lacks and leaves what was added", () => {
    const held = filled();
    const roles = "clusterroles.rbac.authorization.k8s.io";
    const bindings = "clusterrolebindings.rbac.authorization.k8s.io";
    const extra = { verbs: ["get"], apiGroups: ["x"], resources: ["y"] };
    const role = find(held, roles, "system:kube-dns");
    const wantedRules = role["rules"] as object[];
    role["rules"] = [extra];
    const more = find(held, roles, "system:heapster");
    more["rules"] = [...(more["rules"] as object[]), extra];
    const off = find(held, roles, "system:monitoring");
    off["rules"] = [];
    off.metadata.annotations = { "rbac.authorization.kubernetes.io/autoupdate": "false" };
    const discovery = find(held, bindings, "system:discovery");
    discovery["subjects"] = [{ kind: "User", name: "u" }];
    find(held, bindings, "system:monitoring")["roleRef"] = { kind: "ClusterRole", name: "other" };
    const steps = planBootstrap(bootstrapObjects(options), held);
    expect(steps.map(({ action, object }) => `${action} ${object.metadata.name}`)).toEqual([
      "Update system:kube-dns",
      "Recreate system:monitoring",
      "Update system:discovery",
    ]);
    expect(steps[0]?.object["rules"]).toEqual([extra, ...wantedRules]);
    expect(steps[2]?.object["subjects"]).toHaveLength(2);
  });

  test("keeps flow control's specs unless told not to", () => {
    const held = filled();
    const levels = "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io";
    find(held, levels, "system")["spec"] = { type: "Limited" };
    const own = find(held, levels, "workload-low");
    own["spec"] = { type: "Limited" };
    own.metadata.annotations = { "apf.kubernetes.io/autoupdate-spec": "false" };
    const steps = planBootstrap(bootstrapObjects(options), held);
    expect(steps.map((step) => step.object.metadata.name)).toEqual(["system"]);
  });
});

test("applyBootstrap makes namespaces first and minds no other server", async () => {
  const done: string[] = [];
  const say = (word: string) => (resource: string, object: KubeObject) => {
    done.push(`${word} ${resource} ${object.metadata.name}`);
    const taken = resource === "services" && word === "create";
    return taken
      ? Promise.reject(alreadyExists({ group: "", resource: "services" }, "kubernetes"))
      : Promise.resolve();
  };
  const writer = {
    create: say("create"),
    update: say("update"),
    updateStatus: say("status"),
    delete: () => Promise.resolve(),
  };
  await applyBootstrap(planBootstrap(bootstrapObjects(options), new HeldObjects()), writer);
  expect(done.slice(0, 4)).toEqual([
    "create namespaces kube-system",
    "create namespaces kube-public",
    "create namespaces kube-node-lease",
    "create namespaces default",
  ]);
  expect(done).toContain("status apiservices.apiregistration.k8s.io v1.");
  const failing = { ...writer, create: () => Promise.reject(new Error("disk full")) };
  const [first] = planBootstrap(bootstrapObjects(options), new HeldObjects());
  await expect(applyBootstrap(first === undefined ? [] : [first], failing)).rejects.toThrow(
    "disk full",
  );
});

test("a server's name is its host's hash", () => {
  const host = createTestHost();
  const { name, holder } = serverIdentity(host, "node-1");
  expect(name).toMatch(/^apiserver-[a-z2-7]{26}$/);
  expect(holder.slice(name.length)).toMatch(/^_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(serverIdentity(host, "node-1").name).toBe(name);
  expect(serverIdentity(host, "node-2").name).not.toBe(name);
});

test.each([
  ["10.96.0.0/16", "10.96.0.1"],
  ["fd00:1::/112", "fd00:1::1"],
])("firstAddress(%s)", (range, address) => {
  expect(firstAddress(range)).toBe(address);
});

test("reconcileBootstrap comes to rest", async () => {
  const held = new HeldObjects();
  const put = (resource: string, object: KubeObject) => Promise.resolve(held.put(resource, object));
  const writer = { create: put, update: put, updateStatus: put, delete: () => Promise.resolve() };
  await reconcileBootstrap(bootstrapObjects(options), held, writer);
  expect(planBootstrap(bootstrapObjects(options), held)).toEqual([]);
});

test("a new role with an aggregation label reaches every role above", () => {
  const held = filled();
  expect(planAggregation(held)).toEqual([]);
  const rule = { verbs: ["get"], apiGroups: ["example.com"], resources: ["widgets"] };
  held.put("clusterroles.rbac.authorization.k8s.io", {
    metadata: {
      name: "widgets-view",
      labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" },
    },
    rules: [rule],
  });
  const steps = planAggregation(held);
  expect(steps.map(({ action, object }) => `${action} ${object.metadata.name}`)).toEqual([
    "Update admin",
    "Update edit",
    "Update view",
  ]);
  for (const { object } of steps) expect(object["rules"]).toContainEqual(rule);
});
