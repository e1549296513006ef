// Things that wait, in lines: the line whose owner has had the least goes first, whatever the others have in line. What a
// thing costs may be known only afterwards, and is charged to its owner then. Who was away is not owed for it: an owner
// that comes back is as far as those whose turn it is (start-time fair queuing).
import { Heap } from "./heap.ts";

interface Line<Item> {
  readonly items: Set<Item>;
  /** What the owner has had, counted so that all who were always there compare. */
  had: number;
  /** `had` when the line was put into the heap; by now it may be more. */
  key: number;
  /** Breaks ties: who came first. */
  since: number;
}

export class LeastServed<Owner extends object, Item> {
  readonly #lines = new WeakMap<Owner, Line<Item>>();
  readonly #waiting = new Heap<Line<Item>>(
    (a, b) => a.key < b.key || (a.key === b.key && a.since < b.since),
  );
  /** How far those are whose turn it is. */
  #now = 0;
  /** How far anybody is: when nobody waits any more, nobody is behind. */
  #most = 0;
  #came = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** No item twice at the same time. */
  add(owner: Owner, item: Item): void {
    this.#size++;
    const line = this.#lineOf(owner);
    line.items.add(item);
    if (line.items.size > 1) return;
    line.had = Math.max(line.had, this.#now);
    this.#enter(line);
  }

  /** The next one; undefined when nobody waits. */
  take(): Item | undefined {
    let line = this.#waiting.pop();
    while (line !== undefined && line.had > line.key) {
      // It was charged since it came; others may be before it now.
      this.#enter(line);
      line = this.#waiting.pop();
    }
    if (line === undefined) return undefined;
    const [item] = line.items;
    line.items.delete(item!);
    this.#size--;
    this.#now = this.#size === 0 ? this.#most : line.had;
    if (line.items.size > 0) this.#enter(line);
    return item;
  }

  /** The owner has had so much more. */
  charge(owner: Owner, cost: number): void {
    const line = this.#lineOf(owner);
    line.had += cost;
    this.#most = Math.max(this.#most, line.had);
  }

  #enter(line: Line<Item>): void {
    line.key = line.had;
    line.since = this.#came++;
    this.#waiting.push(line);
  }

  #lineOf(owner: Owner): Line<Item> {
    const known = this.#lines.get(owner);
    if (known !== undefined) return known;
    const made: Line<Item> = { items: new Set(), had: this.#now, key: 0, since: 0 };
    this.#lines.set(owner, made);
    return made;
  }
}
