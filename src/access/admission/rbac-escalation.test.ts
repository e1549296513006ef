import { describe, expect, test } from "vitest";
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { KubeObject } from "../../api/object.ts";
import type { PolicyRule } from "../../api/types/rbac-v1.ts";
import { admissionCall, refusalOf } from "../admission-call.testbed.ts";
import { createRbacAuthorizer } from "../authorization/rbac-authorizer.ts";
import { HeldObjects } from "../held-objects.testbed.ts";
import { rbacEscalation } from "./rbac-escalation.ts";

const group = "rbac.authorization.k8s.io";
const pods = (...verbs: string[]): PolicyRule => ({ verbs, apiGroups: [""], resources: ["pods"] });
const onRoles = (verb: string, resource: string, ...names: string[]): PolicyRule => ({
  verbs: [verb],
  apiGroups: [group],
  resources: [resource],
  ...(names.length === 0 ? {} : { resourceNames: names }),
});

/** User `u` holds `rules` everywhere. */
function stepFor(...rules: PolicyRule[]) {
  const held = new HeldObjects()
    .put(`clusterroles.${group}`, { metadata: { name: "held" }, rules })
    .put(`clusterroles.${group}`, { metadata: { name: "target" }, rules: [pods("get", "delete")] })
    .put(`clusterrolebindings.${group}`, {
      metadata: { name: "b" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "held" },
      subjects: [{ kind: "User", name: "u" }],
    });
  const authorizer = createRbacAuthorizer(held);
  return rbacEscalation(authorizer, authorizer);
}

const role = (...rules: PolicyRule[]): KubeObject => ({
  metadata: { name: "r", namespace: "ns" },
  rules,
});
const clusterRole = (extra: object): KubeObject => ({ metadata: { name: "cr" }, ...extra });
const binding = (name: string): KubeObject => ({
  metadata: { name: "rb", namespace: "ns" },
  roleRef: { apiGroup: group, kind: "ClusterRole", name },
});
const aggregating = {
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
};
const create = (resource: string, object: KubeObject, rest = {}): AdmissionAttributes =>
  admissionCall("CREATE", `${resource}.${group}`, object, rest);

describe("rbacEscalation", () => {
  test.each<[string, PolicyRule[], AdmissionAttributes]>([
    ["a role of held rules", [pods("get", "list")], create("roles", role(pods("get")))],
    [
      "a wildcard holder",
      [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
      create("roles", role(pods("get"))),
    ],
    ["escalate", [onRoles("escalate", "roles")], create("roles", role(pods("get")))],
    [
      "bind by name",
      [onRoles("bind", "clusterroles", "target")],
      create("rolebindings", binding("target")),
    ],
    ["a binding of held rules", [pods("*")], create("rolebindings", binding("target"))],
    [
      "system:masters",
      [],
      create("roles", role(pods("get")), {
        user: { name: "x", uid: "", groups: ["system:masters"], extra: {} },
      }),
    ],
    [
      "the garbage collector's update",
      [],
      admissionCall(
        "UPDATE",
        `roles.${group}`,
        {
          ...role(pods("get")),
          kind: "Role",
          metadata: { name: "r", namespace: "ns", finalizers: [] },
        },
        {
          oldObject: {
            ...role(pods("get")),
            metadata: { name: "r", namespace: "ns", finalizers: ["x"] },
          },
        },
      ),
    ],
    ["another resource", [], admissionCall("CREATE", "pods", { metadata: { name: "p" } })],
  ])("lets %s pass", async (_, rules, attributes) => {
    expect(await refusalOf(stepFor(...rules), attributes)).toBeUndefined();
  });

  const granting =
    'user "u" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:';

  test.each<[string, PolicyRule[], AdmissionAttributes, number, string]>([
    [
      "a role",
      [],
      create("roles", role(pods("get"))),
      403,
      `roles.${group} "r" is forbidden: ${granting}\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`,
    ],
    [
      "what is missing only, joined by verbs and in order",
      [pods("get")],
      create(
        "clusterroles",
        clusterRole({
          rules: [
            pods("list", "get", "watch"),
            { verbs: ["get"], nonResourceURLs: ["/x"] },
            { verbs: ["get"], apiGroups: ["apps"], resources: ["a"], resourceNames: ["n"] },
          ],
        }),
      ),
      403,
      `clusterroles.${group} "cr" is forbidden: ${granting}
{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}
{APIGroups:["apps"], Resources:["a"], ResourceNames:["n"], Verbs:["get"]}
{NonResourceURLs:["/x"], Verbs:["get"]}`,
    ],
    [
      "a named grant of escalate, on create",
      [onRoles("escalate", "roles", "r")],
      create("roles", role(pods("get"))),
      403,
      `roles.${group} "r" is forbidden: ${granting}\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`,
    ],
    [
      "an aggregation rule",
      [pods("*")],
      create("clusterroles", clusterRole(aggregating)),
      403,
      `clusterroles.${group} "cr" is forbidden: must have cluster-admin privileges to use an aggregationRule`,
    ],
    [
      "a binding",
      [pods("get")],
      create("rolebindings", binding("target")),
      403,
      `rolebindings.${group} "rb" is forbidden: ${granting}\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}`,
    ],
    [
      "a binding of nothing",
      [],
      create("rolebindings", binding("none")),
      404,
      `clusterrole.${group} "none" not found`,
    ],
  ])("refuses %s", async (_, rules, attributes, code, message) => {
    expect(await refusalOf(stepFor(...rules), attributes)).toEqual({ code, message });
  });
});
