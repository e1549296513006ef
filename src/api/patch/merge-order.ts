// The order of a merged list: what the patch (or its $setElementOrder) lists stands in the patch's order, the rest in
// the server's, and the two are interleaved by where the server had them.
// Example: server [a b c], patch [c x] -> patch items [c x], server-only [a b] -> [a b c x].
import type { JsonValue } from "../object.ts";

/** `identity` gives the merge key's value, or the primitive itself. */
export function mergeOrder(
  merged: readonly JsonValue[],
  patchOrder: readonly JsonValue[],
  serverOrder: readonly JsonValue[],
  identity: (item: JsonValue) => JsonValue,
): JsonValue[] {
  const inPatch = positions(patchOrder, identity);
  const inServer = positions(serverOrder, identity);
  const listed = merged.filter((item) => inPatch.has(identity(item)));
  const serverOnly = merged.filter((item) => !inPatch.has(identity(item)));
  sortBy(listed, inPatch, identity);
  sortBy(serverOnly, inServer, identity);
  const result: JsonValue[] = [];
  let next = 0;
  for (const item of listed) {
    // What the server does not know has no place there: nothing is pulled in front of it.
    const place = inServer.get(identity(item)) ?? -1;
    while (next < serverOnly.length) {
      const other = inServer.get(identity(serverOnly[next]!));
      if (other === undefined || other >= place) break;
      result.push(serverOnly[next]!);
      next += 1;
    }
    result.push(item);
  }
  return [...result, ...serverOnly.slice(next)];
}

/** Of duplicates the first counts. */
function positions(
  list: readonly JsonValue[],
  identity: (item: JsonValue) => JsonValue,
): Map<JsonValue, number> {
  const found = new Map<JsonValue, number>();
  for (const [index, item] of list.entries()) {
    const key = identity(item);
    if (!found.has(key)) found.set(key, index);
  }
  return found;
}

function sortBy(
  items: JsonValue[],
  order: ReadonlyMap<JsonValue, number>,
  identity: (item: JsonValue) => JsonValue,
): void {
  const rank = (item: JsonValue): number => order.get(identity(item)) ?? order.size;
  items.sort((left, right) => rank(left) - rank(right));
}
