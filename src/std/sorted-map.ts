// A persistent ordered map from string to V: every change gives a new map that shares all untouched nodes with the old
// one, so a snapshot is the map itself. A B-tree with subtree counts in its inner nodes, which makes ranks and counts
// of ranges O(log n). Order is JavaScript's string order; for ASCII, and for all text without surrogate pairs, that is
// the byte order of UTF-8.
import { assert } from "./assert.ts";

/** Most entries of a node. Wide enough for shallow trees, narrow enough that copying one is cheap. */
const nodeMax = 32;
/** A node with fewer entries is merged into a neighbour when both fit into one. */
const nodeMin = 8;
/** Entries of a freshly built node: room for some inserts before it splits. */
const nodeFill = 28;

interface Leaf<V> {
  readonly children: undefined;
  readonly keys: readonly string[];
  readonly values: readonly V[];
  readonly size: number;
}

interface Inner<V> {
  readonly children: readonly Node<V>[];
  /** The smallest key below each child. */
  readonly keys: readonly string[];
  readonly size: number;
}

type Node<V> = Leaf<V> | Inner<V>;

/** Bounds of a range: `start` is included, `end` is not; absent means open. */
export interface KeyRange {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

const everything: KeyRange = {};

export class SortedMap<V> {
  readonly #root: Node<V>;

  private constructor(root: Node<V>) {
    this.#root = root;
  }

  static empty<V>(): SortedMap<V> {
    return new SortedMap<V>(leaf<V>([], []));
  }

  /** O(n) for ascending keys, O(n log n) otherwise; of equal keys the last wins. */
  static from<V>(entries: Iterable<readonly [string, V]>): SortedMap<V> {
    const list = [...entries];
    if (!strictlyAscending(list)) return SortedMap.from(new Map(list.sort(byKey)));
    let level: Node<V>[] = chunks(list).map((part) =>
      leaf(
        part.map(([key]) => key),
        part.map(([, value]) => value),
      ),
    );
    while (level.length > 1) level = chunks(level).map((part) => inner(part));
    return level[0] === undefined ? SortedMap.empty() : new SortedMap(level[0]);
  }

  get size(): number {
    return this.#root.size;
  }

