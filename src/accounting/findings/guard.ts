// The FlowSchema and PriorityLevelConfiguration that would bound a pattern without touching anybody else: a level of a
// few seats of its own, for this user and this kind of request. Plain objects of flowcontrol.apiserver.k8s.io/v1.
import { type Pattern, everyNode } from "./pattern.ts";

export type GuardAdvice =
  | { readonly kind: "Objects"; readonly objects: readonly [object, object] }
  /** No FlowSchema can: why. */
  | { readonly kind: "None"; readonly why: string };

/** Of 600 seats and 245 shares that a server starts with: twelve at once. */
const shares = 5;
const queues = { queues: 16, handSize: 4, queueLengthLimit: 50 };
const nameLengthMax = 60;

export function adviseGuard({ client, shape }: Pattern): GuardAdvice {
  if (client.exempt)
    return {
      kind: "None",
      why: "it acts as a member of system:masters, which flow control never holds back: give it an identity of its own",
    };
  const name = guardName(client.user, shape);
  const level = {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    metadata: { name },
    spec: {
      type: "Limited",
      limited: {
        nominalConcurrencyShares: shares,
        lendablePercent: 0,
        borrowingLimitPercent: 0,
        limitResponse: { type: "Queue", queuing: queues },
      },
    },
  };
  const schema = {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "FlowSchema",
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name },
      matchingPrecedence: precedenceOf(client.user),
      distinguisherMethod: { type: "ByUser" },
      rules: [{ subjects: [subjectOf(client.user)], ...rulesOf(shape) }],
    },
  };
  return { kind: "Objects", objects: [level, schema] };
}

/** Just before the schema that takes these requests by default, so that everybody else's order stays as it is. */
function precedenceOf(user: string): number {
  if (user.startsWith("system:node:")) return 490;
  if (user === "system:kube-controller-manager" || user === "system:kube-scheduler") return 790;
  if (user.startsWith("system:serviceaccount:kube-system:")) return 890;
  if (user.startsWith("system:serviceaccount:")) return 8_900;
  return 9_800;
}

function subjectOf(user: string): object {
  if (user === everyNode) return { kind: "Group", group: { name: "system:nodes" } };
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user);
  if (account === null) return { kind: "User", user: { name: user } };
  const [, namespace, name] = account;
  return { kind: "ServiceAccount", serviceAccount: { namespace, name } };
}

function rulesOf(shape: Pattern["shape"]): object {
  if (shape.resource === "")
    return { nonResourceRules: [{ verbs: [shape.verb], nonResourceURLs: [shape.path] }] };
  const resource =
    shape.subresource === "" ? shape.resource : `${shape.resource}/${shape.subresource}`;
  return {
    resourceRules: [
      {
        verbs: [shape.verb],
        apiGroups: [shape.group],
        resources: [resource],
        clusterScope: true,
        namespaces: ["*"],
      },
    ],
  };
}

/** `bound-list-pods-vector`: says what it is for, and is a name. */
function guardName(user: string, shape: Pattern["shape"]): string {
  const who = user === everyNode ? "nodes" : (user.split(":").at(-1) ?? "");
  const what = shape.resource === "" ? shape.path : shape.resource;
  const text = `bound-${shape.verb}-${what}-${who}`.toLowerCase();
  const name = text.replaceAll(/[^a-z0-9-]+/g, "-").replaceAll(/-{2,}/g, "-");
  return name.slice(0, nameLengthMax).replaceAll(/^-+|-+$/g, "");
}
