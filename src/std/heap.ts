// A binary heap: the least of its items in O(1), any change of the top in O(log n). Order among equals is the
// comparison's affair; give it a tie-break where it matters.

export type IsBefore<Item> = (a: Item, b: Item) => boolean;

export class Heap<Item> {
  readonly #items: Item[] = [];
  readonly #isBefore: IsBefore<Item>;

  constructor(isBefore: IsBefore<Item>) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The least item; undefined when there is none. */
  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(item, items[parent]!)) break;
      items[at] = items[parent]!;
      at = parent;
    }
    items[at] = item;
  }

  /** Takes the least item out; undefined when there is none. */
  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  /** Takes out, in no order, every item that `matches`. O(n). */
  removeWhere(matches: (item: Item) => boolean): Item[] {
    const kept: Item[] = [];
    const removed: Item[] = [];
    for (const item of this.#items) (matches(item) ? removed : kept).push(item);
    this.#items.length = 0;
    for (const item of kept) this.push(item);
    return removed;
  }

  /** Puts `item` in the place of the root, which is free. */
  #sink(item: Item): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#isBefore(items[child + 1]!, items[child]!)) child++;
      if (!this.#isBefore(items[child]!, item)) break;
      items[at] = items[child]!;
      at = child;
    }
    items[at] = item;
  }
}
