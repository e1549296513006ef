// FlowSchemas and PriorityLevelConfigurations that a server starts with (upstream: apis/flowcontrol/bootstrap), by minor
// where shares differ: the sum of shares decides what a share is worth. Data only, with the conditions that the server
// would set.
import type { KubeObject } from "./object.ts";
import type {
  FlowSchemaCondition,
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from "./types/flowcontrol-v1.ts";

export const autoUpdateSpecAnnotation = "apf.kubernetes.io/autoupdate-spec";
const apiVersion = "flowcontrol.apiserver.k8s.io/v1";

type Rules = Omit<PolicyRulesWithSubjects, "subjects">;

interface Schema {
  readonly name: string;
  readonly level: string;
  readonly precedence: number;
  readonly distinguisher?: "ByUser" | "ByNamespace";
  readonly subjects: readonly Subject[];
  readonly rules: Rules;
  /** First minor that has it; absent: all. */
  readonly since?: number;
}

const groups = (...names: string[]): Subject[] =>
  names.map((name) => ({ kind: "Group", group: { name } }));
const users = (...names: string[]): Subject[] =>
  names.map((name) => ({ kind: "User", user: { name } }));
const systemAccounts: Subject[] = [
  { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } },
];
const everyone = groups("system:unauthenticated", "system:authenticated");

const anything: Rules = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] },
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const leases = (...verbs: string[]): ResourcePolicyRule => ({
  verbs,
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  namespaces: ["*"],
});

const schemas: readonly Schema[] = [
  {
    name: "exempt",
    level: "exempt",
    precedence: 1,
    subjects: groups("system:masters"),
    rules: anything,
  },
  {
    name: "probes",
    level: "exempt",
    precedence: 2,
    subjects: everyone,
    rules: {
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
    },
  },
  {
    name: "system-leader-election",
    level: "leader-election",
    precedence: 100,
    distinguisher: "ByUser",
    subjects: [
      ...users("system:kube-controller-manager", "system:kube-scheduler"),
      ...systemAccounts,
    ],
    rules: { resourceRules: [leases("get", "create", "update")] },
  },
  {
    name: "system-node-high",
    since: 22,
    level: "node-high",
    precedence: 400,
    distinguisher: "ByUser",
    subjects: groups("system:nodes"),
    rules: {
      resourceRules: [
        {
          verbs: ["*"],
          apiGroups: [""],
          resources: ["nodes", "nodes/status"],
          clusterScope: true,
          namespaces: ["*"],
        },
        leases("*"),
      ],
    },
  },
  {
    name: "system-nodes",
    level: "system",
    precedence: 500,
    distinguisher: "ByUser",
    subjects: groups("system:nodes"),
    rules: anything,
  },
  {
    name: "kube-controller-manager",
    level: "workload-high",
    precedence: 800,
    distinguisher: "ByNamespace",
    subjects: users("system:kube-controller-manager"),
    rules: anything,
  },
  {
    name: "kube-scheduler",
    level: "workload-high",
    precedence: 800,
    distinguisher: "ByNamespace",
    subjects: users("system:kube-scheduler"),
    rules: anything,
  },
  {
    name: "kube-system-service-accounts",
    level: "workload-high",
    precedence: 900,
    distinguisher: "ByNamespace",
    subjects: systemAccounts,
    rules: anything,
  },
  {
    name: "service-accounts",
    level: "workload-low",
    precedence: 9000,
    distinguisher: "ByUser",
    subjects: groups("system:serviceaccounts"),
    rules: anything,
  },
  {
    name: "global-default",
    level: "global-default",
    precedence: 9900,
    distinguisher: "ByUser",
    subjects: everyone,
    rules: anything,
  },
  {
    name: "catch-all",
    level: "catch-all",
    precedence: 10000,
    distinguisher: "ByUser",
    subjects: everyone,
    rules: anything,
  },
];

interface Level {
  readonly shares: number;
  readonly lendable: number;
  readonly queues: number;
  readonly handSize: number;
  readonly since?: number;
}

const queueLengthLimit = 50;
const limitedLevels: Readonly<Record<string, Level>> = {
  system: { shares: 30, lendable: 33, queues: 64, handSize: 6 },
  "node-high": { shares: 40, lendable: 25, queues: 64, handSize: 6, since: 22 },
  "leader-election": { shares: 10, lendable: 0, queues: 16, handSize: 4 },
  "workload-high": { shares: 40, lendable: 50, queues: 128, handSize: 6 },
  "workload-low": { shares: 100, lendable: 90, queues: 128, handSize: 6 },
  "global-default": { shares: 20, lendable: 50, queues: 128, handSize: 6 },
};

/** Whether the object is one that Kubernetes cannot do without; its spec is fixed. */
export function isMandatory(name: string): boolean {
  return name === "exempt" || name === "catch-all";
}

/** Whether a priority level of that name is among those that Kubernetes suggests. */
export function isSuggested(level: string): boolean {
  return Object.hasOwn(limitedLevels, level);
}

/** As of Kubernetes 1.`minor`. `timestamp`: RFC 3339, for the Dangling condition. */
export function flowSchemas(timestamp: string, minor: number): KubeObject[] {
  return schemas
    .filter(({ since = 0 }) => since <= minor)
    .map((schema) => {
      const spec = specOf(schema);
      const conditions = [
        { ...danglingCondition(schema.level, true), lastTransitionTime: timestamp },
      ];
      return Object.assign(head("FlowSchema", schema.name), { spec, status: { conditions } });
    });
}

/** Says whether a FlowSchema's level is there; without the time. */
export function danglingCondition(level: string, found: boolean): FlowSchemaCondition {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named "${level}"`;
  return found
    ? { type: "Dangling", status: "False", reason: "Found", message: `${reference} and it exists` }
    : {
        type: "Dangling",
        status: "True",
        reason: "NotFound",
        message: `${reference} but there is no such object`,
      };
}

function specOf({ level, precedence, distinguisher, subjects, rules }: Schema): FlowSchemaSpec {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(distinguisher === undefined ? {} : { distinguisherMethod: { type: distinguisher } }),
    rules: [{ subjects: [...subjects], ...rules }],
  };
}

/** As of Kubernetes 1.`minor`. */
export function priorityLevels(minor: number): KubeObject[] {
  const levels: Record<string, PriorityLevelConfigurationSpec> = {
    exempt: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
    "catch-all": {
      type: "Limited",
      limited: {
        nominalConcurrencyShares: 5,
        limitResponse: { type: "Reject" },
        lendablePercent: 0,
      },
    },
  };
  for (const [name, level] of Object.entries(limitedLevels)) {
    if ((level.since ?? 0) > minor) continue;
    const { shares, lendable, queues, handSize } = level;
    const queuing = { queues, handSize, queueLengthLimit };
    levels[name] = {
      type: "Limited",
      limited: {
        nominalConcurrencyShares: shares,
        limitResponse: { type: "Queue", queuing },
        lendablePercent: lendable,
      },
    };
  }
  return Object.entries(levels).map(([name, spec]) =>
    Object.assign(head("PriorityLevelConfiguration", name), { spec }),
  );
}

function head(kind: string, name: string): KubeObject {
  return {
    kind,
    apiVersion,
    metadata: { name, annotations: { [autoUpdateSpecAnnotation]: "true" } },
  };
}
