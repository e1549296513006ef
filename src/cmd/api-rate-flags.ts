// The flags of `wavetank up` that say how fast its own components may ask the server, under kube-controller-manager's
// names.
import { type Command, InvalidArgumentError } from "commander";
import { controllerRateLimit } from "../informer/component.ts";
import { schedulerProfile } from "../scheduler/profile.ts";
import type { StartOptions } from "./options.ts";

export interface ApiRateFlags {
  readonly kubeApiQps?: number;
  readonly kubeApiBurst?: number;
}

export function addApiRateFlags(command: Command): void {
  const { qps, burst } = controllerRateLimit;
  command
    .option(
      "--kube-api-qps <number>",
      `requests a second of each controller (default ${qps}; the scheduler has ${schedulerProfile.rateLimit.qps})`,
      parseRate,
    )
    .option(
      "--kube-api-burst <number>",
      `requests that a rested controller may make at once (default ${burst})`,
      parseRate,
    );
}

/** Each of the two counts alone, as kube-controller-manager's. */
export function apiRateStartOptions({
  kubeApiQps,
  kubeApiBurst,
}: ApiRateFlags): Pick<StartOptions, "apiRateLimit"> {
  if (kubeApiQps === undefined && kubeApiBurst === undefined) return {};
  const { qps, burst } = controllerRateLimit;
  return { apiRateLimit: { qps: kubeApiQps ?? qps, burst: kubeApiBurst ?? burst } };
}

function parseRate(text: string): number {
  const rate = Number(text);
  if (!Number.isFinite(rate) || rate < 1)
    throw new InvalidArgumentError("a rate is a number of 1 or more.");
  return rate;
}
