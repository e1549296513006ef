// Binds PersistentVolumeClaims and PersistentVolumes to each other. One worker for all: two claims must not be given the
// same volume.
import type { Node } from "../../api/types/core-v1.ts";
import { keyOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { claimKeysOf } from "../../api/volume/pod-claims.ts";
import { byClaim } from "../claim-protection/pod-claims.ts";
import { volumeAnnotations } from "../../api/volume/annotations.ts";
import { applyClaim, applyVolume } from "./apply.ts";
import type { Claim } from "./claim-and-volume.ts";
import { claimClassOf } from "../../api/volume/match.ts";
import { planClaim } from "./plan.ts";
import { planVolume } from "./plan-volume.ts";

const account = "persistent-volume-binder";
const recorderName = "persistentvolume-controller";
/** --pvclaimbinder-sync-period; who waits says so again. */
const resyncMs = 15_000;
/** Keys of one queue: claims are namespaced, volumes are not. */
const isClaimKey = (key: string): boolean => key.includes("/");

export function createVolumeBinder(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf(account);
  const claims = informers.of("persistentvolumeclaims");
  const volumes = informers.of("persistentvolumes");
  const classes = informers.of("storageclasses.storage.k8s.io");
  const nodes = informers.of("nodes");
  const pods = informers.of("pods", [byClaim]);
  const writer = {
    volumes: client.resource("persistentvolumes"),
    claims: client.resource("persistentvolumeclaims"),
    recorder: context.recorderOf(recorderName, client),
    now: () => host.clock.now(),
  };

  const isWaiting = (key: string): boolean => claims.lister.find(key)?.status?.phase !== "Bound";
  const waitingClaims = (): string[] => claims.lister.list().map(keyOf).filter(isWaiting);

  const nodeOf = (claim: Claim): Node | undefined => {
    const selected = claim.metadata.annotations?.[volumeAnnotations.selectedNode];
    const used = pods.lister.by(byClaim, keyOf(claim)).find(({ spec }) => spec?.nodeName);
    const name = selected ?? used?.spec?.nodeName;
    return name === undefined ? undefined : nodes.lister.find(name);
  };

  const syncClaim = async (key: string): Promise<SyncOutcome | void> => {
    const claim = claims.lister.find(key);
    if (claim === undefined) return;
    const plan = planClaim({
      claim,
      volumes: volumes.lister.list(),
      storageClass: classes.lister.find(claimClassOf(claim)),
      node: nodeOf(claim),
      waitingPod: pods.lister.by(byClaim, key).find(({ spec }) => !spec?.nodeName)?.metadata.name,
    });
    await applyClaim(claim, plan, writer);
    return plan.do === "wait" ? { requeueAfterMs: resyncMs } : {};
  };

  const syncVolume = async (name: string): Promise<void> => {
    const volume = volumes.lister.find(name);
    if (volume === undefined) return;
    const { namespace = "", name: claimName = "" } = volume.spec?.claimRef ?? {};
    const claimKey = `${namespace}/${claimName}`;
    const plan = planVolume(volume, claims.lister.find(claimKey));
    if (plan.do === "wakeClaim") controller.queue.add(claimKey);
    else await applyVolume(volume, plan, writer);
  };

  const controller: Controller = new Controller(host, {
    name: account,
    workers: 1,
    retry: retryUsual,
    sync: (key) => (isClaimKey(key) ? syncClaim(key) : syncVolume(key)),
  });
  controller.needs(nodes);
  controller.needs(classes);
  controller.watch(claims, ({ object }) => {
    const { volumeName } = object.spec ?? {};
    return volumeName === undefined ? [keyOf(object)] : [keyOf(object), volumeName];
  });
  controller.watch(volumes, ({ type, object }) => {
    const { claimRef } = object.spec ?? {};
    const keys = claimRef === undefined ? [] : [`${claimRef.namespace}/${claimRef.name}`];
    if (type === "deleted") return keys;
    // A volume that has become free may be what some claim waits for.
    const isFree = claimRef === undefined && object.status?.phase === "Available";
    return [keyOf(object), ...keys, ...(isFree ? waitingClaims() : [])];
  });
  controller.watch(pods, ({ type, object }) =>
    type !== "deleted" ? claimKeysOf(object).filter(isWaiting) : [],
  );
  return controller;
}
