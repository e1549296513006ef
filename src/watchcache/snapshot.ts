// One resource's whole state at one revision, immutable: the objects in key order and the secondary indexes. A change
// makes a new snapshot that shares all but a few nodes with the old one (std/sorted-map.ts), so keeping many is cheap.
import { type KeyRange, SortedMap } from "../std/sorted-map.ts";
import type { IndexDefinition, ResourceLayout } from "./resource-cache.ts";
import type { StoredObject } from "./stored-object.ts";

export interface Snapshot {
  readonly objects: SortedMap<StoredObject>;
  /** Of all objects as they are served. */
  readonly bytes: number;
  /**
   * One for each of the layout's `indexes`, keyed by value, NUL, object key, holding that object key. They do not hold
   * the object, so an update that leaves the value as it was does not touch them.
   */
  readonly indexes: readonly SortedMap<string>[];
}

export function emptySnapshot(layout: ResourceLayout): Snapshot {
  return {
    objects: SortedMap.empty(),
    bytes: 0,
    indexes: layout.indexes.map(() => SortedMap.empty()),
  };
}

export function snapshotOf(layout: ResourceLayout, objects: readonly StoredObject[]): Snapshot {
  return {
    objects: SortedMap.from(objects.map((object) => [object.key, object] as const)),
    bytes: objects.reduce((sum, object) => sum + object.bytes.length, 0),
    indexes: layout.indexes.map((_, index) => {
      const keys: [string, string][] = [];
      for (const object of objects) {
        const value = indexedValue(layout, index, object);
        if (value !== undefined) keys.push([indexKey(value, object.key), object.key]);
      }
      return SortedMap.from(keys);
    }),
  };
}

/** `current` undefined: the object under `key` is gone. */
export function changed(
  layout: ResourceLayout,
  snapshot: Snapshot,
  change: { readonly key: string; readonly current: StoredObject | undefined },
): Snapshot {
  const { key, current } = change;
  const previous = snapshot.objects.get(key);
  const indexes = snapshot.indexes.map((map, index) => {
    const before = previous === undefined ? undefined : indexedValue(layout, index, previous);
    const after = current === undefined ? undefined : indexedValue(layout, index, current);
    if (before === after) return map;
    const without = before === undefined ? map : map.delete(indexKey(before, key));
    return after === undefined ? without : without.set(indexKey(after, key), key);
  });
  const { objects } = snapshot;
  return {
    objects: current === undefined ? objects.delete(key) : objects.set(key, current),
    bytes: snapshot.bytes + (current?.bytes.length ?? 0) - (objects.get(key)?.bytes.length ?? 0),
    indexes,
  };
}

/** Undefined: the object stands not in this index. */
export function indexedValue(
  layout: ResourceLayout,
  index: number,
  object: StoredObject,
): string | undefined {
  const definition: IndexDefinition = layout.indexes[index]!;
  if (definition.by === "field") return object.fields[layout.fields.indexOf(definition.field)];
  const { labels } = object;
  if (labels === undefined || !Object.hasOwn(labels, definition.label)) return undefined;
  return labels[definition.label];
}

/** Neither keys nor label values nor field values hold NUL. */
function indexKey(value: string, key: string): string {
  return [value, key].join("\0");
}

/** The part of an index that holds `value`, with the object keys of `range`. */
export function indexRange(value: string, range: KeyRange): KeyRange {
  const end = range.end === undefined ? `${value}\u0001` : indexKey(value, range.end);
  return { start: indexKey(value, range.start ?? ""), end };
}