  get(key: string): V | undefined {
    const node = leafFor(this.#root, key);
    const index = lowerBound(node.keys, key);
    return node.keys[index] === key ? node.values[index] : undefined;
  }

  has(key: string): boolean {
    const { keys } = leafFor(this.#root, key);
    return keys[lowerBound(keys, key)] === key;
  }

  /** The same map when the key already holds this very value. */
  set(key: string, value: V): SortedMap<V> {
    const nodes = put(this.#root, key, value);
    if (nodes.length === 1 && nodes[0] === this.#root) return this;
    return new SortedMap(nodes.length === 1 ? nodes[0]! : inner(nodes));
  }

  /** The same map when the key is not there. */
  delete(key: string): SortedMap<V> {
    let root = remove(this.#root, key);
    if (root === this.#root) return this;
    while (root.children?.length === 1) root = root.children[0]!;
    return root.children?.length === 0 ? SortedMap.empty() : new SortedMap(root);
  }

  /** How many keys are smaller than `key`. */
  rank(key: string): number {
    let node = this.#root;
    let before = 0;
    while (node.children !== undefined) {
      const index = childIndex(node.keys, key);
      for (let i = 0; i < index; i++) before += node.children[i]!.size;
      node = node.children[index]!;
    }
    return before + lowerBound(node.keys, key);
  }

  count(range: KeyRange): number {
    const before = range.start === undefined ? 0 : this.rank(range.start);
    const until = range.end === undefined ? this.size : this.rank(range.end);
    return Math.max(0, until - before);
  }

  /** The key with `index` smaller ones. */
  keyAt(index: number): string | undefined {
    if (index < 0 || index >= this.size) return undefined;
    let node = this.#root;
    let left = index;
    while (node.children !== undefined) {
      let child = 0;
      while (left >= node.children[child]!.size) left -= node.children[child++]!.size;
      node = node.children[child]!;
    }
    return node.keys[left];
  }

  /** Lazy, in key order; later changes are made to other maps and are not seen. */
  *keys(range: KeyRange = everything): Generator<string, void, undefined> {
    for (const part of slices(this.#root, range)) {
      for (let i = part.from; i < part.to; i++) yield part.leaf.keys[i]!;
    }
  }

  /** As `keys`. */
  *values(range: KeyRange = everything): Generator<V, void, undefined> {
    for (const part of slices(this.#root, range)) {
      for (let i = part.from; i < part.to; i++) yield part.leaf.values[i]!;
    }
  }

  /** As `keys`. */
  *entries(range: KeyRange = everything): Generator<readonly [string, V], void, undefined> {
    for (const part of slices(this.#root, range)) {
      for (let i = part.from; i < part.to; i++) yield [part.leaf.keys[i]!, part.leaf.values[i]!];
    }
  }
}

function leaf<V>(keys: readonly string[], values: readonly V[]): Leaf<V> {
  return { children: undefined, keys, values, size: keys.length };
}

function inner<V>(children: readonly Node<V>[]): Inner<V> {
  let size = 0;
  for (const child of children) size += child.size;
  return { children, keys: children.map((child) => child.keys[0]!), size };
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  if (a[0] === b[0]) return 0;
  return a[0] < b[0] ? -1 : 1;
}

/** `child` holds the keys of the one that it replaces, and perhaps some more. */
function withChild<V>(node: Inner<V>, index: number, child: Node<V>): Inner<V> {
  const first = child.keys[0]!;
  return {
    children: node.children.with(index, child),
    keys: node.keys[index] === first ? node.keys : node.keys.with(index, first),
    size: node.size - node.children[index]!.size + child.size,
  };
}

function strictlyAscending(entries: readonly (readonly [string, unknown])[]): boolean {
  for (let i = 1; i < entries.length; i++) {
    if (entries[i - 1]![0] >= entries[i]![0]) return false;
  }
  return true;
}

/** Parts of nearly equal length, none longer than nodeFill. */
function chunks<T>(list: readonly T[]): (readonly T[])[] {
  const parts = Math.ceil(list.length / nodeFill);
  const result: (readonly T[])[] = [];
  for (let i = 0; i < parts; i++) {
    const from = Math.floor((i * list.length) / parts);
    result.push(list.slice(from, Math.floor(((i + 1) * list.length) / parts)));
  }
  return result;
}

/** Index of the first key that is not smaller. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The child whose range holds `key`: the last one that does not start behind it. */
function childIndex(keys: readonly string[], key: string): number {
  const index = lowerBound(keys, key);
  if (index < keys.length && keys[index] === key) return index;
  return index === 0 ? 0 : index - 1;
}

function leafFor<V>(root: Node<V>, key: string): Leaf<V> {
  let node = root;
  while (node.children !== undefined) node = node.children[childIndex(node.keys, key)]!;
  return node;
}

/** One node, or two when it had to split. */
function put<V>(node: Node<V>, key: string, value: V): readonly Node<V>[] {
  if (node.children !== undefined) return putBelow(node, key, value);
  const index = lowerBound(node.keys, key);
  if (node.keys[index] === key) {
    if (node.values[index] === value) return [node];
    return [leaf(node.keys, node.values.with(index, value))];
  }
  const keys = node.keys.toSpliced(index, 0, key);
  const values = node.values.toSpliced(index, 0, value);
  if (keys.length <= nodeMax) return [leaf(keys, values)];
  const half = splitPoint(index, keys.length);
  return [
    leaf(keys.slice(0, half), values.slice(0, half)),
    leaf(keys.slice(half), values.slice(half)),
  ];
}

/** Keys that keep growing at the end (generated names often do) leave full nodes behind, not half-empty ones. */
function splitPoint(insertedAt: number, length: number): number {
  return insertedAt === length - 1 ? length - nodeMin : length >>> 1;
}

function putBelow<V>(node: Inner<V>, key: string, value: V): readonly Node<V>[] {
  const index = childIndex(node.keys, key);
  const child = node.children[index]!;
  const grown = put(child, key, value);
  if (grown.length === 1) {
    return grown[0] === child ? [node] : [withChild(node, index, grown[0]!)];
  }
  const children = node.children.toSpliced(index, 1, ...grown);
  if (children.length <= nodeMax) return [inner(children)];
  const half = splitPoint(index + 1, children.length);
  return [inner(children.slice(0, half)), inner(children.slice(half))];
}

/** May return a node without entries, which the caller drops. */
function remove<V>(node: Node<V>, key: string): Node<V> {
  if (node.children === undefined) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] !== key) return node;
    return leaf(node.keys.toSpliced(index, 1), node.values.toSpliced(index, 1));
  }
  const index = childIndex(node.keys, key);
  const child = node.children[index]!;
  const shrunk = remove(child, key);
  if (shrunk === child) return node;
  if (shrunk.size === 0) return inner(node.children.toSpliced(index, 1));
  if (shrunk.keys.length >= nodeMin) return inner(node.children.with(index, shrunk));
  return inner(mergedAt(node.children.with(index, shrunk), index));
}

function mergedAt<V>(children: readonly Node<V>[], index: number): readonly Node<V>[] {
  for (const left of [index - 1, index]) {
    const a = children[left];
    const b = children[left + 1];
    if (a !== undefined && b !== undefined && a.keys.length + b.keys.length <= nodeMax) {
      return children.toSpliced(left, 2, joined(a, b));
    }
  }
  return children;
}

function joined<V>(a: Node<V>, b: Node<V>): Node<V> {
  if (a.children !== undefined && b.children !== undefined) {
    return inner([...a.children, ...b.children]);
  }
  assert(a.children === undefined && b.children === undefined, "siblings have one height");
  return leaf([...a.keys, ...b.keys], [...a.values, ...b.values]);
}

interface Slice<V> {
  readonly leaf: Leaf<V>;
  readonly from: number;
  readonly to: number;
}

/** The leaves of a range, from left to right, each with the part that lies inside. */
function* slices<V>(root: Node<V>, range: KeyRange): Generator<Slice<V>, void, undefined> {
  const { start, end } = range;
  const path: { node: Inner<V>; index: number }[] = [];
  let node: Node<V> | undefined = root;
  let first = start !== undefined;
  while (node !== undefined) {
    while (node.children !== undefined) {
      const index: number = first ? childIndex(node.keys, start!) : 0;
      path.push({ node, index });
      node = node.children[index]!;
    }
    const to = end === undefined ? node.keys.length : lowerBound(node.keys, end);
    yield { leaf: node, from: first ? lowerBound(node.keys, start!) : 0, to };
    if (to < node.keys.length) return;
    first = false;
    node = nextSubtree(path);
  }
}

function nextSubtree<V>(path: { node: Inner<V>; index: number }[]): Node<V> | undefined {
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    top.index += 1;
    const next = top.node.children[top.index];
    if (next !== undefined) return next;
    path.pop();
  }
  return undefined;
}
