// One at a time for each key, in the order of the calls; different keys know nothing of each other.

export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when everything called before for `key` has ended, however it ended. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    let end: () => void = () => {};
    const own = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(key, own);
    await before;
    try {
      return await work();
    } finally {
      if (this.#last.get(key) === own) this.#last.delete(key);
      end();
    }
  }

  /** Keys that somebody works on or waits for. */
  get size(): number {
    return this.#last.size;
  }
}
