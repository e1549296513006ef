// The objects that a row wrote last, few and in order: writers that take turns (one a shard, a status of each node) are
// as hot as one alone.

const kept = 8;

export class RecentObjects {
  readonly #names: string[] = [];
  #oldest = 0;

  /** Whether it was among them; from now on it is. */
  add(name: string): boolean {
    if (this.#names.includes(name)) return true;
    this.#names[this.#oldest] = name;
    this.#oldest = (this.#oldest + 1) % kept;
    return false;
  }
}
