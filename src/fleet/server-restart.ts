// Notices that the server was away and is back, by asking it as a probe would.
import type { ApiCaller } from "../client/api-caller.ts";
import { AbortedError, pause } from "../client/waiting.ts";
import type { Clock } from "../host/host.ts";
import { drain } from "./streamed-resource.ts";

/** A restart that is over sooner goes unnoticed. */
const probeMs = 100;

/** Rejects with AbortedError. `caller` must not try again by itself. */
export async function whenServerWasAway(
  clock: Clock,
  caller: ApiCaller,
  signal: AbortSignal,
): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    try {
      const { body } = await caller.answer({ method: "GET", path: "/readyz" }, signal);
      await drain(body, signal, () => undefined);
      return true;
    } catch (error) {
      if (error instanceof AbortedError) throw error;
      return false;
    }
  };
  while (await isReady()) await pause(clock, probeMs, signal);
  while (!(await isReady())) await pause(clock, probeMs, signal);
}
