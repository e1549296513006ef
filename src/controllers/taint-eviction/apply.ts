// Evicts one pod: by deleting it, which lets it end gracefully and heeds no disruption budget.
import type { Pod } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import { type Served, refOf } from "../../client/served-object.ts";
import { pause } from "../../client/waiting.ts";
import type { Clock } from "../../host/host.ts";
import { disruptionOf, patchPodStatus } from "../pod-status.ts";
import type { TaintEvictionProfile } from "./profile.ts";

export interface Eviction {
  readonly pod: Readonly<Served<Pod>>;
  readonly profile: TaintEvictionProfile;
  readonly signal: AbortSignal;
}

/** Rejects after the last try. */
export async function evict(client: Client, clock: Clock, eviction: Eviction): Promise<void> {
  const { triesMax, retryMs } = eviction.profile;
  for (let tries = 1; ; tries++) {
    try {
      return await evictOnce(client, clock, eviction);
    } catch (error) {
      if (reasonOf(error) === "NotFound") return;
      if (tries === triesMax || eviction.signal.aborted) throw error;
      await pause(clock, retryMs, eviction.signal);
    }
  }
}

async function evictOnce(client: Client, clock: Clock, eviction: Eviction): Promise<void> {
  const { pod, profile, signal } = eviction;
  const pods = client.resource("pods");
  if (profile.tellsCondition) {
    const fresh = await pods.get(refOf(pod), { signal });
    if (fresh.metadata.uid !== pod.metadata.uid) return;
    const condition = disruptionOf(fresh, disruption, clock.now());
    if (condition !== undefined) await patchPodStatus(client, fresh, { conditions: [condition] });
  }
  await pods.delete(refOf(pod), { signal });
}

const disruption = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};
