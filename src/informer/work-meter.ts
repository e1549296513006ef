// How much the syncs of each controller looked through, whether or not our own code had to: what a machine that runs the
// controller as Kubernetes has it would pay for. Counts only; what they cost is the business of cost models.
export interface Work {
  readonly syncs: number;
  /** Objects of informers that the syncs walked over. */
  readonly objectsScanned: number;
}

const nothing: Work = { syncs: 0, objectsScanned: 0 };

export class WorkMeter {
  readonly #work = new Map<string, Work>();

  count(controller: string, objectsScanned: number): void {
    const { syncs, objectsScanned: before } = this.of(controller);
    this.#work.set(controller, { syncs: syncs + 1, objectsScanned: before + objectsScanned });
  }

  /** Since the start. */
  of(controller: string): Work {
    return this.#work.get(controller) ?? nothing;
  }

  /** Of all controllers together. */
  get objectsScanned(): number {
    let sum = 0;
    for (const { objectsScanned } of this.#work.values()) sum += objectsScanned;
    return sum;
  }
}
