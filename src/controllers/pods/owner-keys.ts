// Which owners a change of something owned concerns: its controller, its former one, and for an orphan everyone whose
// selector finds it, who may want to adopt it.
import { type LabelSelector, matchesLabels } from "../../api/meta/label-selector.ts";
import { type ApiObject, type Served, keyOf } from "../../client/served-object.ts";
import { byNamespace, controllerOf } from "../../informer/index-functions.ts";
import type { Lister } from "../../informer/indexer.ts";
import type { Change } from "../../informer/informer.ts";

export interface Owners<O extends ApiObject> {
  readonly kind: string;
  readonly lister: Lister<O>;
  readonly selectorOf: (owner: Readonly<Served<O>>) => LabelSelector;
}

/** Keys of owners that exist. */
export function ownerKeys<O extends ApiObject, T extends ApiObject>(
  owners: Owners<O>,
  change: Change<T>,
): string[] {
  const keys = new Set<string>();
  const states = change.type === "updated" ? [change.previous, change.object] : [change.object];
  for (const state of states) {
    const owner = controllingOwner(owners, { metadata: state.metadata });
    if (owner !== undefined) keys.add(keyOf({ metadata: owner.metadata }));
  }
  if (concernsOrphan(change))
    for (const owner of owners.lister.by(byNamespace, change.object.metadata.namespace ?? ""))
      if (matchesLabels(owners.selectorOf(owner), change.object.metadata.labels))
        keys.add(keyOf({ metadata: owner.metadata }));
  return [...keys];
}

/** The owner that the object's controller reference names, if it is the very one. */
export function controllingOwner<O extends ApiObject>(
  { kind, lister }: Owners<O>,
  object: ApiObject,
): Readonly<Served<O>> | undefined {
  const ref = controllerOf(object);
  if (ref === undefined || ref.kind !== kind) return undefined;
  const owner = lister.find(keyOf({ metadata: { ...object.metadata, name: ref.name } }));
  return owner?.metadata.uid === ref.uid ? owner : undefined;
}

/** An orphan that is new, or that only now is one, or whom other selectors may find now. */
function concernsOrphan<T extends ApiObject>(change: Change<T>): boolean {
  const { metadata } = change.object;
  if (controllerOf({ metadata }) !== undefined || change.type === "deleted") return false;
  if (change.type === "added") return true;
  const before = change.previous.metadata;
  if (controllerOf({ metadata: before }) !== undefined) return true;
  return !sameLabels(metadata.labels ?? {}, before.labels ?? {});
}

function sameLabels(a: Record<string, string>, b: Record<string, string>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
