// The Deployment controller: which change wakes which Deployment, and one sync of one Deployment.
import { labelSelectorOf } from "../../api/meta/label-selector.ts";
import type { Deployment, ReplicaSet } from "../../api/types/apps-v1.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import { type Served, keyOf, refOf } from "../../client/served-object.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { byController, controllerOf } from "../../informer/index-functions.ts";
import type { Change } from "../../informer/informer.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { claim, orphans, settle } from "../pods/controller-ref.ts";
import { type Owners, controllingOwner, ownerKeys } from "../pods/owner-keys.ts";
import { isFinished } from "../pods/pod-state.ts";
import { applyPlan } from "./apply.ts";
import { isRecreate } from "./family.ts";
import { planDeployment } from "./plan.ts";

/** --concurrent-deployment-syncs. */
const workers = 5;
const account = "deployment-controller";

export function createDeploymentController(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf(account);
  const recorder = context.recorderOf(account, client);
  const deployments = informers.of("deployments.apps");
  const sets = informers.of("replicasets.apps", [byController, orphans]);
  const pods = informers.of("pods", [byController]);
  const owners: Owners<Deployment> = {
    kind: "Deployment",
    lister: deployments.lister,
    selectorOf: ({ spec }) => labelSelectorOf(spec?.selector),
  };
  const writer = {
    clock: host.clock,
    deployments: client.resource("deployments.apps"),
    sets: client.resource("replicasets.apps"),
    recorder,
  };

  const gatherSets = (
    deployment: Readonly<Served<Deployment>>,
  ): Promise<readonly Served<ReplicaSet>[]> => {
    const { uid, namespace = "" } = deployment.metadata;
    const candidates = [
      ...sets.lister.by(byController, uid),
      ...sets.lister.by(orphans, namespace),
    ];
    const claimed = claim(deployment, candidates, { selector: owners.selectorOf(deployment) });
    const freshOwner = () => writer.deployments.find(refOf(deployment));
    return settle(claimed, { owner: deployment, freshOwner, objects: writer.sets });
  };
  const countPods = (set: ReplicaSet): number =>
    pods.lister.by(byController, set.metadata.uid ?? "").filter((pod) => !isFinished(pod)).length;

  const sync = async (key: string): Promise<SyncOutcome | void> => {
    const deployment = deployments.lister.find(key);
    if (deployment === undefined) return;
    if (selectsAll(deployment)) {
      const message = "This deployment is selecting all pods. A non-empty selector is required.";
      recorder.event(deployment, "Warning", "SelectingAll", message);
      return;
    }
    const owned = await gatherSets(deployment);
    // Counting is dear, and only a Recreate asks.
    const counted = isRecreate(deployment.spec) ? owned : [];
    const podsLeft = new Map(counted.map((set) => [set.metadata.uid, countPods(set)]));
    const plan = planDeployment({ deployment, sets: owned, podsLeft }, host.clock.now());
    await applyPlan(deployment, plan, writer);
    const { requeueAfterMs } = plan;
    return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  };

  /** A Recreate waits for the last old pod to be gone; nothing else of a Deployment hangs on a single pod. */
  const keysOfPod = ({ type, object }: Change<Pod>): string[] => {
    if (type !== "deleted" && !isFinished(object)) return [];
    const namespace = object.metadata.namespace ?? "";
    const set = sets.lister.find(`${namespace}/${controllerOf(object)?.name ?? ""}`);
    const deployment = set === undefined ? undefined : controllingOwner(owners, set);
    return deployment !== undefined && isRecreate(deployment.spec) ? [keyOf(deployment)] : [];
  };

  const controller = new Controller(host, { name: account, workers, retry: retryUsual, sync });
  controller.watch(deployments, ({ object }) => [keyOf(object)]);
  controller.watch(sets, (change) => ownerKeys(owners, change));
  controller.watch(pods, keysOfPod);
  return controller;
}

function selectsAll({ spec }: Deployment): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
