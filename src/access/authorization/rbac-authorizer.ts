// RBAC over the newest cached roles and bindings (upstream: plugin/pkg/auth/authorizer/rbac). What was computed is kept
// until the revision of one of the four kinds moves; members of system:masters pass before RBAC is asked.
import type { PolicyRule, RoleRef } from "../../api/types/rbac-v1.ts";
import type { UserInfo } from "../../api/user-info.ts";
import type { AuthorizationAttributes, Authorizer, Decision } from "../authorization.ts";
import type { ObjectReader } from "../object-reader.ts";
import { ruleAllows } from "../policy-rule.ts";
import { type ResolvedRules, type RuleResolver, missingRoleText } from "../rule-resolver.ts";
import { mastersGroup } from "../users.ts";
import {
  type AppliedBinding,
  type BindingIndex,
  describeSubject,
  indexBindings,
} from "./binding-index.ts";
import { joinedErrors } from "../go-text.ts";

const kinds = {
  clusterRoles: "clusterroles.rbac.authorization.k8s.io",
  roles: "roles.rbac.authorization.k8s.io",
  clusterRoleBindings: "clusterrolebindings.rbac.authorization.k8s.io",
  roleBindings: "rolebindings.rbac.authorization.k8s.io",
} as const;

/** An applied binding with its role's rules; undefined rules = the role does not exist. */
interface Grant extends AppliedBinding {
  readonly rules: readonly PolicyRule[] | undefined;
}

interface UserGrants {
  readonly cluster: readonly Grant[];
  readonly byNamespace: Map<string, readonly Grant[]>;
}

export interface RbacAuthorizer extends Authorizer, RuleResolver {
  /** As `authorize`, at once. */
  decide(attributes: AuthorizationAttributes): Decision;
}

export function createRbacAuthorizer(reader: ObjectReader): RbacAuthorizer {
  const policy = new CurrentPolicy(reader);
  const decide = (attributes: AuthorizationAttributes): Decision => {
    if (attributes.user.groups.includes(mastersGroup)) return { allowed: true, reason: "" };
    return decideByGrants(policy, attributes);
  };
  return {
    decide,
    authorize: decide,
    rulesFor: (user, namespace) => collectRules(policy, user, namespace),
    rulesOfRole: (reference, namespace) => policy.rulesOfRole(reference, namespace),
  };
}

function decideByGrants(policy: CurrentPolicy, attributes: AuthorizationAttributes): Decision {
  const { user, verb, request } = attributes;
  const namespace = request.kind === "Resource" ? request.namespace : "";
  const grants = policy.grantsOf(user);
  const cluster = firstAllowing(grants.cluster, verb, request);
  if (cluster !== undefined) return { allowed: true, reason: allowReason(cluster) };
  const local = namespace === "" ? [] : policy.localGrants(grants, user, namespace);
  const granted = firstAllowing(local, verb, request);
  if (granted !== undefined) return { allowed: true, reason: allowReason(granted) };
  const errors = missingRoles([...grants.cluster, ...local]);
  return { allowed: false, reason: errors.length === 0 ? "" : `RBAC: ${joinedErrors(errors)}` };
}

function firstAllowing(
  grants: readonly Grant[],
  verb: string,
  request: AuthorizationAttributes["request"],
): Grant | undefined {
  return grants.find((grant) => grant.rules?.some((rule) => ruleAllows(rule, verb, request)));
}

