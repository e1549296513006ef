// By name, for the command line.
import { deploymentRollout } from "./deployment-rollout.ts";
import { job } from "./job.ts";
import { namespaceDeletion } from "./namespace-deletion.ts";
import { quotaRace } from "./quota-race.ts";
import { statefulSet } from "./stateful-set.ts";
import { taintEviction } from "./taint-eviction.ts";
import type { Workload } from "./workload.ts";

export const allWorkloads: readonly Workload[] = [
  deploymentRollout,
  job,
  statefulSet,
  namespaceDeletion,
  taintEviction,
  quotaRace,
];
