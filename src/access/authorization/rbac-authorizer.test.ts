import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../api/object.ts";
import type { PolicyRule, RoleRef, Subject } from "../../api/types/rbac-v1.ts";
import type { UserInfo } from "../../api/user-info.ts";
import type { AuthorizationAttributes } from "../authorization.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { createRbacAuthorizer } from "./rbac-authorizer.ts";

const user = (name: string, ...groups: string[]): UserInfo => ({
  name,
  uid: "",
  groups,
  extra: {},
});
const rbacGroup = "rbac.authorization.k8s.io";

const role = (namespace: string, name: string, rules: PolicyRule[]): KubeObject => ({
  metadata: namespace === "" ? { name } : { name, namespace },
  rules,
});

const binding = (
  namespace: string,
  name: string,
  roleRef: Omit<RoleRef, "apiGroup">,
  ...subjects: Subject[]
): KubeObject => ({
  metadata: namespace === "" ? { name } : { name, namespace },
  roleRef: { apiGroup: rbacGroup, ...roleRef },
  subjects,
});

const onResource = (
  who: UserInfo,
  verb: string,
  resource: string,
  extra: { group?: string; subresource?: string; namespace?: string; name?: string } = {},
): AuthorizationAttributes => ({
  user: who,
  verb,
  request: {
    kind: "Resource",
    group: "",
    version: "v1",
    resource,
    subresource: "",
    namespace: "",
    name: "",
    ...extra,
  },
});

const onPath = (who: UserInfo, verb: string, path: string): AuthorizationAttributes => ({
  user: who,
  verb,
  request: { kind: "NonResource", path },
});

const readPods: PolicyRule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };

