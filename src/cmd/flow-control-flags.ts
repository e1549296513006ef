// The flags of `wavetank up` that say how many requests are let in at once, under kube-apiserver's names.
import { boolean, wholeNumber } from "./argument.ts";
import type { Command } from "commander";
import { usualFlowControl } from "../cluster/flow-control.ts";
import type { StartOptions } from "./options.ts";

export interface FlowControlFlags {
  readonly enablePriorityAndFairness?: boolean;
  readonly maxRequestsInflight: number;
  readonly maxMutatingRequestsInflight: number;
}

export function addFlowControlFlags(command: Command): void {
  command
    .option(
      "--enable-priority-and-fairness [boolean]",
      "queue requests fairly (default: true); false: only limit how many run at once",
      boolean,
    )
    .option(
      "--max-requests-inflight <number>",
      "reading requests at once; with the next, the seats that priority levels share",
      wholeNumber(0),
      usualFlowControl.maxRequestsInFlight,
    )
    .option(
      "--max-mutating-requests-inflight <number>",
      "writing requests at once",
      wholeNumber(0),
      usualFlowControl.maxMutatingRequestsInFlight,
    );
}

export function flowControlStartOptions(
  flags: FlowControlFlags,
): Pick<
  StartOptions,
  "priorityAndFairness" | "maxRequestsInFlight" | "maxMutatingRequestsInFlight"
> {
  const { enablePriorityAndFairness: priorityAndFairness } = flags;
  return {
    maxRequestsInFlight: flags.maxRequestsInflight,
    maxMutatingRequestsInFlight: flags.maxMutatingRequestsInflight,
    ...(priorityAndFairness === undefined ? {} : { priorityAndFairness }),
  };
}
