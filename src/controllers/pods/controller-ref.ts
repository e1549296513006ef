// Who belongs to whom: an object belongs to the owner its controller reference names, an orphan to whose selector finds
// it. What must be adopted and let go is decided here; adopt and release carry it out (upstream:
// pkg/controller/controller_ref_manager.go).
import { type LabelSelector, matchesLabels } from "../../api/meta/label-selector.ts";
import type { OwnerReference } from "../../api/types/meta-v1.ts";
import { reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type ApiObject, type Served, refOf } from "../../client/served-object.ts";
import { type Index, controllerOf } from "../../informer/index-functions.ts";
import { isTerminating } from "./pod-state.ts";

/** Objects that nobody controls, by namespace. */
export const orphans: Index<ApiObject> = {
  name: "orphans",
  valuesOf: (object) =>
    controllerOf(object) === undefined ? [object.metadata.namespace ?? ""] : [],
};

export interface Claim<T extends ApiObject> {
  readonly owned: readonly Served<T>[];
  readonly adopt: readonly Served<T>[];
  readonly release: readonly Served<T>[];
}

/** `isClaimable` refuses objects whose labels fit but that are someone else's by name. */
export function claim<T extends ApiObject>(
  owner: Served<ApiObject>,
  objects: Iterable<Served<T>>,
  rule: {
    readonly selector: LabelSelector;
    readonly isClaimable?: (object: Served<T>) => boolean;
  },
): Claim<T> {
  const owned: Served<T>[] = [];
  const adopt: Served<T>[] = [];
  const release: Served<T>[] = [];
  const { selector, isClaimable = () => true } = rule;
  for (const object of objects) {
    const ref = controllerOf(object);
    const fits = matchesLabels(selector, object.metadata.labels) && isClaimable(object);
    if (ref !== undefined) {
      if (ref.uid !== owner.metadata.uid) continue;
      if (fits) owned.push(object);
      else if (!isTerminating(owner)) release.push(object);
    } else if (fits && !isTerminating(owner) && !isTerminating(object)) adopt.push(object);
  }
  return { owned, adopt, release };
}

export interface Claimant<T extends ApiObject> {
  readonly owner: Served<ApiObject>;
  /** The owner as it is now; undefined when it is gone. */
  readonly freshOwner: () => Promise<Served<ApiObject> | undefined>;
  readonly objects: ResourceClient<T>;
}

/** Carries out a claim; gives all that are owned then. */
export async function settle<T extends ApiObject>(
  claim: Claim<T>,
  claimant: Claimant<T>,
): Promise<readonly Served<T>[]> {
  for (const object of claim.release) await release(object, claimant);
  if (claim.adopt.length === 0 || !(await mayAdopt(claimant))) return claim.owned;
  const adopted: Served<T>[] = [];
  for (const object of claim.adopt) {
    const now = await adopt(object, claimant);
    if (now !== undefined) adopted.push(now);
  }
  return [...claim.owned, ...adopted];
}

export function controllerRefTo({ apiVersion, kind, metadata }: ApiObject): OwnerReference {
  return {
    apiVersion: apiVersion ?? "",
    kind: kind ?? "",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The cache may be behind: an owner that is going away must not take in anything. */
async function mayAdopt<T extends ApiObject>(claimant: Claimant<T>): Promise<boolean> {
  const { owner } = claimant;
  const fresh = await claimant.freshOwner();
  return fresh !== undefined && fresh.metadata.uid === owner.metadata.uid && !isTerminating(fresh);
}

/** Undefined when the object is gone. */
async function adopt<T extends ApiObject>(
  object: Served<T>,
  { owner, objects }: Claimant<T>,
): Promise<Served<T> | undefined> {
  const { uid } = object.metadata;
  const patch = { metadata: { uid, ownerReferences: [controllerRefTo(owner)] } };
  try {
    return await objects.patch(refOf(object), { type: "strategic", patch });
  } catch (error) {
    if (reasonOf(error) === "NotFound") return undefined;
    throw error;
  }
}

async function release<T extends ApiObject>(
  object: Served<T>,
  { owner, objects }: Claimant<T>,
): Promise<void> {
  const { uid } = object.metadata;
  const ownerReferences = [{ $patch: "delete", uid: owner.metadata.uid }];
  const patch = { metadata: { uid, ownerReferences } };
  try {
    await objects.patch(refOf(object), { type: "strategic", patch });
  } catch (error) {
    // Gone, or gone and made anew (Invalid: the UID differs), or let go of already.
    if (reasonOf(error) !== "NotFound" && reasonOf(error) !== "Invalid") throw error;
  }
}
