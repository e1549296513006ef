// The DaemonSet controller: which change wakes which DaemonSet, and one sync of one DaemonSet.
import { labelSelectorOf } from "../../api/meta/label-selector.ts";
import type { ControllerRevision, DaemonSet } from "../../api/types/apps-v1.ts";
import type { Node, Pod } from "../../api/types/core-v1.ts";
import { type Served, keyOf, refOf } from "../../client/served-object.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { Expectations } from "../../informer/expectations.ts";
import { byController } from "../../informer/index-functions.ts";
import type { Lister } from "../../informer/indexer.ts";
import type { Change } from "../../informer/informer.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { equalJson } from "../../std/json.ts";
import { dropRevisions, recordRevision } from "../history/record.ts";
import { type RevisionOwner, byRevision, expiredRevisions } from "../history/revision.ts";
import { claim, orphans, settle } from "../pods/controller-ref.ts";
import { expectPods } from "../pods/expect-pods.ts";
import { type Owners, ownerKeys } from "../pods/owner-keys.ts";
import { PodControl } from "../pods/pod-control.ts";
import { isTerminating } from "../pods/pod-state.ts";
import { type DaemonSetWriter, applyPlan } from "./apply.ts";
import { hashLabel, nodeOf } from "./daemon-pod.ts";
import { FailedPods } from "./failed-pods.ts";
import { planDaemonSet } from "./plan.ts";

/** --concurrent-daemonset-syncs. */
const workers = 2;
const account = "daemon-set-controller";
const eventSource = "daemonset-controller";
const historyLimitUsual = 10;

interface Parts {
  readonly host: Host;
  readonly owners: Owners<DaemonSet>;
  readonly nodes: Lister<Node>;
  readonly pods: Lister<Pod>;
  readonly revisions: Lister<ControllerRevision>;
  readonly podClient: ResourceClient<Pod>;
  readonly revisionClient: ResourceClient<ControllerRevision>;
  readonly writer: DaemonSetWriter;
  readonly failedPods: FailedPods;
}

type Set = Readonly<Served<DaemonSet>>;

export function createDaemonSetController(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf(account);
  const sets = informers.of("daemonsets.apps");
  const nodes = informers.of("nodes");
  const pods = informers.of("pods", [byController, orphans]);
  const revisions = informers.of("controllerrevisions.apps", [byController]);
  const owners: Owners<DaemonSet> = {
    kind: "DaemonSet",
    lister: sets.lister,
    selectorOf: ({ spec }) => labelSelectorOf(spec?.selector),
  };
  const recorder = context.recorderOf(eventSource, client);
  const expectations = new Expectations(host.clock);
  const podClient = client.resource("pods");
  const parts: Parts = {
    host,
    owners,
    nodes: nodes.lister,
    pods: pods.lister,
    revisions: revisions.lister,
    podClient,
    revisionClient: client.resource("controllerrevisions.apps"),
    writer: {
      sets: client.resource("daemonsets.apps"),
      podControl: new PodControl(podClient, recorder),
      expectations,
      recorder,
    },
    failedPods: new FailedPods(host.clock),
  };
  const controller = new Controller(host, {
    name: account,
    workers,
    retry: retryUsual,
    sync: (key) => sync(parts, key),
  });
  expectPods(pods, owners, expectations);
  controller.watch(sets, ({ object }) => [keyOf(object)]);
  controller.watch(pods, (change) => ownerKeys(owners, change));
  controller.watch(nodes, (change) => (matters(change) ? sets.lister.list().map(keyOf) : []));
  controller.needs(revisions);
  return controller;
}

async function sync(parts: Parts, key: string): Promise<SyncOutcome | void> {
  const { host, owners, writer, revisionClient } = parts;
  const set = owners.lister.find(key);
  if (set === undefined) return writer.expectations.forget(key);
  if (selectsAll(set)) {
    const message = "This daemon set is selecting all pods. A non-empty selector is required.";
    writer.recorder.event(set, "Warning", "SelectingAll", message);
    return;
  }
  if (isTerminating(set)) return;
  const history = parts.revisions.by(byController, set.metadata.uid).toSorted(byRevision);
  const { revision, collisionCount } = await recordRevision(present(set), history, revisionClient);
  const hash = revision.metadata.labels?.[hashLabel] ?? "";
  const caughtUp = writer.expectations.satisfied(key);
  const pods = await gatherPods(parts, set);
  const failedWaitsMs = caughtUp ? waitsOf(parts, set, pods) : new Map<string, number>();
  const nodes = parts.nodes.list();
  const view = { set, nodes, pods, hash, collisionCount, caughtUp, failedWaitsMs };
  const plan = planDaemonSet(view, host.clock.now());
  await applyPlan(set, hash, plan, writer);
  const limit = set.spec?.revisionHistoryLimit ?? historyLimitUsual;
  const isLive = (one: ControllerRevision): boolean => isUsed(one, revision, pods);
  await dropRevisions(expiredRevisions(history, isLive, limit), revisionClient);
  const { requeueAfterMs } = plan;
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

function gatherPods(parts: Parts, set: Set): Promise<readonly Served<Pod>[]> {
  const { pods, owners, writer, podClient } = parts;
  const { uid, namespace = "" } = set.metadata;
  const candidates = [...pods.by(byController, uid), ...pods.by(orphans, namespace)];
  const claimed = claim(set, candidates, { selector: owners.selectorOf(set) });
  const freshOwner = () => writer.sets.find(refOf(set));
  return settle(claimed, { owner: set, freshOwner, objects: podClient });
}

function waitsOf({ failedPods }: Parts, set: Set, pods: readonly Pod[]): Map<string, number> {
  const waits = new Map<string, number>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    if (node === undefined || pod.status?.phase !== "Failed" || isTerminating(pod)) continue;
    waits.set(node, failedPods.waitMs(`${set.metadata.uid}/${node}`));
  }
  return waits;
}

function present(set: Set): RevisionOwner {
  return {
    owner: set,
    template: set.spec?.template ?? { metadata: {} },
    hashLabel,
    collisionCount: set.status?.collisionCount ?? 0,
  };
}

/** Heartbeats come every few seconds from every node and change nothing for a daemon. */
function matters(change: Change<Node>): boolean {
  if (change.type !== "updated") return true;
  const { object, previous } = change;
  return (
    !equalJson(object.metadata.labels ?? {}, previous.metadata.labels ?? {}) ||
    !equalJson(object.spec ?? {}, previous.spec ?? {})
  );
}

function isUsed(
  { metadata }: ControllerRevision,
  present: ControllerRevision,
  pods: readonly Pod[],
): boolean {
  if (metadata.name === present.metadata.name) return true;
  const hash = metadata.labels?.[hashLabel];
  return pods.some((pod) => pod.metadata.labels?.[hashLabel] === hash);
}

function selectsAll({ spec }: DaemonSet): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
