// What kubelets may do: fixed rules for most resources, and of Secrets, ConfigMaps, claims, volumes and tokens only what
// their own pods use (upstream: plugin/pkg/auth/authorizer/node/node_authorizer.go, with node selectors). It never
// forbids: whom it has nothing to say to, the next authorizer may allow.
import { parseFieldSelector } from "../../api/meta/field-selector.ts";
import { qualified } from "../../api/meta/errors.ts";
import type { PolicyRule } from "../../api/types/rbac-v1.ts";
import type { UserInfo } from "../../api/user-info.ts";
import type { AuthorizationAttributes, Authorizer, Decision } from "../authorization.ts";
import { ruleAllows } from "../policy-rule.ts";
import { nodesGroup, parseNodeUsername } from "../users.ts";
import type { NodeRelations, ReferredResource } from "./node-relations.ts";

type ResourceRequest = AuthorizationAttributes["request"] & { kind: "Resource" };

interface Asked {
  readonly node: string;
  readonly verb: string;
  readonly request: ResourceRequest;
  readonly relations: NodeRelations;
}

const leaseNamespace = "kube-node-lease";
const allowed: Decision = { allowed: true, reason: "" };
const noOpinion: Decision = { allowed: false, reason: "" };

/** What the node of a user is called; "" for a node that cannot be told; undefined for others. */
export function nodeOf({ name, groups }: UserInfo): string | undefined {
  if (!name.startsWith("system:node:") || !groups.includes(nodesGroup)) return undefined;
  return parseNodeUsername(name) ?? "";
}

/** `rules`: what every node may do with what is not told apart. */
export function createNodeAuthorizer(
  relations: NodeRelations,
  rules: readonly PolicyRule[],
): Authorizer {
  const decide = ({ user, verb, request }: AuthorizationAttributes): Decision => {
    const node = nodeOf(user);
    if (node === undefined) return noOpinion;
    if (node === "") return no(`unknown node for user ${JSON.stringify(user.name)}`);
    if (request.kind === "Resource") {
      const decideOn = apart[qualified(request.group, request.resource)];
      if (decideOn !== undefined) return decideOn({ node, verb, request, relations });
    }
    return rules.some((rule) => ruleAllows(rule, verb, request)) ? allowed : noOpinion;
  };
  return { authorize: decide };
}

const apart: Readonly<Record<string, (asked: Asked) => Decision>> = {
  secrets: (asked) => readOne(asked, "secrets"),
  configmaps: (asked) => readOne(asked, "configmaps"),
  persistentvolumeclaims: claim,
  persistentvolumes: (asked) =>
    getOne(asked, ({ relations, node, request }) => relations.hasVolume(node, request.name)),
  "resourceclaims.resource.k8s.io": (asked) =>
    getOne(asked, (one) => refers(one, "resourceclaims.resource.k8s.io")),
  "volumeattachments.storage.k8s.io": (asked) =>
    getOne(asked, ({ relations, node, request }) =>
      relations.isNamedBy(node, "volumeattachments.storage.k8s.io", request.name),
    ),
  serviceaccounts: createToken,
  "leases.coordination.k8s.io": lease,
  "csinodes.storage.k8s.io": csiNode,
  "resourceslices.resource.k8s.io": resourceSlice,
  nodes: nodeObject,
  pods: pod,
};

function no(reason: string): Decision {
  return { allowed: false, reason };
}

function refers({ relations, node, request }: Asked, resource: ReferredResource): boolean {
  return relations.refers(node, resource, request);
}

/** `holds` is only asked with a name. */
function related(asked: Asked, holds: (asked: Asked) => boolean): Decision {
  if (asked.request.name === "") return no("No Object name found");
  return holds(asked) ? allowed : unrelated(asked);
}

function unrelated({ node }: Asked): Decision {
  return no(`no relationship found between node '${node}' and this object`);
}

function readOne(asked: Asked, resource: ReferredResource): Decision {
  const { verb, request } = asked;
  if (!isRead(verb)) return no("can only read resources of this type");
  if (request.subresource !== "") return no("cannot read subresource");
  if (request.namespace === "") return no("can only read namespaced object of this type");
  return related(asked, (one) => refers(one, resource));
}

