// Nobody hands out rights they do not hold (upstream: registry/rbac/*/policybased, escalation_check.go): writing a role
// needs every permission in it, or the verb `escalate`; writing a binding needs those of its role, or `bind`. Upstream
// does this in storage; here it is the first validating step.
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import { type StatusError, forbidden, notFound } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { AggregationRule, PolicyRule, RoleRef } from "../../api/types/rbac-v1.ts";
import type { Authorizer } from "../authorization.ts";
import { compactRules, describeRule, missingRules } from "../policy-rule.ts";
import type { RuleResolver } from "../rule-resolver.ts";
import { mastersGroup } from "../users.ts";
import { type AdmissionStep, onlyFor } from "./chain.ts";
import { equalJson } from "../../std/json.ts";
import { quotedList } from "../go-text.ts";

const rbac = "rbac.authorization.k8s.io";

/** What only cluster-admin has: an aggregation rule may collect anything. */
const fullAuthority: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export function rbacEscalation(authorizer: Authorizer, resolver: RuleResolver): AdmissionStep {
  return onlyFor(isRbac, async (attributes) => {
    const { operation, resource, subresource, user, object, oldObject } = attributes;
    if (subresource !== "" || object === undefined) return;
    if (operation !== "CREATE" && operation !== "UPDATE") return;
    if (user.groups.includes(mastersGroup)) return;
    if (oldObject !== undefined && onlyCollectorFieldsDiffer(object, oldObject)) return;
    if (resource.resource.endsWith("roles"))
      await checkRole(attributes, object, authorizer, resolver);
    else await checkBinding(attributes, object, authorizer, resolver);
  });
}

function isRbac({ resource }: AdmissionAttributes): boolean {
  return resource.group === rbac;
}

async function checkRole(
  attributes: AdmissionAttributes,
  role: KubeObject,
  authorizer: Authorizer,
  resolver: RuleResolver,
): Promise<void> {
  const { resource, operation, name, oldObject } = attributes;
  // A POST names no object, so a grant of `escalate` on single names does not help creating.
  const target = { resource: resource.resource, name: operation === "CREATE" ? "" : name };
  if (await mayDo(attributes, authorizer, "escalate", target)) return;
  const complaint = escalation(attributes, resolver, (role["rules"] ?? []) as PolicyRule[]);
  if (complaint !== undefined) throw refuse(attributes, role, complaint);
  if (!aggregates(role) && !(oldObject !== undefined && aggregates(oldObject))) return;
  if (escalation(attributes, resolver, fullAuthority) === undefined) return;
  throw refuse(attributes, role, "must have cluster-admin privileges to use an aggregationRule");
}

function aggregates(role: Readonly<KubeObject>): boolean {
  const rule = role["aggregationRule"] as AggregationRule | undefined;
  return (rule?.clusterRoleSelectors?.length ?? 0) > 0;
}

async function checkBinding(
  attributes: AdmissionAttributes,
  binding: KubeObject,
  authorizer: Authorizer,
  resolver: RuleResolver,
): Promise<void> {
  const reference = binding["roleRef"] as RoleRef;
  const resource = reference.kind === "ClusterRole" ? "clusterroles" : "roles";
  if (await mayDo(attributes, authorizer, "bind", { resource, name: reference.name })) return;
  const rules = resolver.rulesOfRole(reference, attributes.namespace);
  if (rules === undefined) {
    throw notFound({ group: rbac, resource: reference.kind.toLowerCase() }, reference.name);
  }
  const complaint = escalation(attributes, resolver, rules);
  if (complaint !== undefined) throw refuse(attributes, binding, complaint);
}

async function mayDo(
  { user, namespace }: AdmissionAttributes,
  authorizer: Authorizer,
  verb: string,
  target: { readonly resource: string; readonly name: string },
): Promise<boolean> {
  const request = {
    kind: "Resource",
    group: rbac,
    version: "*",
    subresource: "",
    namespace,
  } as const;
  return (await authorizer.authorize({ user, verb, request: { ...request, ...target } })).allowed;
}

/** Undefined when the user holds all of `wanted`. */
function escalation(
  { user, namespace }: AdmissionAttributes,
  resolver: RuleResolver,
  wanted: readonly PolicyRule[],
): string | undefined {
  const held = resolver.rulesFor(user, namespace);
  const missing = missingRules(held.rules, wanted);
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compactRules(missing).map(describeRule))].sort();
  const who = `user ${JSON.stringify(user.name)} (groups=${quotedList(user.groups)})`;
  const sentence = `${who} is attempting to grant RBAC permissions not currently held:\n${lines.join("\n")}`;
  if (held.errors.length === 0) return sentence;
  return `${sentence}; resolution errors: [${held.errors.join(", ")}]`;
}

function refuse(attributes: AdmissionAttributes, object: KubeObject, why: string): StatusError {
  return forbidden(attributes.resource, object.metadata.name ?? attributes.name, why);
}

/** The garbage collector takes owners and finalizers away from roles it could not have written. */
function onlyCollectorFieldsDiffer(object: KubeObject, old: Readonly<KubeObject>): boolean {
  return equalJson(comparable(object), comparable(old));
}

function comparable(object: Readonly<KubeObject>): Readonly<Record<string, unknown>> {
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...metadata } = object.metadata;
  return { ...object, kind: "", apiVersion: "", metadata };
}
