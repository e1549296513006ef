import { describe, expect, test } from "vitest";
import type { UserInfo } from "../api/user-info.ts";
import type { AuthorizationAttributes } from "./authorization.ts";
import { createRbacAuthorizer } from "./authorization/rbac-authorizer.ts";
import { bootstrapPolicy } from "./bootstrap-policy.ts";
import { HeldObjects } from "./held-objects.testbed.ts";

const plural: Record<string, string> = {
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  Role: "roles",
  RoleBinding: "rolebindings",
};

const held = new HeldObjects();
for (const object of bootstrapPolicy()) {
  held.put(`${plural[object.kind ?? ""]}.rbac.authorization.k8s.io`, object);
}
const authorizer = createRbacAuthorizer(held);

const who = (name: string, ...groups: string[]): UserInfo => ({ name, uid: "", groups, extra: {} });
const anyone = who("ann", "system:authenticated");
const nobody = who("system:anonymous", "system:unauthenticated");
const scheduler = who("system:kube-scheduler", "system:authenticated");

function ask(user: UserInfo, verb: string, what: string, namespace = ""): AuthorizationAttributes {
  if (what.startsWith("/")) return { user, verb, request: { kind: "NonResource", path: what } };
  const [path = "", group = ""] = what.split("@");
  const [resource = "", subresource = ""] = path.split("/");
  return {
    user,
    verb,
    request: { kind: "Resource", group, version: "v1", resource, subresource, namespace, name: "" },
  };
}

describe("bootstrapPolicy", () => {
  test("counts and marks", () => {
    const objects = bootstrapPolicy();
    const count = (kind: string) => objects.filter((object) => object.kind === kind).length;
    expect([
      count("ClusterRole"),
      count("ClusterRoleBinding"),
      count("Role"),
      count("RoleBinding"),
      // One more ClusterRole than upstream: metrics-server brings its own.
    ]).toEqual([70, 50, 7, 7]);
    for (const object of objects) {
      expect(object.metadata.labels).toMatchObject({
        "kubernetes.io/bootstrapping": "rbac-defaults",
      });
      expect(object.metadata.annotations).toEqual({
        "rbac.authorization.kubernetes.io/autoupdate": "true",
      });
    }
    const keys = objects.map(
      ({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("every binding's role exists", () => {
    const names = new Set(
      bootstrapPolicy()
        .filter((object) => object.kind?.endsWith("Role"))
        .map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""} ${metadata.name}`),
    );
    for (const object of bootstrapPolicy()) {
      if (!object.kind?.endsWith("Binding")) continue;
      const ref = object["roleRef"] as { kind: string; name: string };
      expect(names).toContain(`${ref.kind} ${object.metadata.namespace ?? ""} ${ref.name}`);
    }
  });

  test("admin, edit and view hold the rules they aggregate", () => {
    const rules = (name: string) =>
      held.find("clusterroles.rbac.authorization.k8s.io", "", name)?.["rules"] as unknown[];
    const view = rules("system:aggregate-to-view");
    const edit = rules("system:aggregate-to-edit");
    const metrics = rules("system:aggregated-metrics-reader");
    expect(rules("view")).toEqual([...view, ...metrics]);
    expect(rules("edit")).toEqual([...edit, ...metrics, ...view]);
    // By name: edit comes before system:aggregate-to-admin.
    const admin = rules("system:aggregate-to-admin");
    expect(rules("admin")).toEqual([...edit, ...metrics, ...view, ...admin]);
  });

  // As kube-apiserver 1.36 makes them: rules and words in this order.
  test.each([
    [
      "system:monitoring",
      0,
      {
        verbs: ["get"],
        nonResourceURLs:
          "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz".split(
            " ",
          ),
      },
    ],
    ["system:monitoring", 1, { verbs: ["get"], apiGroups: [""], resources: ["nodes/metrics"] }],
    [
      "system:aggregate-to-view",
      3,
      { verbs: ["get", "list", "watch"], apiGroups: ["", "events.k8s.io"], resources: ["events"] },
    ],
    [
      "system:kube-scheduler",
      25,
      {
        verbs: ["create", "delete"],
        apiGroups: ["resource.k8s.io"],
        resources: ["resourceclaims"],
      },
    ],
    [
      "system:node",
      6,
      {
        verbs: ["create", "patch", "update"],
        apiGroups: ["", "events.k8s.io"],
        resources: ["events"],
      },
    ],
  ])("%s, rule %d", (name, at, rule) => {
    const role = held.find("clusterroles.rbac.authorization.k8s.io", "", name);
    expect(role).toHaveProperty(["rules", at], rule);
  });

  test.each<[string, AuthorizationAttributes, boolean]>([
    ["anyone discovers", ask(anyone, "get", "/apis/apps/v1"), true],
    [
      "anyone asks what they may",
      ask(anyone, "create", "selfsubjectaccessreviews@authorization.k8s.io"),
      true,
    ],
    ["nobody sees the version", ask(nobody, "get", "/version"), true],
    ["nobody probes", ask(nobody, "get", "/livez"), true],
    ["nobody does not discover", ask(nobody, "get", "/api"), false],
    ["nobody reads no metrics", ask(nobody, "get", "/metrics"), false],
    ["anyone lists no pods", ask(anyone, "list", "pods", "default"), false],
    ["the scheduler binds", ask(scheduler, "create", "pods/binding", "default"), true],
    [
      "the scheduler locks",
      ask(scheduler, "create", "leases@coordination.k8s.io", "kube-system"),
      true,
    ],
    ["the scheduler makes no pods", ask(scheduler, "create", "pods", "default"), false],
    [
      "the garbage collector deletes anything",
      ask(who("system:serviceaccount:kube-system:generic-garbage-collector"), "delete", "x@y.io"),
      true,
    ],
    [
      "nodes get nothing from RBAC",
      ask(who("system:node:n", "system:nodes"), "get", "secrets", "x"),
      false,
    ],
  ])("%s", (_, attributes, allowed) => {
    expect(authorizer.decide(attributes).allowed).toBe(allowed);
  });
});
