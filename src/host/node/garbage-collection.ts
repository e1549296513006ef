// How V8 clears away garbage. Flags hold for the whole process; V8 reads these before each collection.
import { availableParallelism } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";

const coresMax = 4;

/**
 * Call first. A scavenge is shared among threads and waits for the last of them; where clients of the server keep the other
 * core busy, that thread does not run, and everybody waits with it. On a busy machine all pauses together were three times
 * as long as one thread's (docs/performance.md).
 */
export function scavengeAloneOnFewCores(): void {
  if (availableParallelism() <= coresMax) setFlagsFromString("--no-parallel-scavenge");
}

const growthPercent = 20;
/** Up to here a whole collection is cheap; beyond, how often one is due is left to V8. */
const smallBytesMax = 192 * 1024 * 1024;
const lookMs = 5_000;

/**
 * A small heap is collected each time it has grown by a fifth. Left to itself V8 lets it double or more: what a storm of
 * requests leaves in the old generation, once they are answered, then costs as much memory as those that wait.
 */
export function growSmallHeapsSlowly(): void {
  let percent: number | undefined;
  const look = (): void => {
    const wanted = getHeapStatistics().used_heap_size <= smallBytesMax ? growthPercent : 0;
    if (wanted === percent) return;
    percent = wanted;
    setFlagsFromString(`--heap-growing-percent=${wanted}`);
  };
  look();
  setInterval(look, lookMs).unref();
}
