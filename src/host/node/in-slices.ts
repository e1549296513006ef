// Things that wait for a slice of the loop, first come, first served.
import { LoopPhases } from "./loop-phases.ts";

/** What it is given begins in one of the next turns of the loop, a slice of them in each. */
export function inSlices(): (begin: () => void) => void {
  const waiting = new Set<() => void>();
  const phases = new LoopPhases({
    count: () => waiting.size,
    begin() {
      const [begin] = waiting;
      if (begin === undefined) return;
      waiting.delete(begin);
      begin();
    },
  });
  return (begin) => {
    waiting.add(begin);
    phases.arm();
  };
}
