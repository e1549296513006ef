// Things that wait, in lines: each line in the order of arrival, and the lines take turns. Who has a thousand things in
// line delays another's one by a round, not by a thousand.

export class RoundRobin<Owner, Item> {
  /** In the order of their turns; none is empty. */
  readonly #lines = new Map<Owner, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** No item twice at the same time. */
  add(owner: Owner, item: Item): void {
    this.#size++;
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, new Set([item]));
    else line.add(item);
  }

  /** The next one; undefined when nobody waits. */
  take(): Item | undefined {
    const [first] = this.#lines;
    if (first === undefined) return undefined;
    const [owner, line] = first;
    const [item] = line;
    this.#lines.delete(owner);
    line.delete(item!);
    if (line.size > 0) this.#lines.set(owner, line);
    this.#size--;
    return item;
  }
}
