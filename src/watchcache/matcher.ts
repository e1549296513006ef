// A request's selection, compiled against a resource's layout: which keys it spans, which index narrows it, and the
// predicate that decides. LIST and WATCH share it, so they can never disagree on what is selected.
import { type FieldSelector, matchesFields } from "../api/meta/field-selector.ts";
import { type LabelSelector, matchesLabels } from "../api/meta/label-selector.ts";
import type { KeyRange } from "../std/sorted-map.ts";
import { nameOf, namespaceOf } from "./object-key.ts";
import type { ReadRouting } from "./read-routing.ts";
import type { IndexDefinition, ResourceLayout, Selection } from "./resource-cache.ts";
import { indexRange, type Snapshot } from "./snapshot.ts";
import type { StoredObject } from "./stored-object.ts";

/** Terms of selectors that are looked at in one turn of the event loop. */
const termsPerMs = 2_000;

/** An equality term that an index answers. */
export interface IndexTerm {
  /** Position in the layout's `indexes`. */
  readonly index: number;
  readonly value: string;
}

export class Matcher {
  readonly layout: ResourceLayout;
  /** "" for all. */
  readonly namespace: string;
  /** Pinned by metadata.name=. */
  readonly name: string | undefined;
  /** The only key that can match. */
  readonly key: string | undefined;
  readonly terms: readonly IndexTerm[];
  /** Terms contradict each other: nothing can match. */
  readonly impossible: boolean;
  /** Neither label nor field selector: the keys alone decide. */
  readonly unfiltered: boolean;
  readonly #labels: LabelSelector;
  readonly #fields: FieldSelector;

  /** `indexed`: which terms may be looked up; the others are still matched. */
  constructor(
    layout: ResourceLayout,
    selection: Selection,
    indexed: ReadRouting["indexed"] = "all",
  ) {
    const { labels, fields } = selection;
    const namespaces = new Set(pinned(fields, "metadata.namespace"));
    if (selection.namespace !== "") namespaces.add(selection.namespace);
    const names = new Set(pinned(fields, "metadata.name"));
    this.layout = layout;
    this.namespace = layout.namespaced ? ([...namespaces][0] ?? "") : "";
    this.name = [...names][0];
    this.impossible = names.size > 1 || namespaces.size > 1;
    this.key = pinnedKey(layout, this.namespace, this.name);
    this.terms = indexTerms(layout, labels, fields).filter(({ index }) =>
      mayLookUp(layout.indexes[index]!, indexed),
    );
    this.unfiltered = labels.length === 0 && fields.length === 0;
    this.#labels = labels;
    this.#fields = fields;
  }

  /** How many objects `matches` looks at in about 1 ms: selectors may have thousands of terms. */
  get objectsPerMs(): number {
    const terms = this.#labels.length + this.#fields.length;
    return Math.max(1, Math.floor(termsPerMs / Math.max(1, terms)));
  }

  /** The keys of the selected namespace, or all. */
  get range(): KeyRange {
    // "0" is the character behind "/".
    if (this.namespace === "") return {};
    return { start: `${this.namespace}/`, end: `${this.namespace}0` };
  }

  matches(object: StoredObject): boolean {
    if (this.impossible) return false;
    if (this.key !== undefined && object.key !== this.key) return false;
    if (this.namespace !== "" && !inNamespace(object.key, this.namespace)) return false;
    if (this.#labels.length > 0 && !matchesLabels(this.#labels, object.labels)) return false;
    if (this.#fields.length === 0) return true;
    return matchesFields(this.#fields, (field) => fieldValue(this.layout, object, field));
  }

  /**
   * The objects that may match, lazily, in key order from `startKey` on; the cheapest way that the snapshot offers.
   * They still have to pass `matches`, unless the selection is `unfiltered`.
   */
  candidates(snapshot: Snapshot, startKey = ""): Iterable<StoredObject> {
    if (this.impossible) return [];
    if (this.key !== undefined) {
      const object = this.key < startKey ? undefined : snapshot.objects.get(this.key);
      return object === undefined ? [] : [object];
    }
    const range = from(this.range, startKey);
    const { term } = this.#cheapest(snapshot, range);
    return term === undefined ? snapshot.objects.values(range) : indexed(snapshot, term, range);
  }

  /** How many `candidates` gives, without giving them. */
  countCandidates(snapshot: Snapshot): number {
    if (this.impossible) return 0;
    return this.key === undefined ? this.#cheapest(snapshot, this.range).count : 1;
  }

  #cheapest(
    snapshot: Snapshot,
    range: KeyRange,
  ): { readonly term: IndexTerm | undefined; readonly count: number } {
    let count = snapshot.objects.count(range);
    let cheapest: IndexTerm | undefined;
    for (const term of this.terms) {
      const least = snapshot.indexes[term.index]!.count(indexRange(term.value, range));
      if (least >= count) continue;
      count = least;
      cheapest = term;
    }
    return { term: cheapest, count };
  }
}

/** A selection that nothing can satisfy stays lazy and cheap, like any other. */
function* indexed(snapshot: Snapshot, term: IndexTerm, range: KeyRange): Iterable<StoredObject> {
  for (const key of snapshot.indexes[term.index]!.values(indexRange(term.value, range))) {
    yield snapshot.objects.get(key)!;
  }
}

/** The part of `range` that begins at `startKey`. */
export function from(range: KeyRange, startKey: string): KeyRange {
  return range.start !== undefined && range.start > startKey
    ? range
    : { ...range, start: startKey };
}

function pinned(fields: FieldSelector, field: string): string[] {
  return fields
    .filter((term) => term.field === field && term.operator === "=")
    .map((term) => term.value);
}

function pinnedKey(
  layout: ResourceLayout,
  namespace: string,
  name: string | undefined,
): string | undefined {
  if (name === undefined || !layout.namespaced) return name;
  return namespace === "" ? undefined : `${namespace}/${name}`;
}

function indexTerms(
  layout: ResourceLayout,
  labels: LabelSelector,
  fields: FieldSelector,
): IndexTerm[] {
  const terms: IndexTerm[] = [];
  layout.indexes.forEach((definition, index) => {
    if (definition.by === "field") {
      for (const { field, operator, value } of fields) {
        if (field === definition.field && operator === "=") terms.push({ index, value });
      }
      return;
    }
    for (const { key, operator, values } of labels) {
      const equality = operator === "=" || (operator === "in" && values.length === 1);
      if (key === definition.label && equality) terms.push({ index, value: values[0]! });
    }
  });
  return terms;
}

function mayLookUp(definition: IndexDefinition, indexed: ReadRouting["indexed"]): boolean {
  if (indexed === "all") return true;
  return definition.by === "field" && definition.field === indexed;
}

function inNamespace(key: string, namespace: string): boolean {
  return (
    key.length > namespace.length && key[namespace.length] === "/" && key.startsWith(namespace)
  );
}

/** Unknown fields were refused long before; here they are simply empty. */
function fieldValue(layout: ResourceLayout, object: StoredObject, field: string): string {
  if (field === "metadata.name") return nameOf(object.key);
  if (field === "metadata.namespace") return layout.namespaced ? namespaceOf(object.key) : "";
  return object.fields[layout.fields.indexOf(field)] ?? "";
}
