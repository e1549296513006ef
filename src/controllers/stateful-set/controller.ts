// The StatefulSet controller: which change wakes which StatefulSet, and one sync of one StatefulSet.
import { labelSelectorOf } from "../../api/meta/label-selector.ts";
import type { ControllerRevision, StatefulSet } from "../../api/types/apps-v1.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import { type Served, keyOf, refOf } from "../../client/served-object.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { Host } from "../../host/host.ts";
import type { Component, ComponentContext } from "../../informer/component.ts";
import { Controller, type SyncOutcome } from "../../informer/controller.ts";
import { byController } from "../../informer/index-functions.ts";
import type { Lister } from "../../informer/indexer.ts";
import { retryUsual } from "../../informer/work-queue.ts";
import { dropRevisions, recordRevision } from "../history/record.ts";
import { byRevision, expiredRevisions } from "../history/revision.ts";
import { claim, orphans, settle } from "../pods/controller-ref.ts";
import { type Owners, ownerKeys } from "../pods/owner-keys.ts";
import { type StatefulSetWriter, applyPlan } from "./apply.ts";
import { ordinalOf, podRevision } from "./identity.ts";
import { type StatefulSetView, currentRevisionOf, planStatefulSet } from "./plan.ts";

/** --concurrent-statefulset-syncs. */
const workers = 5;
const account = "statefulset-controller";
const hashLabel = "controller.kubernetes.io/hash";
const historyLimitUsual = 10;

interface Parts {
  readonly host: Host;
  readonly owners: Owners<StatefulSet>;
  readonly pods: Lister<Pod>;
  readonly revisions: Lister<ControllerRevision>;
  readonly revisionClient: ResourceClient<ControllerRevision>;
  readonly writer: StatefulSetWriter;
}

type Set = Readonly<Served<StatefulSet>>;

export function createStatefulSetController(context: ComponentContext): Component {
  const { host, informers } = context;
  const client = context.clientOf(account);
  const sets = informers.of("statefulsets.apps");
  const pods = informers.of("pods", [byController, orphans]);
  const revisions = informers.of("controllerrevisions.apps", [byController]);
  const claims = informers.of("persistentvolumeclaims");
  const owners: Owners<StatefulSet> = {
    kind: "StatefulSet",
    lister: sets.lister,
    selectorOf: ({ spec }) => labelSelectorOf(spec?.selector),
  };
  const parts: Parts = {
    host,
    owners,
    pods: pods.lister,
    revisions: revisions.lister,
    revisionClient: client.resource("controllerrevisions.apps"),
    writer: {
      sets: client.resource("statefulsets.apps"),
      pods: client.resource("pods"),
      claims: client.resource("persistentvolumeclaims"),
      knownClaims: claims.lister,
      recorder: context.recorderOf(account, client),
    },
  };
  const controller = new Controller(host, {
    name: account,
    workers,
    retry: retryUsual,
    sync: (key) => sync(parts, key),
  });
  controller.watch(sets, ({ object }) => [keyOf(object)]);
  controller.watch(pods, (change) => ownerKeys(owners, change));
  controller.needs(revisions);
  controller.needs(claims);
  return controller;
}

async function sync(parts: Parts, key: string): Promise<SyncOutcome | void> {
  const set = parts.owners.lister.find(key);
  if (set === undefined) return;
  const view = await gather(parts, set);
  const plan = planStatefulSet(view, parts.host.clock.now());
  await applyPlan(set, plan, parts.writer);
  await dropRevisions(surplusRevisions(view), parts.revisionClient);
  const { requeueAfterMs } = plan;
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

async function gather(parts: Parts, set: Set): Promise<StatefulSetView> {
  const history = parts.revisions.by(byController, set.metadata.uid).toSorted(byRevision);
  const of = {
    owner: set,
    template: set.spec?.template ?? { metadata: {} },
    hashLabel,
    collisionCount: set.status?.collisionCount ?? 0,
  };
  const { revision, collisionCount } = await recordRevision(of, history, parts.revisionClient);
  const others = history.filter(({ metadata }) => metadata.uid !== revision.metadata.uid);
  const pods = await gatherPods(parts, set);
  return { set, pods, updateRevision: revision, revisions: [...others, revision], collisionCount };
}

function gatherPods(parts: Parts, set: Set): Promise<readonly Served<Pod>[]> {
  const { pods, owners, writer } = parts;
  const { uid, namespace = "" } = set.metadata;
  const candidates = [...pods.by(byController, uid), ...pods.by(orphans, namespace)];
  const isClaimable = (pod: Pod): boolean => ordinalOf(set, pod) !== undefined;
  const claimed = claim(set, candidates, { selector: owners.selectorOf(set), isClaimable });
  const freshOwner = () => writer.sets.find(refOf(set));
  return settle(claimed, { owner: set, freshOwner, objects: writer.pods });
}

function surplusRevisions(view: StatefulSetView): readonly Readonly<Served<ControllerRevision>>[] {
  const { set, pods, revisions, updateRevision } = view;
  const used = new Set([
    updateRevision.metadata.name,
    currentRevisionOf(view).metadata.name,
    ...pods.map(podRevision),
  ]);
  const limit = set.spec?.revisionHistoryLimit ?? historyLimitUsual;
  return expiredRevisions(revisions, ({ metadata }) => used.has(metadata.name), limit);
}
