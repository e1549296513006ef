// What the server asks of a resource: reads as bytes, writes as objects, each with Kubernetes' meaning. One
// ResourceRegistry per stored resource; built by registry/generic from a strategy, a Store and a ResourceCache.
// Refusals are StatusErrors.
import type { Admission } from "../api/admission-attributes.ts";
import type { ListOptions } from "../api/meta/list-options.ts";
import type { KubeObject } from "../api/object.ts";
import type { ReadCost, RequestCost } from "../api/request-cost.ts";
import type { GroupVersionKind, ResourceSchema } from "../api/schema/schema.ts";
import type { DeleteOptions, Status } from "../api/types/meta-v1.ts";
import type { UserInfo } from "../api/user-info.ts";
import type { CachedObject, Watcher } from "../watchcache/resource-cache.ts";

/** What every write knows of its request. */
export interface WriteCall {
  readonly user: UserInfo;
  /** "" for cluster-scoped resources. */
  readonly namespace: string;
  readonly dryRun: boolean;
  /** For managedFields: explicit manager, or the default from the User-Agent. */
  readonly fieldManager: string;
  readonly admission: Admission;
  /** What the write costs is counted here. */
  readonly cost: RequestCost;
  warn(text: string): void;
}

export interface UpdateCall extends WriteCall {
  readonly name: string;
  /** "" or one of the resource's: status, scale, finalize, ephemeralcontainers, resize, approval. */
  readonly subresource: string;
  /** Kind of the object sent, for admission. */
  readonly kind: GroupVersionKind;
  /** PUT may create where the kind allows it; PATCH never does. */
  readonly mayCreate: boolean;
  /** Extra authorization for the create case; throws Forbidden. */
  authorizeCreate(): Promise<void>;
  /**
   * Makes the wanted object, from the current one where it needs it: each call of `current` gives a private copy. Called
   * again when a write without resourceVersion loses a race. Throws NotFound itself for `undefined` unless it creates.
   */
  change(current: (() => KubeObject) | undefined): KubeObject;
}

export interface DeleteCall extends WriteCall {
  readonly name: string;
  readonly options: DeleteOptions;
}

export interface Written {
  /** JSON bytes as served: resourceVersion included, also kind and apiVersion. */
  readonly bytes: Uint8Array;
  readonly created: boolean;
}

export interface Deleted {
  readonly bytes: Uint8Array;
  readonly object: Readonly<KubeObject>;
  /** False while finalizers or a grace period keep it. */
  readonly gone: boolean;
  /** The kind answers with the object itself, not with a Status. */
  readonly returnsObject: boolean;
}

export interface ObjectRead {
  readonly object: CachedObject;
  readonly cost: ReadCost;
}

export interface ObjectList {
  readonly revision: number;
  readonly items: Iterable<CachedObject>;
  /** Encoded token. */
  readonly continueToken?: string;
  readonly remainingItemCount?: number;
  readonly cost: ReadCost;
}

export interface SubresourceCreateCall extends WriteCall {
  /** The parent's name. */
  readonly name: string;
  readonly subresource: string;
}

/** Throws StatusErrors only: NotFound, Conflict, Invalid, … */
export interface ResourceRegistry {
  readonly resource: ResourceSchema;
  get(namespace: string, name: string, resourceVersion: string): Promise<ObjectRead>;
  /** GET of `scale`: an autoscaling/v1 Scale with the parent's resourceVersion. Throws NotFound where there is none. */
  getScale(namespace: string, name: string, resourceVersion: string): Promise<ObjectRead>;
  /** POST to a subresource that acts (pods: binding, eviction) and answers with a Status. */
  createSubresource(object: KubeObject, call: SubresourceCreateCall): Promise<Status>;
  list(namespace: string, options: ListOptions): Promise<ObjectList>;
  /** `endsAt`: clock.monotonic ms at which the server will end the stream. */
  watch(namespace: string, options: ListOptions, endsAt: number): Promise<Watcher>;
  create(object: KubeObject, call: WriteCall): Promise<Written>;
  update(call: UpdateCall): Promise<Written>;
  delete(call: DeleteCall): Promise<Deleted>;
  /** In bounded pages, letting others run between; the deleted objects as their last bytes. */
  deleteCollection(
    call: WriteCall,
    options: DeleteOptions,
    selection: ListOptions,
  ): Promise<ObjectList>;
}

export interface Registries {
  /** Every served resource that is stored, in discovery order; a kind served in two versions stands there twice. */
  readonly all: readonly ResourceRegistry[];
  /** `version` absent: the group's preferred one. Undefined for what is not stored (reviews, bindings). */
  find(group: string, resource: string, version?: string): ResourceRegistry | undefined;
}
