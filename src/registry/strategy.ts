// What a kind does differently when it is created, updated or deleted: plain data and pure functions, read by
// registry/generic. No member is optional, so a strategy shows its kind's whole behaviour; most spread plainStrategy.
import type { KubeObject } from "../api/object.ts";
import type { UserInfo } from "../api/user-info.ts";

/** What a strategy may know of a write besides the objects. */
export interface WriteContext {
  readonly user: UserInfo;
  /** Wall time in ms. */
  readonly now: number;
}

/** In place on `object`, which belongs to the request. */
type PrepareUpdate = (object: KubeObject, old: Readonly<KubeObject>, context: WriteContext) => void;

export interface Strategy {
  /**
   * metadata.generation: never there; always 1; or 1 at create and +1 whenever anything besides metadata and status
   * changes (for the last two also when annotations or labels do). `FromFirstChange`: absent at create, then the same.
   */
  readonly generation:
    | "None"
    | "Fixed"
    | "FromFirstChange"
    | "OnChange"
    | "OnChangeOrAnnotations"
    | "OnChangeOrLabels";
  /** False: a status in the body of a create is kept (nodes register with one). */
  readonly dropsStatusOnCreate: boolean;
  /** Writes to /status may change labels, annotations and the like, or keep all of the stored metadata. */
  readonly statusMetadata: "FromRequest" | "FromStored";
  readonly createsOnUpdate: boolean;
  /** PUT without resourceVersion overwrites whatever is there; else 422. */
  readonly unconditionalUpdate: boolean;
  /** What happens to dependents when a delete does not say; Unsupported: finalizers for it are never set. */
  readonly dependents: "Delete" | "Orphan" | "Unsupported";
  /** Warning for a delete that does not say what happens to dependents; "" for none. */
  readonly orphanWarning: string;
  /** DELETE answers with the object, also when it is gone at once. */
  readonly returnsDeleted: boolean;
  /** Seconds after which the object goes away; each write starts them anew. 0: never. */
  readonly ttlSeconds: number;
  /**
   * Graceful deletion: the period in seconds, given what the request asked (undefined: nothing). Undefined: the kind
   * has none and goes at once.
   */
  gracePeriodSeconds(object: Readonly<KubeObject>, asked: number | undefined): number | undefined;
  /** Whether something besides metadata.finalizers keeps a deleted object. */
  isHeld(object: Readonly<KubeObject>): boolean;
  /** In place, when the object is marked as being deleted. */
  markDeleted(object: KubeObject): void;
  /** In place, after the generic rules and before validation. */
  prepareForCreate(object: KubeObject, context: WriteContext): void;
  readonly prepareForUpdate: PrepareUpdate;
  /** Writes through subresources; `status` runs after the generic rule for it. */
  readonly subresources: Readonly<Record<string, PrepareUpdate>>;
}

const nothing = (): void => {};

export const plainStrategy: Strategy = {
  generation: "None",
  dropsStatusOnCreate: true,
  statusMetadata: "FromRequest",
  createsOnUpdate: false,
  unconditionalUpdate: true,
  dependents: "Delete",
  orphanWarning: "",
  returnsDeleted: false,
  ttlSeconds: 0,
  gracePeriodSeconds: () => undefined,
  isHeld: () => false,
  markDeleted: nothing,
  prepareForCreate: nothing,
  prepareForUpdate: nothing,
  subresources: {},
};
