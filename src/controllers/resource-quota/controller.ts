// Keeps the used numbers of ResourceQuotas. What a quota limits is watched from the first quota on that limits it.
import type { Pod } from "../../api/types/core-v1.ts";
import type { ResourceName } from "../../client/client.ts";
import { type ApiObject, keyOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { byNamespace } from "../../informer/index-functions.ts";
import type { Change, Informer } from "../../informer/informer.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { equalJson } from "../../std/json.ts";
import { isFinished, isTerminating } from "../pods/pod-state.ts";
import { applyQuota } from "./apply.ts";
import { planQuota, resourcesOf } from "./plan.ts";

const account = "resourcequota-controller";
/** --concurrent-resource-quota-syncs */
const workers = 5;
/** --resource-quota-sync-period; pods also stop counting merely by time passing. */
const resyncMs = 300_000;

export function createResourceQuotaController(context: ComponentContext): Component {
  const { host, informers } = context;
  const quotas = informers.of("resourcequotas");
  const writer = context.clientOf(account).resource("resourcequotas");
  const stopping = new AbortController();
  const watched = new Map<ResourceName, Informer<ApiObject>>();

  const watch = (resource: ResourceName): Informer<ApiObject> => {
    let informer = watched.get(resource);
    if (informer !== undefined) return informer;
    informer = informers.of(resource) as unknown as Informer<ApiObject>;
    watched.set(resource, informer);
    informer.addHandler((change) => {
      if (!mayMatter(change)) return;
      const { namespace = "" } = change.object.metadata;
      for (const quota of quotas.lister.by(byNamespace, namespace))
        if (resourcesOf(quota).includes(resource)) controller.queue.add(keyOf(quota));
    });
    return informer;
  };

  const sync = async (key: string): Promise<SyncOutcome | void> => {
    const asked = quotas.lister.find(key);
    if (asked === undefined) return;
    const { signal } = stopping;
    await Promise.all(resourcesOf(asked).map((resource) => watch(resource).whenSynced(signal)));
    const quota = quotas.lister.find(key);
    if (quota === undefined) return;
    const { namespace = "" } = quota.metadata;
    const status = planQuota(
      quota,
      (resource) => watch(resource).lister.by(byNamespace, namespace),
      host.clock.now(),
    );
    await applyQuota(quota, status, writer);
    return { requeueAfterMs: resyncMs };
  };

  const controller = new Controller(host, { name: account, workers, retry: retryUsual, sync });
  // Admission charges by writing the status. To count anew because of that would be to write what the informers, which
  // may not have seen the new object yet, still show.
  controller.watch(quotas, (change) => {
    const isCharge =
      change.type === "updated" && equalJson(change.previous.spec, change.object.spec);
    return isCharge && change.object.status?.hard !== undefined ? [] : [keyOf(change.object)];
  });
  return {
    start: () => controller.start(),
    stop() {
      stopping.abort();
      return controller.stop();
    },
  };
}

/** Whether the object may use less than before: admission has charged for what came. */
function mayMatter(change: Change<ApiObject>): boolean {
  if (change.type !== "updated") return change.type === "deleted";
  const [before, after] = [change.previous as Pod, change.object as Pod];
  return (
    isFinished(before) !== isFinished(after) ||
    isTerminating(before) !== isTerminating(after) ||
    !equalJson(before.spec, after.spec)
  );
}
