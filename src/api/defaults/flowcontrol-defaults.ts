// Defaults of API priority and fairness (upstream: pkg/apis/flowcontrol/v1/defaults.go).
import type { FlowSchema, PriorityLevelConfiguration } from "../types/flowcontrol-v1.ts";

const matchingPrecedence = 1000;
const nominalConcurrencyShares = 30;
const queuing = { queues: 64, handSize: 8, queueLengthLimit: 50 };

export function defaultFlowSchema(flowSchema: FlowSchema): void {
  if (flowSchema.spec) flowSchema.spec.matchingPrecedence ||= matchingPrecedence;
}

/** Zero shares are a choice in v1 (a level that only borrows), so only absence is defaulted. */
export function defaultPriorityLevel(level: PriorityLevelConfiguration): void {
  const { limited, exempt } = level.spec ?? {};
  if (limited) {
    limited.nominalConcurrencyShares ??= nominalConcurrencyShares;
    limited.lendablePercent ??= 0;
    const queues = limited.limitResponse?.queuing;
    if (queues) {
      queues.queues ||= queuing.queues;
      queues.handSize ||= queuing.handSize;
      queues.queueLengthLimit ||= queuing.queueLengthLimit;
    }
  }
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
}
