// The clock's `turn`: those who wait for a turn go on in the order they came, a slice of them in each turn of the loop.
import { LoopPhases } from "./loop-phases.ts";

const waiting = new Set<() => void>();

const phases = new LoopPhases({
  count: () => waiting.size,
  begin() {
    const [resume] = waiting;
    if (resume === undefined) return;
    waiting.delete(resume);
    resume();
  },
});

/** Resolves in a later turn of the loop, after sockets had their chance. */
export function fairTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(resolve);
    phases.arm();
  });
}
