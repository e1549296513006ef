// Changes that the server makes on its own account inside a request (a binding, an eviction's bookkeeping): compare and
// write without defaults, admission or validation.
import { notFound } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { type Current, isUnchanged, servedBytes, storedBytes } from "./object-bytes.ts";
import { type PaidObject, untilWritten } from "./optimistic.ts";
import { type RegistryParts, targetOf } from "./registry-parts.ts";
import { parseObject } from "../../api/codec/parse-object.ts";

/**
 * `change` works in place on a private copy and may throw; it is called again when the write loses a race. Resolves
 * with the state that stands in the store, or with dryRun would.
 */
export async function modifyObject(
  parts: RegistryParts,
  place: PaidObject & { readonly dryRun: boolean },
  change: (object: KubeObject) => void,
): Promise<Current> {
  return untilWritten(parts, place, async (current) => {
    if (current === undefined) throw notFound(targetOf(parts), place.name);
    const object = parseObject(current.bytes);
    change(object);
    const { revision } = current;
    const value = storedBytes(parts.resource.type, object);
    if (isUnchanged(value, current)) return { kind: "Done", result: current };
    if (place.dryRun) {
      return { kind: "Done", result: { revision, bytes: servedBytes(value, revision) } };
    }
    const { ttlSeconds } = parts.strategy;
    const outcome = await parts.objects.write(place, value, {
      revision,
      ttlSeconds,
      cost: place.cost,
    });
    if (outcome.kind === "Lost") return outcome;
    const bytes = parts.objects.served(place, value, outcome.revision);
    return { kind: "Done", result: { revision: outcome.revision, bytes } };
  });
}
