// Filters made ready for one pod, and a node asked by all of them.
import type { NodeFacts } from "./cluster-state.ts";
import type { Check, Filter, Refusal } from "./plugin.ts";

export interface Refused extends Refusal {
  /** The filter that refused. */
  readonly filter: string;
}

export type Checks = readonly { readonly filter: string; readonly check: Check }[];

export function checksOf<OneFilter extends Pick<Filter, "name">>(
  filters: readonly OneFilter[],
  prepare: (filter: OneFilter) => Check | undefined,
): Checks {
  return filters.flatMap((filter) => {
    const check = prepare(filter);
    return check === undefined ? [] : [{ filter: filter.name, check }];
  });
}

/** The first filter that refuses gives the reason. */
export function refusalOf(node: NodeFacts, checks: Checks): Refused | undefined {
  for (const { filter, check } of checks) {
    const refusal = check(node);
    if (refusal !== undefined) return { ...refusal, filter };
  }
  return undefined;
}
