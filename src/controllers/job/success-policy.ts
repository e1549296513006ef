// Whether an Indexed Job may end before all its indexes have succeeded (KEP-3998). Pure.
import type { SuccessPolicy } from "../../api/types/batch-v1.ts";
import { type IndexSet, parseIndexes } from "./indexes.ts";

/** The condition's message; undefined: not yet. */
export function metSuccessPolicy(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: IndexSet,
): string | undefined {
  for (const [at, { succeededIndexes, succeededCount }] of (policy?.rules ?? []).entries()) {
    const wanted =
      succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, completions);
    const have =
      wanted === undefined
        ? succeeded.size
        : [...wanted].filter((one) => succeeded.has(one)).length;
    const need = succeededCount ?? wanted?.size;
    if (need !== undefined && have >= need) return `Matched rules at index ${at}`;
  }
  return undefined;
}
