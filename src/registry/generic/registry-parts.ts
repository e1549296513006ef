// What the generic verbs of one stored resource work with.
import type { Clock } from "../../host/host.ts";
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import { badRequest, type GroupResource } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { GroupVersionKind, ResourceSchema } from "../../api/schema/schema.ts";
import type { FieldTable } from "../fields.ts";
import type { SubresourceCreateCall, WriteCall } from "../registry.ts";
import type { Strategy, WriteContext } from "../strategy.ts";
import { alone, type Companions, type ObjectStore } from "./object-store.ts";
import type { SystemFields } from "./system-fields.ts";
import { groupVersion } from "../../api/codec/group-version.ts";

export interface RegistryParts {
  readonly clock: Clock;
  readonly resource: ResourceSchema;
  readonly strategy: Strategy;
  readonly fields: FieldTable;
  readonly objects: ObjectStore;
  readonly system: SystemFields;
  readonly reservations: Reservations;
}

/** Things that only one object may have (cluster IPs, node ports): keys of their own, written with the object. */
export interface Reservations {
  /**
   * Fills in what the object is given and claims what it asks for; throws Invalid when that is taken. `object` stays as
   * it is: a write that loses what it was given to somebody else asks again.
   */
  reserve(object: KubeObject, old: Readonly<KubeObject> | undefined): Reserved | Promise<Reserved>;
  /** What goes with the object. */
  release(object: Readonly<KubeObject>): Promise<Companions>;
}

export interface Reserved {
  readonly object: KubeObject;
  readonly companions: Companions;
}

export const noReservations: Reservations = {
  reserve: (object) => ({ object, companions: alone }),
  release: () => Promise.resolve(alone),
};

export function targetOf(parts: RegistryParts): GroupResource {
  return { group: parts.resource.group, resource: parts.resource.resource };
}

export function contextOf(parts: RegistryParts, call: WriteCall): WriteContext {
  return { user: call.user, now: parts.system.now };
}

/** Namespace from the URL, kind from the resource; 400 when the body names another namespace. In place. */
export function settlePlace(parts: RegistryParts, object: KubeObject, namespace: string): void {
  const { group, version, kind } = parts.resource;
  object.kind = kind;
  object.apiVersion = groupVersion({ group, version });
  const named = object.metadata.namespace ?? "";
  if (named !== "" && named !== namespace) {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  if (namespace === "") delete object.metadata.namespace;
  else object.metadata.namespace = namespace;
}

/** Tracking who owns which field comes with server-side apply; until then the list is not kept at all. */
export function dropManagedFields(object: KubeObject): void {
  delete object.metadata.managedFields;
}

export function attributesOf(
  parts: RegistryParts,
  call: WriteCall,
  step: Pick<AdmissionAttributes, "operation" | "name" | "object" | "oldObject"> &
    Partial<Pick<AdmissionAttributes, "subresource" | "kind">>,
): AdmissionAttributes {
  const { group, version, kind } = parts.resource;
  return {
    resource: parts.resource,
    subresource: "",
    kind: { group, version, kind },
    namespace: call.namespace,
    user: call.user,
    dryRun: call.dryRun,
    warn: (text) => call.warn(text),
    ...step,
  };
}

/** Admission of an object that is posted to a subresource and acts on its parent. */
export async function admitAction(
  parts: RegistryParts,
  object: KubeObject,
  { call, kind }: { readonly call: SubresourceCreateCall; readonly kind: GroupVersionKind },
): Promise<void> {
  const { name, subresource } = call;
  const attributes = attributesOf(parts, call, {
    operation: "CREATE",
    name,
    object,
    oldObject: undefined,
    subresource,
    kind,
  });
  await call.admission.mutate(attributes);
  await call.admission.validate(attributes);
}
