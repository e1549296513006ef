// What a terminating namespace's conditions say about one pass over its content (upstream:
// pkg/controller/namespace/deletion/status_condition_utils.go). Pure.
import type { NamespaceCondition } from "../../api/types/core-v1.ts";

/** Objects that are still there after a pass. */
export interface Remaining {
  /** `pods.`, `deployments.apps` -> how many. */
  readonly resources: ReadonlyMap<string, number>;
  /** Finalizer -> on how many objects. */
  readonly finalizers: ReadonlyMap<string, number>;
}

export interface Findings extends Remaining {
  /** Why some groups could not be discovered; undefined: all were. */
  readonly discoveryFailure: string | undefined;
  /** One text a resource that could not be emptied. */
  readonly contentFailures: readonly string[];
}

interface Statement {
  readonly type: string;
  /** When all is well: the condition is False. */
  readonly fine: readonly [reason: string, message: string];
  /** When it is not; undefined: it is. */
  readonly trouble: (findings: Findings) => readonly [reason: string, message: string] | undefined;
}

const statements: readonly Statement[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    fine: ["ResourcesDiscovered", "All resources successfully discovered"],
    trouble: ({ discoveryFailure }) =>
      discoveryFailure === undefined ? undefined : ["DiscoveryFailed", discoveryFailure],
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    fine: ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
    trouble: () => undefined,
  },
  {
    type: "NamespaceDeletionContentFailure",
    fine: ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
    trouble: ({ contentFailures }) =>
      contentFailures.length === 0
        ? undefined
        : [
            "ContentDeletionFailed",
            `Failed to delete all resource types, ${contentFailures.length} remaining: ${aggregate(contentFailures)}`,
          ],
  },
  {
    type: "NamespaceContentRemaining",
    fine: ["ContentRemoved", "All content successfully removed"],
    trouble: ({ resources }) =>
      resources.size === 0
        ? undefined
        : [
            "SomeResourcesRemain",
            `Some resources are remaining: ${listed(resources, "has", "resource instances")}`,
          ],
  },
  {
    type: "NamespaceFinalizersRemaining",
    fine: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
    trouble: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : [
            "SomeFinalizersRemain",
            `Some content in the namespace has finalizers remaining: ${listed(finalizers, "in", "resource instances")}`,
          ],
  },
];

/** Undefined when nothing changes. `now`: RFC 3339. */
export function nextConditions(
  before: readonly NamespaceCondition[],
  findings: Findings,
  now: string,
): NamespaceCondition[] | undefined {
  let changed = false;
  const after = [...before];
  for (const { type, fine, trouble } of statements) {
    const found = trouble(findings);
    const [reason, message] = found ?? fine;
    const status = found === undefined ? "False" : "True";
    const at = after.findIndex((condition) => condition.type === type);
    const old = after[at];
    if (old?.status === status && old.reason === reason && old.message === message) continue;
    changed = true;
    const next = { type, status, lastTransitionTime: now, reason, message };
    if (at < 0) after.push(next);
    else after[at] = next;
  }
  return changed ? after : undefined;
}

function listed(counts: ReadonlyMap<string, number>, verb: string, noun: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} ${noun}`)
    .sort()
    .join(", ");
}

/** As Go prints an aggregate of errors: distinct texts, in brackets when there are several. */
export function aggregate(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(", ")}]`;
}
