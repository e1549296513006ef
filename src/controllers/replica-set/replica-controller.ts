// Keeps the pods of ReplicaSets or ReplicationControllers: which change wakes which owner, and one sync of one owner.
import type { LabelSelector } from "../../api/meta/label-selector.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type Served, refOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { Expectations } from "../../informer/expectations.ts";
import { byController } from "../../informer/index-functions.ts";
import type { Lister } from "../../informer/indexer.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { claim, orphans, settle } from "../pods/controller-ref.ts";
import { expectPods } from "../pods/expect-pods.ts";
import { type Owners, ownerKeys } from "../pods/owner-keys.ts";
import { PodControl } from "../pods/pod-control.ts";
import { type ReplicaWriter, applyPods, applyStatus } from "./apply.ts";
import { type ReplicaOwner, planReplicas, planStatus, requeueAfterMs } from "./plan.ts";

/** In what the two kinds differ. */
export interface ReplicaFlavour {
  readonly kind: string;
  /** Its ServiceAccount in kube-system, and who its Events come from. */
  readonly account: string;
  readonly lister: Lister<ReplicaOwner>;
  /** Has each change of an owner wake that owner. */
  watchOwners(controller: Controller): void;
  readonly resourceOf: (client: Client) => ResourceClient<ReplicaOwner>;
  selectorOf(owner: Readonly<Served<ReplicaOwner>>): LabelSelector;
  readonly countsTerminating: boolean;
  /** All owners whose pods serve one purpose with `owner`'s, itself among them. */
  readonly siblingsOf: (
    owner: Readonly<Served<ReplicaOwner>>,
  ) => readonly Readonly<Served<ReplicaOwner>>[];
}

/** --concurrent-replicaset-syncs and --concurrent-rc-syncs. */
const workers = 5;

export function createReplicaController(
  context: ComponentContext,
  flavour: ReplicaFlavour,
): Component {
  const { host, informers } = context;
  const client = context.clientOf(flavour.account);
  const recorder = context.recorderOf(flavour.account, client);
  const pods = informers.of("pods", [byController, orphans]);
  const owners: Owners<ReplicaOwner> = flavour;
  const expectations = new Expectations(host.clock);
  const writer: ReplicaWriter = {
    owners: flavour.resourceOf(client),
    podControl: new PodControl(client.resource("pods"), recorder),
    expectations,
  };

  const gatherPods = (owner: Readonly<Served<ReplicaOwner>>): Promise<readonly Served<Pod>[]> => {
    const { uid, namespace = "" } = owner.metadata;
    const candidates = [
      ...pods.lister.by(byController, uid),
      // Pods that are over are left to whoever made them.
      ...pods.lister.by(orphans, namespace).filter((pod) => !isOver(pod)),
    ];
    const claimed = claim(owner, candidates, { selector: flavour.selectorOf(owner) });
    const freshOwner = () => writer.owners.find(refOf(owner));
    return settle(claimed, { owner, freshOwner, objects: client.resource("pods") });
  };

  const sync = async (key: string): Promise<SyncOutcome | void> => {
    const owner = flavour.lister.find(key);
    if (owner === undefined) return expectations.forget(key);
    // Asked before pods are read: what is seen in between only makes the count better.
    const caughtUp = expectations.satisfied(key);
    const view = {
      owner,
      pods: await gatherPods(owner),
      related: () =>
        flavour
          .siblingsOf(owner)
          .flatMap(({ metadata }) => pods.lister.by(byController, metadata.uid)),
      caughtUp,
    };
    const trouble = await applyPods(owner, planReplicas(view, host.clock.now()), writer);
    const { countsTerminating } = flavour;
    const now = host.clock.now();
    const status = planStatus({ ...view, failure: trouble?.failure, countsTerminating }, now);
    if (status !== undefined) await applyStatus(owner, status, writer);
    if (trouble !== undefined) throw trouble.error;
    return outcomeOf(requeueAfterMs(view, now));
  };

  const controller = new Controller(host, {
    name: flavour.account,
    workers,
    retry: retryUsual,
    sync,
  });
  expectPods(pods, owners, expectations);
  flavour.watchOwners(controller);
  controller.watch(pods, (change) => ownerKeys(owners, change));
  return controller;
}

function isOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

function outcomeOf(requeueAfterMs: number | undefined): SyncOutcome {
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}
