// What a Deployment is: one ReplicaSet per template, the newest of which takes over from the others as its strategy
// says. Pure; one sync does one step (upstream: pkg/controller/deployment/{deployment_controller,sync,recreate}.go).
import type { Deployment, DeploymentStatus, ReplicaSet } from "../../api/types/apps-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { isTerminating } from "../pods/pod-state.ts";
import { sameStatus } from "../pods/same-status.ts";
import {
  type Family,
  type Member,
  boundsOf,
  draftSet,
  findNewSet,
  isRecreate,
  memberOf,
  membersOf,
  resized,
  sizeOf,
  totalSize,
} from "./family.ts";
import { type Scaled, isScaling, scale } from "./proportional.ts";
import {
  type Annotations,
  annotationsOfDeployment,
  annotationsOfNew,
  nextRevision,
  revisionOf,
  withSize,
} from "./revision.ts";
import { rollingStep, sizeOfNew } from "./rolling.ts";
import {
  conditionsBefore,
  isComplete,
  rolloutStatusOf,
  statusOf,
  untilDeadlineMs,
} from "./status.ts";

export interface DeploymentView {
  readonly deployment: Readonly<Served<Deployment>>;
  /** Those it controls. */
  readonly sets: readonly Readonly<Served<ReplicaSet>>[];
  /** By UID of a ReplicaSet, how many of its pods may still run; only a Recreate looks. */
  readonly podsLeft: ReadonlyMap<string, number>;
}

export interface SetUpdate {
  readonly set: ReplicaSet;
  readonly from: number;
  readonly to: number;
}

export interface DeploymentPlan {
  /** With its size. */
  readonly create: ReplicaSet | undefined;
  readonly update: readonly SetUpdate[];
  readonly delete: readonly Readonly<Served<ReplicaSet>>[];
  /** Status and annotations; undefined when both are written already. */
  readonly deployment: Deployment | undefined;
  readonly requeueAfterMs: number | undefined;
}

/** What became of the family, and whether the rollout's progress is to be judged by it. */
interface Step {
  readonly family: Family;
  readonly touched: readonly Member[];
  readonly judged: boolean;
  readonly cleanUp: boolean;
}

export function planDeployment(view: DeploymentView, now: number): DeploymentPlan {
  const { deployment } = view;
  const present = familyOf(view);
  const step = nextStep(view, present);
  const { family } = step;
  const conditions = isTerminating(deployment)
    ? (deployment.status?.conditions ?? [])
    : conditionsBefore(deployment, family, now);
  const judge = step.judged ? rolloutStatusOf : statusOf;
  const status = judge(deployment, family, { conditions, now });
  const newest = family.newest;
  const annotations =
    newest === undefined ? undefined : annotationsOfDeployment(deployment, newest.set);
  return {
    create:
      newest?.stored === undefined && newest !== undefined ? sized(deployment, newest) : undefined,
    update: membersOf(family).flatMap((member) => updateOf(deployment, member, step.touched)),
    delete: step.cleanUp ? expired(deployment, family) : [],
    deployment: changed(deployment, status, annotations),
    requeueAfterMs: untilDeadlineMs(deployment, status, now),
  };
}

function nextStep(view: DeploymentView, present: Family): Step {
  const { deployment } = view;
  const { spec } = deployment;
  if (isTerminating(deployment))
    return { family: present, touched: [], judged: false, cleanUp: false };
  if (spec?.paused === true)
    return { ...scaled(scale(deployment, present)), judged: false, cleanUp: true };
  if (isScaling(deployment, present))
    return { ...scaled(scale(deployment, present)), judged: false, cleanUp: false };
  const family = isRecreate(spec)
    ? recreateStep(view, present)
    : rollingStep(deployment, withNewest(deployment, present));
  const touched = membersOf(family).filter((member) => member.size !== sizeOf(member.set));
  const done = touched.length === 0 && isComplete(deployment, deployment.status);
  return { family, touched, judged: true, cleanUp: done };
}

function scaled({ family, touched }: Scaled): Pick<Step, "family" | "touched"> {
  return { family, touched };
}

