// How the server writes its own objects: through the registries, as itself, past admission.
import type { BootstrapWriter } from "../access/bootstrap-reconcile.ts";
import { admitAll } from "../api/admission-attributes.ts";
import type { KubeObject } from "../api/object.ts";
import { uncounted } from "../api/request-cost.ts";
import type { UserInfo } from "../api/user-info.ts";
import type { Registries, ResourceRegistry, UpdateCall, WriteCall } from "../registry/registry.ts";
import { assert } from "../std/assert.ts";
import { copyJson } from "../std/json.ts";

const self: UserInfo = {
  name: "system:apiserver",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: {},
};

/** Gives copies: registries own and change what they are given, boot objects share parts. */
export class RegistryWriter implements BootstrapWriter {
  readonly #registries: Registries;

  constructor(registries: Registries) {
    this.#registries = registries;
  }

  create(resource: string, object: KubeObject): Promise<unknown> {
    const copy = copyJson(object);
    return this.#registry(resource).create(copy, callFor(object.metadata.namespace ?? ""));
  }

  update(resource: string, object: KubeObject): Promise<unknown> {
    return this.#update(resource, object, "", ({ metadata }) => {
      const wanted = copyJson(object);
      // Ours is the last word: kinds that refuse unconditional updates (Lease) get the revision they ask for.
      if (metadata.resourceVersion !== undefined)
        wanted.metadata.resourceVersion = metadata.resourceVersion;
      return wanted;
    });
  }

  updateStatus(resource: string, object: KubeObject): Promise<unknown> {
    return this.#update(resource, object, "status", (current) => ({
      ...current,
      status: copyJson(object["status"]),
    }));
  }

  /** By compare-and-write: `change` is called again when somebody was faster. What it throws ends the call. */
  changeStatus(
    resource: string,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    change: (current: Readonly<KubeObject>) => unknown,
  ): Promise<unknown> {
    const known: KubeObject = { metadata: { namespace, name } };
    return this.#update(resource, known, "status", (current) => ({
      ...current,
      status: copyJson(change(current)),
    }));
  }

  /** Likewise of the whole object. */
  change(
    resource: string,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    change: (current: Readonly<KubeObject>) => object,
  ): Promise<unknown> {
    const known: KubeObject = { metadata: { namespace, name } };
    return this.#update(resource, known, "", (current) => copyJson(change(current) as KubeObject));
  }

  delete(resource: string, namespace: string, name: string): Promise<unknown> {
    const call = { ...callFor(namespace), name, options: {} };
    return this.#registry(resource).delete(call);
  }

  #update(
    resource: string,
    object: KubeObject,
    subresource: string,
    change: (current: KubeObject) => KubeObject,
  ): Promise<unknown> {
    const registry = this.#registry(resource);
    const { group, version, kind } = registry.resource;
    const call: UpdateCall = {
      ...callFor(object.metadata.namespace ?? ""),
      name: object.metadata.name ?? "",
      subresource,
      kind: { group, version, kind },
      mayCreate: false,
      authorizeCreate: () => Promise.resolve(),
      change: (current) => change(current?.() ?? object),
    };
    return registry.update(call);
  }

  /** `resource`: `pods`, `roles.rbac.authorization.k8s.io`. */
  #registry(resource: string): ResourceRegistry {
    const dot = resource.indexOf(".");
    const registry =
      dot < 0
        ? this.#registries.find("", resource)
        : this.#registries.find(resource.slice(dot + 1), resource.slice(0, dot));
    assert(registry !== undefined, `no registry stores ${resource}`);
    return registry;
  }
}

function callFor(namespace: string): WriteCall {
  return {
    user: self,
    namespace,
    dryRun: false,
    fieldManager: "kube-apiserver",
    admission: admitAll,
    cost: uncounted(),
    warn: () => {},
  };
}
