// Keeps claims that pods use, and volumes that are bound, from vanishing under those who need them.
import type { Pod } from "../../api/types/core-v1.ts";
import { keyOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller } from "../../informer/controller.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { applyProtection } from "./apply.ts";
import { claimFinalizer, isBound, planProtection, usesClaims, volumeFinalizer } from "./plan.ts";
import { claimKeysOf } from "../../api/volume/pod-claims.ts";
import { byClaim } from "./pod-claims.ts";

const claimAccount = "pvc-protection-controller";
const volumeAccount = "pv-protection-controller";

export function createClaimProtection(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf(claimAccount);
  const claims = informers.of("persistentvolumeclaims");
  const pods = informers.of("pods", [byClaim]);
  const writer = client.resource("persistentvolumeclaims");

  /** The view may be behind, and what goes is gone: ask. */
  const isUsedNow = async (key: string, namespace: string | undefined): Promise<boolean> => {
    const { items } = await client.resource("pods").list({ namespace });
    return items.some((pod) => usesClaims(pod) && claimKeysOf(pod).includes(key));
  };

  const controller = new Controller(host, {
    name: claimAccount,
    workers: 1,
    retry: retryUsual,
    async sync(key) {
      const claim = claims.lister.find(key);
      if (claim === undefined) return;
      const inUse = pods.lister.by(byClaim, key).some(usesClaims);
      const plan = planProtection(claim, claimFinalizer, inUse);
      if (plan === "release" && (await isUsedNow(key, claim.metadata.namespace))) return;
      await applyProtection(claim, { do: plan, finalizer: claimFinalizer }, writer);
    },
  });
  controller.watch(claims, ({ object }) => [keyOf(object)]);
  controller.watch(pods, ({ type, object }) =>
    type === "deleted" || !usesClaims(object as Pod) ? claimKeysOf(object) : [],
  );
  return controller;
}

export function createVolumeProtection(context: ComponentContext): Component {
  const { host, informers } = context;
  const volumes = informers.of("persistentvolumes");
  const writer = context.clientOf(volumeAccount).resource("persistentvolumes");
  const controller = new Controller(host, {
    name: volumeAccount,
    workers: 1,
    retry: retryUsual,
    async sync(key) {
      const volume = volumes.lister.find(key);
      if (volume === undefined) return;
      const plan = planProtection(volume, volumeFinalizer, isBound(volume));
      await applyProtection(volume, { do: plan, finalizer: volumeFinalizer }, writer);
    },
  });
  controller.watch(volumes, ({ object }) => [keyOf(object)]);
  return controller;
}