/** The ReplicaSets as they are, the new one with the annotations and minReadySeconds it should have. */
function familyOf({ deployment, sets }: DeploymentView): Family {
  const found = findNewSet(deployment, sets);
  const old = sets.filter((set) => set !== found).map(memberOf);
  if (found === undefined) return { newest: undefined, old };
  const annotations = annotationsOfNew(deployment, found, nextRevision(old.map(({ set }) => set)));
  const spec = { ...found.spec, minReadySeconds: deployment.spec?.minReadySeconds ?? 0 };
  const set = { ...found, metadata: { ...found.metadata, annotations }, spec };
  return { newest: { stored: found, set, size: sizeOf(found) }, old };
}

/** With a new ReplicaSet to be made if there is none yet. */
function withNewest(deployment: Readonly<Served<Deployment>>, family: Family): Family {
  if (family.newest !== undefined) return family;
  const { old } = family;
  const draft = draftSet(deployment);
  const annotations = annotationsOfNew(deployment, draft, nextRevision(old.map(({ set }) => set)));
  const set = { ...draft, metadata: { ...draft.metadata, annotations } };
  const size = sizeOfNew(deployment, 0, totalSize(old));
  return { newest: { stored: undefined, set, size }, old };
}

/** No pod of the new revision before the last of the old ones is gone. */
function recreateStep({ deployment, podsLeft }: DeploymentView, family: Family): Family {
  const { newest, old } = family;
  if (totalSize(old) > 0) return { newest, old: old.map((member) => resized(member, 0)) };
  const { uid } = newest?.stored?.metadata ?? {};
  const oldPods = [...podsLeft].some(([owner, count]) => owner !== uid && count > 0);
  if (oldPods || old.some(({ set }) => (set.status?.replicas ?? 0) > 0)) return family;
  const complete = withNewest(deployment, family);
  if (complete.newest === undefined) return complete;
  const { replicas } = boundsOf(deployment);
  return { newest: { ...complete.newest, size: replicas }, old };
}

function sized(deployment: Deployment, { set, size }: Member): ReplicaSet {
  const { replicas, maxSurge } = boundsOf(deployment);
  const annotations = withSize(set.metadata.annotations ?? {}, replicas, replicas + maxSurge);
  return {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...set.spec, replicas: size },
  };
}

/** Nothing for members that are to be created, and for those that are as they should be. */
function updateOf(
  deployment: Deployment,
  member: Member,
  touched: readonly Member[],
): readonly SetUpdate[] {
  const { stored, set } = member;
  if (stored === undefined) return [];
  const resized = touched.some((one) => one.set.metadata.name === set.metadata.name);
  const wanted = resized ? sized(deployment, member) : set;
  const same =
    sameStatus(stored.metadata.annotations, wanted.metadata.annotations) &&
    sameStatus(stored.spec, wanted.spec);
  return same ? [] : [{ set: wanted, from: sizeOf(stored), to: sizeOf(wanted) }];
}

/** Old ReplicaSets beyond the history limit that hold nothing any more, lowest revision first. */
function expired({ spec }: Deployment, { old }: Family): readonly Readonly<Served<ReplicaSet>>[] {
  const limit = spec?.revisionHistoryLimit;
  if (limit === undefined || limit === noLimit) return [];
  const kept = old.flatMap(({ stored }) =>
    stored === undefined || isTerminating(stored) ? [] : [stored],
  );
  const surplus = Math.max(0, kept.length - limit);
  return kept
    .toSorted((a, b) => revisionOf(a) - revisionOf(b))
    .slice(0, surplus)
    .filter(isIdle);
}

const noLimit = 2 ** 31 - 1;

function isIdle(set: Readonly<Served<ReplicaSet>>): boolean {
  const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
  return (
    replicas === 0 && sizeOf(set) === 0 && (set.metadata.generation ?? 0) <= observedGeneration
  );
}

function changed(
  deployment: Readonly<Served<Deployment>>,
  status: DeploymentStatus,
  annotations: Annotations | undefined,
): Deployment | undefined {
  if (annotations === undefined && sameStatus(deployment.status, status)) return undefined;
  const metadata = {
    ...deployment.metadata,
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
  };
  return { ...deployment, metadata, status };
}
