// What of an object has to be told, as the fields of a merge patch.
import { equalJson } from "../std/json.ts";

/** The fields of `now` that `before` has not, or has otherwise. */
export function changedFields<T extends object>(
  before: Partial<T> | undefined,
  now: T,
): Record<string, unknown> {
  const changed = Object.entries(now).filter(
    ([name, value]) => !equalJson(before?.[name as keyof T], value),
  );
  return Object.fromEntries(changed);
}
