// The memory of one machine and who has it. When more is taken than there is, the kernel's way out is to kill whoever
// has most; the machine says whom, others do it.

export class Memory {
  readonly bytesMax: number;
  readonly #held = new Map<string, number>();
  #used = 0;
  #peak = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get used(): number {
    return this.#used;
  }

  /** The most that was ever used at one time. */
  get peak(): number {
    return this.#peak;
  }

  of(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  take(owner: string, bytes: number): void {
    this.#held.set(owner, this.of(owner) + bytes);
    this.#used += bytes;
    this.#peak = Math.max(this.#peak, this.#used);
  }

  give(owner: string, bytes: number): void {
    this.take(owner, -bytes);
  }

  /** All that `owner` has. */
  clear(owner: string): void {
    this.#used -= this.of(owner);
    this.#held.delete(owner);
  }

  get isOver(): boolean {
    return this.#used > this.bytesMax;
  }

  /** Whoever has most; of equals the one whose name comes first. */
  largest(): string | undefined {
    let found: string | undefined;
    for (const owner of [...this.#held.keys()].toSorted())
      if (found === undefined || this.of(owner) > this.of(found)) found = owner;
    return found;
  }
}