describe("createRbacAuthorizer", () => {
  const held = new HeldObjects()
    .put(
      `clusterroles.${rbacGroup}`,
      role("", "reader", [readPods, { verbs: ["get"], nonResourceURLs: ["/metrics", "/logs/*"] }]),
      role("", "scaler", [{ verbs: ["*"], apiGroups: ["*"], resources: ["*/scale"] }]),
      role("", "one-secret", [
        { verbs: ["*"], apiGroups: [""], resources: ["secrets"], resourceNames: ["s"] },
      ]),
    )
    .put(`roles.${rbacGroup}`, role("ns", "local", [readPods]))
    .put(
      `clusterrolebindings.${rbacGroup}`,
      binding("", "ops", { kind: "ClusterRole", name: "reader" }, { kind: "Group", name: "ops" }),
      binding("", "broken", { kind: "ClusterRole", name: "x" }, { kind: "User", name: "eve" }),
      binding(
        "",
        "nowhere",
        { kind: "ClusterRole", name: "reader" },
        { kind: "ServiceAccount", name: "sa" },
      ),
    )
    .put(
      `rolebindings.${rbacGroup}`,
      binding("ns", "b", { kind: "ClusterRole", name: "reader" }, { kind: "User", name: "u" }),
      binding("ns", "c", { kind: "Role", name: "local" }, { kind: "ServiceAccount", name: "sa" }),
      binding("ns", "d", { kind: "ClusterRole", name: "scaler" }, { kind: "User", name: "s" }),
      binding("ns", "e", { kind: "ClusterRole", name: "one-secret" }, { kind: "User", name: "s" }),
      binding("ns", "f", { kind: "Role", name: "gone" }, { kind: "User", name: "eve" }),
    );
  const authorizer = createRbacAuthorizer(held);
  const account = user("system:serviceaccount:ns:sa");

  test.each<[string, AuthorizationAttributes, boolean, string]>([
    ["masters pass", onResource(user("x", "system:masters"), "delete", "nodes"), true, ""],
    [
      "a RoleBinding of a ClusterRole",
      onResource(user("u"), "get", "pods", { namespace: "ns", name: "p" }),
      true,
      'RBAC: allowed by RoleBinding "b/ns" of ClusterRole "reader" to User "u"',
    ],
    [
      "a ClusterRoleBinding to a group",
      onResource(user("z", "a", "ops"), "list", "pods"),
      true,
      'RBAC: allowed by ClusterRoleBinding "ops" of ClusterRole "reader" to Group "ops"',
    ],
    [
      "a Role to a ServiceAccount of the binding's namespace",
      onResource(account, "list", "pods", { namespace: "ns" }),
      true,
      'RBAC: allowed by RoleBinding "c/ns" of Role "local" to ServiceAccount "sa/ns"',
    ],
    ["another namespace", onResource(user("u"), "get", "pods", { namespace: "other" }), false, ""],
    ["all namespaces", onResource(user("u"), "list", "pods"), false, ""],
    ["another verb", onResource(user("u"), "watch", "pods", { namespace: "ns" }), false, ""],
    [
      "another group",
      onResource(user("u"), "get", "pods", { namespace: "ns", group: "apps" }),
      false,
      "",
    ],
    [
      "a subresource is another resource",
      onResource(user("u"), "get", "pods", { namespace: "ns", subresource: "log" }),
      false,
      "",
    ],
    [
      "*/scale",
      onResource(user("s"), "update", "deployments", {
        namespace: "ns",
        group: "apps",
        subresource: "scale",
      }),
      true,
      'RBAC: allowed by RoleBinding "d/ns" of ClusterRole "scaler" to User "s"',
    ],
    [
      "a resource name",
      onResource(user("s"), "get", "secrets", { namespace: "ns", name: "s" }),
      true,
      'RBAC: allowed by RoleBinding "e/ns" of ClusterRole "one-secret" to User "s"',
    ],
    [
      "a named rule never allows list",
      onResource(user("s"), "list", "secrets", { namespace: "ns" }),
      false,
      "",
    ],
    [
      "a path prefix",
      onPath(user("z", "ops"), "get", "/logs/a/b"),
      true,
      'RBAC: allowed by ClusterRoleBinding "ops" of ClusterRole "reader" to Group "ops"',
    ],
    ["a path that is no prefix", onPath(user("z", "ops"), "get", "/metrics/x"), false, ""],
    ["paths only through ClusterRoleBindings", onPath(user("u"), "get", "/metrics"), false, ""],
    [
      "one missing role",
      onResource(user("eve"), "get", "pods"),
      false,
      'RBAC: clusterrole.rbac.authorization.k8s.io "x" not found',
    ],
    [
      "two missing roles",
      onResource(user("eve"), "get", "pods", { namespace: "ns" }),
      false,
      'RBAC: [clusterrole.rbac.authorization.k8s.io "x" not found, role.rbac.authorization.k8s.io "gone" not found]',
    ],
  ])("%s", async (_, attributes, allowed, reason) => {
    expect(await authorizer.authorize(attributes)).toEqual({ allowed, reason });
  });

  test("sees changes of the policy", () => {
    const changing = new HeldObjects();
    const under = createRbacAuthorizer(changing);
    const who = user("u");
    const ask = () => under.decide(onResource(who, "get", "pods")).allowed;
    expect(ask()).toBe(false);
    changing.put(
      `clusterrolebindings.${rbacGroup}`,
      binding("", "b", { kind: "ClusterRole", name: "r" }, { kind: "User", name: "u" }),
    );
    expect(ask()).toBe(false);
    changing.put(`clusterroles.${rbacGroup}`, role("", "r", [readPods]));
    expect(ask()).toBe(true);
    changing.remove(`clusterrolebindings.${rbacGroup}`, "", "b");
    expect(ask()).toBe(false);
  });

  test("lists a user's rules, cluster first, and the roles that are missing", () => {
    expect(authorizer.rulesFor(user("s"), "ns").rules).toHaveLength(2);
    expect(authorizer.rulesFor(user("eve"), "ns")).toEqual({
      rules: [],
      errors: [
        'clusterrole.rbac.authorization.k8s.io "x" not found',
        'role.rbac.authorization.k8s.io "gone" not found',
      ],
    });
  });
});

// The evaluator that anyone would write: walk all bindings in order, all subjects, all rules.
function naive(held: HeldObjects, attributes: AuthorizationAttributes): string {
  const { user: who, verb, request } = attributes;
  const namespace = request.kind === "Resource" ? request.namespace : "";
  const all = [
    ...held.list(`clusterrolebindings.${rbacGroup}`, ""),
    ...held
      .list(`rolebindings.${rbacGroup}`, "")
      .filter((object) => namespace !== "" && object.metadata.namespace === namespace),
  ];
  const has = (list: readonly string[] | undefined, word: string): boolean =>
    (list ?? []).some((item) => item === "*" || item === word);
  for (const object of all) {
    const at = object.metadata.namespace ?? "";
    const hit = ((object["subjects"] ?? []) as Subject[]).some((subject) =>
      subject.kind === "User"
        ? subject.name === who.name
        : subject.kind === "Group"
          ? who.groups.includes(subject.name)
          : who.name === `system:serviceaccount:${subject.namespace ?? at}:${subject.name}`,
    );
    if (!hit) continue;
    const ref = object["roleRef"] as RoleRef;
    const found =
      ref.kind === "Role"
        ? held.find(`roles.${rbacGroup}`, at, ref.name)
        : held.find(`clusterroles.${rbacGroup}`, "", ref.name);
    for (const rule of (found?.["rules"] ?? []) as PolicyRule[]) {
      if (!has(rule.verbs, verb)) continue;
      if (request.kind === "NonResource") {
        const match = (rule.nonResourceURLs ?? []).some((url) =>
          url.endsWith("*") ? request.path.startsWith(url.slice(0, -1)) : url === request.path,
        );
        if (match) return object.metadata.name ?? "";
        continue;
      }
      const full =
        request.subresource === ""
          ? request.resource
          : `${request.resource}/${request.subresource}`;
      const star = request.subresource === "" ? full : `*/${request.subresource}`;
      const names = rule.resourceNames ?? [];
      if (!has(rule.apiGroups, request.group)) continue;
      if (!has(rule.resources, full) && !(rule.resources ?? []).includes(star)) continue;
      if (names.length > 0 && !names.includes(request.name)) continue;
      return object.metadata.name ?? "";
    }
  }
  return "";
}

