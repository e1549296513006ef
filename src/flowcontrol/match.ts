// Which requests a FlowSchema speaks of, and in which order FlowSchemas are tried (upstream: flowcontrol/rule.go,
// apihelpers). Pure.
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "../api/types/flowcontrol-v1.ts";
import type { UserInfo } from "../api/user-info.ts";
import type { RequestDigest } from "./request-digest.ts";

const any = "*";
const accountPrefix = "system:serviceaccount:";

/** Lower matchingPrecedence first, then by name. */
export function comesBefore(a: FlowSchema, b: FlowSchema): number {
  const difference = (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0);
  if (difference !== 0) return difference;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}

export function matchesFlowSchema(
  rules: readonly PolicyRulesWithSubjects[],
  digest: RequestDigest,
): boolean {
  return rules.some((rule) => matchesRule(rule, digest));
}

function matchesRule(rule: PolicyRulesWithSubjects, digest: RequestDigest): boolean {
  if (rule.subjects?.some((subject) => matchesSubject(subject, digest.user)) !== true) return false;
  return digest.isResource
    ? rule.resourceRules?.some((one) => matchesResource(one, digest)) === true
    : rule.nonResourceRules?.some((one) => matchesPath(one, digest)) === true;
}

function matchesSubject(subject: Subject, user: UserInfo): boolean {
  switch (subject.kind) {
    case "User": {
      const name = subject.user?.name;
      return name !== undefined && (name === any || name === user.name);
    }
    case "Group": {
      const name = subject.group?.name;
      return name !== undefined && (name === any || user.groups.includes(name));
    }
    case "ServiceAccount": {
      if (subject.serviceAccount === undefined) return false;
      const { namespace, name } = subject.serviceAccount;
      const of = `${accountPrefix}${namespace}:`;
      return name === any ? user.name.startsWith(of) : user.name === of + name;
    }
    default:
      return false;
  }
}

function matchesResource(rule: ResourcePolicyRule, digest: RequestDigest): boolean {
  const { resource, subresource, namespace } = digest;
  if (!holds(rule.verbs, digest.verb)) return false;
  if (!holds(rule.resources, subresource === "" ? resource : `${resource}/${subresource}`))
    return false;
  if (!holds(rule.apiGroups, digest.group)) return false;
  return namespace === "" ? rule.clusterScope === true : holds(rule.namespaces, namespace);
}

function matchesPath(rule: NonResourcePolicyRule, { verb, path }: RequestDigest): boolean {
  return holds(rule.verbs, verb) && (rule.nonResourceURLs ?? []).some((url) => covers(url, path));
}

/** `/healthz` covers itself and what is below it, and so does `/healthz/*`. */
function covers(url: string, path: string): boolean {
  if (url === any || url === path) return true;
  const prefix = url.endsWith(any) ? url.slice(0, -1) : url;
  return path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}

/** The wildcard counts only where it stands alone, as validation demands. */
function holds(list: readonly string[] | undefined, value: string): boolean {
  if (list === undefined) return false;
  return (list.length === 1 && list[0] === any) || list.includes(value);
}