function allowReason({ binding, subject }: Grant): string {
  const { name, namespace, roleRef } = binding;
  const what =
    namespace === ""
      ? `ClusterRoleBinding ${JSON.stringify(name)}`
      : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`;
  const who = describeSubject(subject, namespace);
  return `RBAC: allowed by ${what} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${who}`;
}

function missingRoles(grants: readonly Grant[]): string[] {
  return grants
    .filter((grant) => grant.rules === undefined)
    .map((grant) => missingRoleText(grant.binding.roleRef));
}

function collectRules(policy: CurrentPolicy, user: UserInfo, namespace: string): ResolvedRules {
  const grants = policy.grantsOf(user);
  const local = namespace === "" ? [] : policy.localGrants(grants, user, namespace);
  const all = [...grants.cluster, ...local];
  return { rules: all.flatMap((grant) => grant.rules ?? []), errors: missingRoles(all) };
}

/** The indexes of the policy as it is now; each part is rebuilt only when its own kind changed. */
class CurrentPolicy {
  readonly #reader: ObjectReader;
  readonly #clusterRoles: Memo<ReadonlyMap<string, readonly PolicyRule[]>>;
  readonly #roles: Memo<ReadonlyMap<string, readonly PolicyRule[]>>;
  readonly #clusterBindings: Memo<BindingIndex>;
  readonly #bindings: Memo<BindingIndex>;
  // Users that authentication keeps (cached certificates and tokens) keep their grants here, too.
  #grants = new WeakMap<UserInfo, UserGrants>();

  constructor(reader: ObjectReader) {
    this.#reader = reader;
    this.#clusterRoles = new Memo(kinds.clusterRoles, rulesByKey);
    this.#roles = new Memo(kinds.roles, rulesByKey);
    this.#clusterBindings = new Memo(kinds.clusterRoleBindings, indexBindings);
    this.#bindings = new Memo(kinds.roleBindings, indexBindings);
  }

  grantsOf(user: UserInfo): UserGrants {
    this.#forgetIfChanged();
    const known = this.#grants.get(user);
    if (known !== undefined) return known;
    const applied = this.#clusterBindings.current.bindingsOf(user, "");
    const grants = { cluster: this.#resolve(applied), byNamespace: new Map() };
    this.#grants.set(user, grants);
    return grants;
  }

  localGrants(grants: UserGrants, user: UserInfo, namespace: string): readonly Grant[] {
    const known = grants.byNamespace.get(namespace);
    if (known !== undefined) return known;
    const local = this.#resolve(this.#bindings.current.bindingsOf(user, namespace));
    // Namespaces in requests are the client's words: remember only those in which the user holds something.
    if (local.length > 0) grants.byNamespace.set(namespace, local);
    return local;
  }

  rulesOfRole(reference: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    this.#forgetIfChanged();
    return reference.kind === "ClusterRole"
      ? this.#clusterRoles.current.get(`/${reference.name}`)
      : this.#roles.current.get(`${namespace}/${reference.name}`);
  }

  #resolve(applied: readonly AppliedBinding[]): Grant[] {
    return applied.map(({ binding, subject }) => ({
      binding,
      subject,
      rules: this.rulesOfRole(binding.roleRef, binding.namespace),
    }));
  }

  #forgetIfChanged(): void {
    const parts = [this.#clusterRoles, this.#roles, this.#clusterBindings, this.#bindings];
    let changed = false;
    for (const part of parts) changed = part.refresh(this.#reader) || changed;
    if (changed) this.#grants = new WeakMap();
  }
}

/** What one listing of one kind was turned into, until that kind's revision moves. */
class Memo<Value> {
  readonly #resource: string;
  readonly #compute: (objects: ReturnType<ObjectReader["list"]>) => Value;
  #revision: number;
  #value: Value;

  constructor(resource: string, compute: (objects: ReturnType<ObjectReader["list"]>) => Value) {
    this.#resource = resource;
    this.#compute = compute;
    // Equal to no revision: the first refresh computes, when the caches are there.
    this.#revision = Number.NaN;
    this.#value = compute([]);
  }

  get current(): Value {
    return this.#value;
  }

  /** True when it was computed anew. */
  refresh(reader: ObjectReader): boolean {
    const revision = reader.revision(this.#resource);
    if (revision === this.#revision) return false;
    this.#revision = revision;
    this.#value = this.#compute(reader.list(this.#resource, ""));
    return true;
  }
}

/** Keyed `namespace/name`, cluster roles `/name`. */
function rulesByKey(
  objects: ReturnType<ObjectReader["list"]>,
): ReadonlyMap<string, readonly PolicyRule[]> {
  return new Map(
    objects.map((object) => [
      `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`,
      (object["rules"] ?? []) as PolicyRule[],
    ]),
  );
}