test("agrees with a naive evaluator", () => {
  const some = (...words: string[]) =>
    fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 });
  const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
    fc.record({
      verbs: some("get", "list", "*"),
      apiGroups: some("", "apps", "*"),
      resources: some("pods", "pods/log", "*/log", "*", "nodes"),
      resourceNames: fc.oneof(fc.constant<string[]>([]), some("a", "b")),
    }),
    fc.record({ verbs: some("get", "*"), nonResourceURLs: some("/a", "/a/*", "*") }),
  );
  const subject: fc.Arbitrary<Subject> = fc.oneof(
    fc.record({ kind: fc.constant("User"), name: fc.constantFrom("u", "v") }),
    fc.record({ kind: fc.constant("Group"), name: fc.constantFrom("g", "h") }),
    fc.record({
      kind: fc.constant("ServiceAccount"),
      name: fc.constant("sa"),
      namespace: fc.constantFrom("n1", "n2"),
    }),
  );
  const policy = fc.record({
    clusterRoles: fc.array(fc.array(rule, { maxLength: 2 }), { maxLength: 3 }),
    roles: fc.array(fc.array(rule, { maxLength: 2 }), { maxLength: 3 }),
    bindings: fc.array(
      fc.record({
        namespace: fc.constantFrom("", "n1", "n2"),
        kind: fc.constantFrom("ClusterRole", "Role"),
        index: fc.nat(3),
        subjects: fc.array(subject, { maxLength: 3 }),
      }),
      { maxLength: 8 },
    ),
  });
  const attributes: fc.Arbitrary<AuthorizationAttributes> = fc.record({
    user: fc.record({
      name: fc.constantFrom("u", "v", "system:serviceaccount:n1:sa"),
      uid: fc.constant(""),
      groups: fc.subarray(["g", "h"]),
      extra: fc.constant({}),
    }),
    verb: fc.constantFrom("get", "list"),
    request: fc.oneof(
      fc.record({
        kind: fc.constant("Resource" as const),
        group: fc.constantFrom("", "apps"),
        version: fc.constant("v1"),
        resource: fc.constantFrom("pods", "nodes"),
        subresource: fc.constantFrom("", "log"),
        namespace: fc.constantFrom("", "n1", "n2"),
        name: fc.constantFrom("", "a"),
      }),
      fc.record({
        kind: fc.constant("NonResource" as const),
        path: fc.constantFrom("/a", "/a/b", "/c"),
      }),
    ),
  });
  fc.assert(
    fc.property(policy, fc.array(attributes, { minLength: 1, maxLength: 5 }), (made, questions) => {
      const held = new HeldObjects();
      made.clusterRoles.forEach((rules, i) =>
        held.put(`clusterroles.${rbacGroup}`, role("", `${i}`, rules)),
      );
      made.roles.forEach((rules, i) => held.put(`roles.${rbacGroup}`, role("n1", `${i}`, rules)));
      made.bindings.forEach(({ namespace, kind, index, subjects }, i) => {
        const at = namespace === "" ? "clusterrolebindings" : "rolebindings";
        const ref = { kind: namespace === "" ? "ClusterRole" : kind, name: `${index}` };
        held.put(`${at}.${rbacGroup}`, binding(namespace, `b${i}`, ref, ...subjects));
      });
      const authorizer = createRbacAuthorizer(held);
      for (const question of questions) {
        const decision = authorizer.decide(question);
        const through = naive(held, question);
        expect(decision.allowed).toBe(through !== "");
        if (through !== "") expect(decision.reason).toMatch(new RegExp(`"${through}(/n.)?" of`));
      }
    }),
    { numRuns: 300 },
  );
});
