// Which rule of a podFailurePolicy a failed pod meets, and what that means (KEP-3329). Pure.
import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
} from "../../api/types/batch-v1.ts";
import type { ContainerStatus } from "../../api/types/core-v1.ts";
import type { JobPod } from "./pods.ts";

export interface PolicyMatch {
  /** Of the rule; undefined: none matched. */
  readonly action: string | undefined;
  readonly counts: boolean;
  /** Why the whole Job fails. */
  readonly message: string | undefined;
}

const noMatch: PolicyMatch = { action: undefined, counts: true, message: undefined };

export function matchFailurePolicy(policy: PodFailurePolicy | undefined, pod: JobPod): PolicyMatch {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const what =
      rule.onExitCodes !== undefined
        ? exitText(pod, rule.onExitCodes)
        : conditionText(pod, rule.onPodConditions ?? []);
    if (what === undefined) continue;
    const { action } = rule;
    const message =
      action === "FailJob" ? `${what} matching ${action} rule at index ${index}` : undefined;
    return { action, counts: action !== "Ignore", message };
  }
  return noMatch;
}

function exitText(
  pod: JobPod,
  requirement: PodFailurePolicyOnExitCodesRequirement,
): string | undefined {
  const { status, metadata } = pod;
  const containers = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
  ];
  const found = containers.find((one) => meets(one, requirement));
  if (found === undefined) return undefined;
  const code = found.state?.terminated?.exitCode;
  return `Container ${found.name} for pod ${metadata.namespace}/${metadata.name} failed with exit code ${code}`;
}

function meets(
  { name, state }: ContainerStatus,
  { containerName, operator, values = [] }: PodFailurePolicyOnExitCodesRequirement,
): boolean {
  const code = state?.terminated?.exitCode;
  if (code === undefined || code === 0) return false;
  if (containerName !== undefined && containerName !== name) return false;
  return operator === "In" ? values.includes(code) : !values.includes(code);
}

function conditionText(
  { status, metadata }: JobPod,
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
): string | undefined {
  for (const { type, status: wanted } of patterns)
    if (status?.conditions?.some((one) => one.type === type && one.status === wanted))
      return `Pod ${metadata.namespace}/${metadata.name} has condition ${type}`;
  return undefined;
}
