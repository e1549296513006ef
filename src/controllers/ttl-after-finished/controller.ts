// Deletes finished Jobs, with their pods, when their ttlSecondsAfterFinished is over (upstream:
// pkg/controller/ttlafterfinished).
import type { Job } from "../../api/types/batch-v1.ts";
import type { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import { keyOf, refOf, refOfKey } from "../../client/served-object.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { expiresAt } from "./plan.ts";

const workers = 5;

export function createTtlAfterFinishedController(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf("ttl-after-finished-controller");
  const jobs = informers.of("jobs.batch");
  const controller = new Controller(host, {
    name: "ttl-after-finished-controller",
    workers,
    retry: retryUsual,
    sync: (key) => expire(host, client, { key, job: jobs.lister.find(key) }),
  });
  controller.watch(jobs, ({ type, object }) =>
    type === "deleted" || expiresAt(object) === undefined ? [] : [keyOf(object)],
  );
  return controller;
}

async function expire(
  host: Host,
  client: Client,
  { key, job }: { readonly key: string; readonly job: Job | undefined },
): Promise<SyncOutcome | void> {
  const at = job === undefined ? undefined : expiresAt(job);
  if (at === undefined) return;
  const left = at - host.clock.now();
  if (left > 0) return { requeueAfterMs: left };
  const jobs = client.resource("jobs.batch");
  // The time to live may have been raised since: only the live object counts.
  const fresh = await jobs.find(refOfKey(key));
  const freshAt = fresh === undefined ? undefined : expiresAt(fresh);
  if (fresh === undefined || freshAt === undefined || freshAt > host.clock.now()) return;
  const { uid, resourceVersion } = fresh.metadata;
  try {
    await jobs.delete(refOf(fresh), {
      propagationPolicy: "Foreground",
      preconditions: { uid, resourceVersion },
    });
  } catch (error) {
    if (reasonOf(error) !== "NotFound") throw error;
  }
}
