// Who owns whom, over all objects of all resources, as the informers tell it. Each change gives back which nodes need a
// look; nothing is read or written here (upstream: pkg/controller/garbagecollector/graph_builder.go).
import type { OwnerReference } from "../../api/types/meta-v1.ts";
import type { ResourceAddress } from "../../client/resource-client.ts";
import type { ApiObject } from "../../client/served-object.ts";

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Node {
  readonly identity: Identity;
  /** Undefined while only its dependents speak of it. */
  readonly address: ResourceAddress | undefined;
  readonly owners: readonly OwnerReference[];
  readonly dependents: ReadonlySet<Node>;
  readonly beingDeleted: boolean;
  /** Waits, by the finalizer foregroundDeletion, until the dependents that block it are gone. */
  readonly deletingDependents: boolean;
}

interface MutableNode extends Node {
  identity: Identity;
  address: ResourceAddress | undefined;
  owners: readonly OwnerReference[];
  readonly dependents: Set<MutableNode>;
  beingDeleted: boolean;
  deletingDependents: boolean;
  orphaning: boolean;
}

export interface Consequences {
  /** UIDs of nodes whose right to exist, or whose deletion, must be looked at. */
  readonly look: readonly string[];
  /** UIDs of nodes whose dependents are to be set free. */
  readonly orphan: readonly string[];
  /** References to a namespaced owner that lives elsewhere than the object. */
  readonly misplaced: readonly { readonly node: Node; readonly owner: OwnerReference }[];
}

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

interface Collected {
  look: string[];
  orphan: string[];
  misplaced: { node: Node; owner: OwnerReference }[];
}

export class OwnerGraph {
  readonly #nodes = new Map<string, MutableNode>();

  find(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  put(object: ApiObject, address: ResourceAddress): Consequences {
    const found: Collected = { look: [], orphan: [], misplaced: [] };
    const { uid = "", ownerReferences = [] } = object.metadata;
    const known = this.#nodes.get(uid);
    const node = known ?? emptyNode(identityOf(object, address));
    node.identity = identityOf(object, address);
    node.address = address;
    this.#nodes.set(uid, node);
    if (known !== undefined && node.dependents.size > 0) this.#checkDependents(node, found);
    this.#setOwners(node, ownerReferences, found);
    this.#transition(node, object, found);
    return found;
  }

  /** Also for an object that a live look did not find. */
  remove(uid: string): Consequences {
    const found: Collected = { look: [], orphan: [], misplaced: [] };
    const node = this.#nodes.get(uid);
    if (node === undefined) return found;
    for (const dependent of node.dependents) found.look.push(dependent.identity.uid);
    for (const owner of node.owners) {
      const above = this.#nodes.get(owner.uid);
      above?.dependents.delete(node);
      if (above?.deletingDependents === true) found.look.push(owner.uid);
      if (above !== undefined) this.#dropIfForgotten(above);
    }
    // Its dependents still name it: it becomes hearsay again, and goes with the last of them.
    if (node.dependents.size === 0) this.#nodes.delete(uid);
    else this.#forget(node);
    return found;
  }

  #forget(node: MutableNode): void {
    node.address = undefined;
    node.owners = [];
    node.beingDeleted = false;
    node.deletingDependents = false;
    node.orphaning = false;
  }

  #setOwners(node: MutableNode, owners: readonly OwnerReference[], found: Collected): void {
    const before = new Map(node.owners.map((owner) => [owner.uid, owner]));
    for (const owner of owners) {
      const old = before.get(owner.uid);
      before.delete(owner.uid);
      if (old === undefined) this.#addOwner(node, owner, found);
      // A dependent that blocks no more may set its owner free.
      else if (old.blockOwnerDeletion === true && owner.blockOwnerDeletion !== true)
        found.look.push(owner.uid);
    }
    node.owners = owners;
    for (const uid of before.keys()) {
      const above = this.#nodes.get(uid);
      above?.dependents.delete(node);
      if (above === undefined) continue;
      if (above.deletingDependents) found.look.push(uid);
      this.#dropIfForgotten(above);
    }
  }

  #addOwner(node: MutableNode, owner: OwnerReference, found: Collected): void {
    let above = this.#nodes.get(owner.uid);
    if (above === undefined) {
      above = emptyNode({ ...owner, namespace: node.identity.namespace });
      this.#nodes.set(owner.uid, above);
    }
    // Hearsay must be checked: the owner may have gone long ago.
    if (above.address === undefined) found.look.push(owner.uid);
    else if (isMisplaced(node, above)) {
      found.misplaced.push({ node, owner });
      found.look.push(node.identity.uid);
    }
    above.dependents.add(node);
  }

  /** The owner turned up after those who spoke of it. */
  #checkDependents(node: MutableNode, found: Collected): void {
    for (const dependent of node.dependents) {
      if (!isMisplaced(dependent, node)) continue;
      const owner = dependent.owners.find(({ uid }) => uid === node.identity.uid);
      if (owner === undefined) continue;
      found.misplaced.push({ node: dependent, owner });
      found.look.push(dependent.identity.uid);
    }
  }

  #transition(node: MutableNode, { metadata }: ApiObject, found: Collected): void {
    const { uid } = node.identity;
    const deleting = metadata.deletionTimestamp != null;
    const finalizers = metadata.finalizers ?? [];
    node.beingDeleted = deleting;
    const orphaning = deleting && finalizers.includes(orphanFinalizer);
    if (orphaning && !node.orphaning) found.orphan.push(uid);
    node.orphaning = orphaning;
    const foreground = deleting && finalizers.includes(foregroundFinalizer);
    if (foreground && !node.deletingDependents) {
      for (const dependent of node.dependents) found.look.push(dependent.identity.uid);
      found.look.push(uid);
    }
    node.deletingDependents = foreground;
  }

  #dropIfForgotten(node: MutableNode): void {
    if (node.address === undefined && node.dependents.size === 0)
      this.#nodes.delete(node.identity.uid);
  }
}

function emptyNode({ apiVersion, kind, namespace, name, uid }: Identity): MutableNode {
  return {
    identity: { apiVersion, kind, namespace, name, uid },
    address: undefined,
    owners: [],
    dependents: new Set(),
    beingDeleted: false,
    deletingDependents: false,
    orphaning: false,
  };
}

function identityOf({ metadata }: ApiObject, address: ResourceAddress): Identity {
  const { group, version, kind } = address;
  const { namespace = "", name = "", uid = "" } = metadata;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { apiVersion, kind, namespace, name, uid };
}

function isMisplaced(dependent: Node, owner: Node): boolean {
  const { namespace } = owner.identity;
  return namespace !== "" && namespace !== dependent.identity.namespace;
}
