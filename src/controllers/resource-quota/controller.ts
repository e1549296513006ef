// Keeps the used numbers of ResourceQuotas. What a quota limits is watched from the first quota on that limits it.
import type { KubeObject } from "../../api/object.ts";
import { usageOf } from "../../api/quota/object-usage.ts";
import type { ResourceName } from "../../client/client.ts";
import { type ApiObject, keyOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { byNamespace } from "../../informer/index-functions.ts";
import type { Change, Informer } from "../../informer/informer.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { equalJson } from "../../std/json.ts";
import { isTerminating } from "../pods/pod-state.ts";
import { applyQuota } from "./apply.ts";
import { planQuota, resourcesOf } from "./plan.ts";
import { RecentCharges } from "./recent-charges.ts";

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
  const charges = new RecentCharges();
  const watched = new Map<ResourceName, Informer<ApiObject>>();

  const watch = (resource: ResourceName): Informer<ApiObject> => {
    let informer = watched.get(resource);
    if (informer !== undefined) return informer;
    informer = informers.of(resource) as unknown as Informer<ApiObject>;
    watched.set(resource, informer);
    informer.addHandler((change) => {
      if (!mayMatter(resource, change)) return;
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
    if (quota === undefined) {
      charges.delete(key);
      return;
    }
    const restMs = charges.restMs(key, host.clock.monotonic());
    if (restMs > 0) return { requeueAfterMs: restMs };
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
  // Admission charges by writing the status: that is no reason to count anew.
  controller.watch(quotas, (change) => {
    const key = keyOf(change.object);
    const isCharge =
      change.type === "updated" &&
      equalJson(change.previous.spec, change.object.spec) &&
      change.object.status?.hard !== undefined;
    if (isCharge) charges.note(key, host.clock.monotonic());
    return isCharge ? [] : [key];
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
function mayMatter(resource: ResourceName, change: Change<ApiObject>): boolean {
  if (change.type !== "updated") return change.type === "deleted";
  const { previous, object } = change;
  // Once its grace is over, it stops counting.
  if (isTerminating(object) && !isTerminating(previous)) return true;
  const [before, after] = [previous, object].map((one) => usageOf(resource, one as KubeObject, 0));
  return [...before!].some(([name, { nanos }]) => nanos > (after!.get(name)?.nanos ?? 0n));
}
