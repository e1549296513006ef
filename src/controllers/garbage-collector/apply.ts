// The collector's reads and writes of single objects, always of exactly the object meant: by name, checked by UID.
import type { OwnerReference } from "../../api/types/meta-v1.ts";
import type { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import type { ResourceAddress } from "../../client/resource-client.ts";
import type { ApiObject, ObjectRef, Served } from "../../client/served-object.ts";
import type { Identity, Node } from "./graph.ts";

const conflictTriesMax = 5;

/** A node that has been seen. */
export interface Placed {
  readonly identity: Identity;
  readonly address: ResourceAddress;
}

export function placed({ identity, address }: Node): Placed | undefined {
  return address === undefined ? undefined : { identity, address };
}

/** Undefined when it is gone, or another of its name has taken its place. */
export async function findLive(
  client: Client,
  { identity, address }: Placed,
): Promise<Served<ApiObject> | undefined> {
  const object = await client.dynamic(address).find(refOf(identity, address));
  return object?.metadata.uid === identity.uid ? object : undefined;
}

/** False when it changed meanwhile: its owners must be looked at again. */
export async function deleteItem(
  client: Client,
  item: Placed,
  { latest, policy }: { readonly latest: Served<ApiObject>; readonly policy: string },
): Promise<boolean> {
  const { uid, resourceVersion } = latest.metadata;
  try {
    await client.dynamic(item.address).delete(refOf(item.identity, item.address), {
      propagationPolicy: policy,
      preconditions: { uid, resourceVersion },
    });
    return true;
  } catch (error) {
    if (reasonOf(error) === "NotFound") return true;
    if (reasonOf(error) === "Conflict") return false;
    throw error;
  }
}

/** `edit` gives the references that shall be; undefined leaves the object alone. */
export async function changeOwners(
  client: Client,
  item: Placed,
  edit: (owners: readonly OwnerReference[]) => readonly OwnerReference[] | undefined,
): Promise<void> {
  await patchLive(client, item, ({ metadata }) => {
    const ownerReferences = edit(metadata.ownerReferences ?? []);
    return ownerReferences === undefined ? undefined : { ownerReferences };
  });
}

export async function removeFinalizer(client: Client, item: Placed, name: string): Promise<void> {
  await patchLive(client, item, ({ metadata }) => {
    const finalizers = metadata.finalizers ?? [];
    if (!finalizers.includes(name)) return undefined;
    return { finalizers: finalizers.filter((one) => one !== name) };
  });
}

/** Only if nobody changed it since it was read; reads again as often as that happens, within reason. */
async function patchLive(
  client: Client,
  item: Placed,
  edit: (object: Served<ApiObject>) => object | undefined,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const object = await findLive(client, item);
    const change = object === undefined ? undefined : edit(object);
    if (object === undefined || change === undefined) return;
    const { uid, resourceVersion } = object.metadata;
    const patch = { metadata: { uid, resourceVersion, ...change } };
    try {
      const ref = refOf(item.identity, item.address);
      await client.dynamic(item.address).patch(ref, { type: "merge", patch });
      return;
    } catch (error) {
      if (reasonOf(error) === "NotFound") return;
      if (reasonOf(error) !== "Conflict" || tries === conflictTriesMax) throw error;
    }
  }
}

export function refOf({ namespace, name }: Identity, { namespaced }: ResourceAddress): ObjectRef {
  return namespaced ? { namespace, name } : { name };
}
