// Clears away the identity Leases of API servers that are gone, once an hour. Upstream the API server does it for
// itself; here it acts as the garbage collector, whose account may delete anything.
import type { Lease } from "../../api/types/coordination-v1.ts";
import { reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { refOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller } from "../../informer/controller.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { isExpired, leaseProfile } from "./plan.ts";

const account = "generic-garbage-collector";
const { namespace, labelSelector, periodMs } = leaseProfile;

export function createLeaseGarbageCollector(context: ComponentContext): Component {
  const { host } = context;
  const leases = context.clientOf(account).resource("leases.coordination.k8s.io");
  const controller = new Controller(host, {
    name: "lease-garbage-collector",
    workers: 1,
    retry: retryUsual,
    async sync() {
      const { items } = await leases.list({ namespace, labelSelector });
      for (const lease of items)
        if (isExpired(lease, host.clock.now())) await remove(lease, leases);
      return { requeueAfterMs: periodMs };
    },
  });
  controller.queue.addAfter(namespace, periodMs);
  return controller;
}

async function remove(lease: Lease, leases: ResourceClient<Lease>): Promise<void> {
  const { uid = "", resourceVersion = "" } = lease.metadata;
  try {
    // Not if it was renewed since.
    await leases.delete(refOf(lease), { preconditions: { uid, resourceVersion } });
  } catch (error) {
    if (reasonOf(error) !== "NotFound" && reasonOf(error) !== "Conflict") throw error;
  }
}
