// How lists, maps and selectors are written in one cell.
import { StatusError } from "../../api/meta/errors.ts";
import { formatLabelSelector, labelSelectorOf } from "../../api/meta/label-selector.ts";
import type { LabelSelector } from "../../api/types/meta-v1.ts";

const itemsShownMax = 3;

/** At most `max` items, then ` + N more...`; `empty` when there are none. */
export function someOf(
  items: readonly string[],
  empty: string,
  max: number = itemsShownMax,
): string {
  if (items.length === 0) return empty;
  if (items.length <= max) return items.join(",");
  return `${items.slice(0, max).join(",")} + ${items.length - max} more...`;
}

/** Sorted `a=b,c=d`, or `<none>`. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}

/** Sorted by key: `a=b,c in (d,e),!f`; "" when it selects by nothing. */
export function selectorText(selector: LabelSelector): string {
  try {
    return formatLabelSelector(labelSelectorOf(selector));
  } catch (error) {
    if (error instanceof StatusError) return "<error>";
    throw error;
  }
}

export function selectorOrNone(selector: LabelSelector | undefined): string {
  return selectorText(selector ?? {}) || "<none>";
}

/** Truth as Go prints it, with a word for an unset pointer. */
export function truthText(value: boolean | undefined): string {
  if (value === undefined) return "<unset>";
  return value ? "True" : "False";
}
