// Doing one thing many times without doing it wrong many times: one at first, then twice as many after each batch that
// went well (upstream: slowStartBatch in pkg/controller/replicaset/replica_set.go).

export interface Batched {
  /** How many succeeded. */
  readonly successes: number;
  /** How many were not even tried. */
  readonly skipped: number;
  /** The first failure, if any. */
  readonly error: unknown;
}

const initialBatch = 1;

export async function slowStart(
  count: number,
  act: (index: number) => Promise<unknown>,
): Promise<Batched> {
  let successes = 0;
  let started = 0;
  for (let size = initialBatch; started < count; size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - started) }, (_, at) => started + at);
    started += batch.length;
    const outcomes = await Promise.allSettled(batch.map((index) => act(index)));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    successes += outcomes.filter(({ status }) => status === "fulfilled").length;
    if (failed !== undefined) return { successes, skipped: count - started, error: failed.reason };
  }
  return { successes, skipped: 0, error: undefined };
}
