// How V8 clears away garbage. Flags hold for the whole process; V8 reads these before each collection.
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";

const coresMax = 4;

/**
 * Call first. A scavenge is shared among threads and waits for the last of them; where clients of the server keep the other
 * core busy, that thread does not run, and everybody waits with it. On a busy machine all pauses together were three times
 * as long as one thread's (docs/performance.md).
 */
export function scavengeAloneOnFewCores(): void {
  if (availableParallelism() <= coresMax) setFlagsFromString("--no-parallel-scavenge");
}