function getOne(asked: Asked, holds: (asked: Asked) => boolean): Decision {
  if (asked.verb !== "get") return no("can only get individual resources of this type");
  if (asked.request.subresource !== "") return no("cannot get subresource");
  return related(asked, holds);
}

function claim(asked: Asked): Decision {
  const holds = (one: Asked): boolean => refers(one, "persistentvolumeclaims");
  if (asked.request.subresource !== "status") return getOne(asked, holds);
  if (asked.verb !== "update" && asked.verb !== "patch")
    return no("can only get/update/patch this type");
  return related(asked, holds);
}

function createToken(asked: Asked): Decision {
  const { verb, request } = asked;
  if (verb !== "create" || request.name === "")
    return no("can only create tokens for individual service accounts");
  if (request.subresource !== "token")
    return no("can only create token subresource of serviceaccount");
  return refers(asked, "serviceaccounts") ? allowed : unrelated(asked);
}

const ownVerbs: ReadonlySet<string> = new Set(["get", "create", "update", "patch", "delete"]);

/** The name of what is created is not known yet: admission looks at it. */
function lease({ node, verb, request }: Asked): Decision {
  if (!ownVerbs.has(verb)) return no("can only get, create, update, patch, or delete a node lease");
  if (request.namespace !== leaseNamespace)
    return no(`can only access leases in the "${leaseNamespace}" system namespace`);
  if (verb !== "create" && request.name !== node)
    return no("can only access node lease with the same name as the requesting node");
  return allowed;
}

function csiNode({ node, verb, request }: Asked): Decision {
  if (!ownVerbs.has(verb)) return no("can only get, create, update, patch, or delete a CSINode");
  if (request.subresource !== "") return no("cannot authorize CSINode subresources");
  if (verb !== "create" && request.name !== node)
    return no("can only access CSINode with the same name as the requesting node");
  return allowed;
}

function resourceSlice(asked: Asked): Decision {
  const { node, verb, request } = asked;
  if (request.subresource !== "") return no("cannot authorize ResourceSlice subresources");
  if (verb === "create") return allowed;
  if (ownVerbs.has(verb))
    return related(asked, ({ relations }) =>
      relations.isNamedBy(node, "resourceslices.resource.k8s.io", request.name),
    );
  if (verb === "list" || verb === "watch" || verb === "deletecollection")
    return selects(request, "nodeName", node)
      ? allowed
      : no("can only list/watch/deletecollection resourceslices with nodeName field selector");
  return no(
    "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
  );
}

function nodeObject({ node, verb, request }: Asked): Decision {
  const { subresource, name } = request;
  const writes = verb === "update" || verb === "patch";
  if (subresource === "status") return writes ? allowed : noOpinion;
  if (subresource !== "") return noOpinion;
  if (writes || verb === "create") return allowed;
  if (!isRead(verb)) return noOpinion;
  if (name === node) return allowed;
  if (name === "") return no(`node '${node}' cannot read all nodes, only its own Node object`);
  return no(`node '${node}' cannot read '${name}', only its own Node object`);
}

function pod(asked: Asked): Decision {
  const { verb, request } = asked;
  switch (request.subresource) {
    case "":
      return wholePod(asked);
    case "status":
      return verb === "update" || verb === "patch" ? allowed : noOpinion;
    case "eviction":
      return verb === "create" ? allowed : noOpinion;
    default:
      return noOpinion;
  }
}

function wholePod(asked: Asked): Decision {
  const { node, verb, request } = asked;
  const holds = ({ relations }: Asked): boolean => relations.hasPod(node, request);
  if (verb === "get") return getOne(asked, holds);
  if (verb === "create" || verb === "delete") return allowed;
  if (!isRead(verb)) return noOpinion;
  if (selects(request, "spec.nodeName", node)) return allowed;
  if (request.name !== "") return related(asked, holds);
  return no("can only list/watch pods with spec.nodeName field selector");
}

function isRead(verb: string): boolean {
  return verb === "get" || verb === "list" || verb === "watch";
}

function selects({ fieldSelector = "" }: ResourceRequest, field: string, value: string): boolean {
  if (!fieldSelector.includes(field)) return false;
  try {
    return parseFieldSelector(fieldSelector).some(
      (one) => one.field === field && one.operator === "=" && one.value === value,
    );
  } catch {
    // What cannot be read selects nothing; the verb will say what is wrong with it.
    return false;
  }
}
