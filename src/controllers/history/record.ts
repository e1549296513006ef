// Writes revisions: makes the present template the newest one, and drops those that are no longer kept.
import type { ControllerRevision } from "../../api/types/apps-v1.ts";
import { reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type Served, refOf } from "../../client/served-object.ts";
import { controllerOf } from "../../informer/index-functions.ts";
import { type RevisionOwner, draftRevision, planRevision, sameData } from "./revision.ts";

export interface Recorded {
  readonly revision: Readonly<Served<ControllerRevision>>;
  /** Higher than before if names were taken. */
  readonly collisionCount: number;
}

/** Different templates whose hashes meet one after another; more is a bug. */
const collisionsMax = 16;

export async function recordRevision(
  of: RevisionOwner,
  history: readonly Readonly<Served<ControllerRevision>>[],
  revisions: ResourceClient<ControllerRevision>,
): Promise<Recorded> {
  const { collisionCount } = of;
  const step = planRevision(of, history);
  if (step.kind === "keep") return { revision: step.revision, collisionCount };
  if (step.kind === "renumber")
    return { revision: await revisions.update(step.revision), collisionCount };
  return create(of, step.revision, revisions);
}

export async function dropRevisions(
  expired: readonly Readonly<Served<ControllerRevision>>[],
  revisions: ResourceClient<ControllerRevision>,
): Promise<void> {
  for (const revision of expired) {
    try {
      await revisions.delete(refOf(revision));
    } catch (error) {
      if (reasonOf(error) !== "NotFound") throw error;
    }
  }
}

async function create(
  of: RevisionOwner,
  first: ControllerRevision,
  revisions: ResourceClient<ControllerRevision>,
): Promise<Recorded> {
  let draft = first;
  for (let { collisionCount } = of; ; collisionCount++) {
    draft = draftRevision({ ...of, collisionCount }, first.revision);
    try {
      return { revision: await revisions.create(draft), collisionCount };
    } catch (error) {
      if (reasonOf(error) !== "AlreadyExists") throw error;
      const found = await revisions.find(refOf(draft));
      const isOurs = found !== undefined && controllerOf(found)?.uid === of.owner.metadata.uid;
      // Our own, which the cache has not shown yet.
      if (isOurs && sameData(found, draft)) return { revision: found, collisionCount };
      if (collisionCount - of.collisionCount >= collisionsMax) throw error;
    }
  }
}
