// The loop under every write to an existing object: work on the newest state this process has seen, which may be stale;
// let a lost compare or a refusal be judged again on what the store really holds (upstream: GuaranteedUpdate).
import { conflict, staleObject } from "../../api/meta/errors.ts";
import type { RequestCost } from "../../api/request-cost.ts";
import type { Current } from "./object-bytes.ts";
import { type RegistryParts, targetOf } from "./registry-parts.ts";
import type { ObjectName } from "../../watchcache/object-key.ts";

/** Each loss means that somebody else won: under fair scheduling a writer gets through far earlier. */
export const writeAttemptsMax = 100;

/** Which object, and where the work on it is counted. */
export interface PaidObject extends ObjectName {
  readonly cost: RequestCost;
}

/** `Lost`: the compare failed, and this stands there now. */
export type Attempt<T> =
  | { readonly kind: "Done"; readonly result: T }
  | { readonly kind: "Lost"; readonly current: Current | undefined };

export async function untilWritten<T>(
  parts: RegistryParts,
  object: PaidObject,
  attempt: (current: Current | undefined) => Promise<Attempt<T>>,
): Promise<T> {
  let current = parts.objects.peek(object);
  object.cost.objectsScanned += 1;
  const isFresh = current === undefined;
  if (isFresh) current = await parts.objects.read(object, object.cost);
  try {
    const outcome = await attempt(current);
    if (outcome.kind === "Done") return outcome.result;
  } catch (error) {
    // A refusal counts only when it was judged on the real state.
    if (isFresh) throw error;
    const real = await parts.objects.read(object, object.cost);
    if (real?.revision === current?.revision) throw error;
  }
  return parts.objects.inTurn(object, () => retryUntilWritten(parts, object, attempt));
}

async function retryUntilWritten<T>(
  parts: RegistryParts,
  object: PaidObject,
  attempt: (current: Current | undefined) => Promise<Attempt<T>>,
): Promise<T> {
  let current = await parts.objects.read(object, object.cost);
  for (let tries = 1; tries < writeAttemptsMax; tries++) {
    const outcome = await attempt(current);
    if (outcome.kind === "Done") return outcome.result;
    current = outcome.current;
  }
  throw conflict(targetOf(parts), object.name, staleObject);
}
