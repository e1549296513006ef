// How access reads the cluster's own objects (namespaces, roles, bindings, service accounts, priority classes):
// the newest cached state, parsed. Wired to the watch caches by cluster/.
import type { KubeObject } from "../api/object.ts";

export interface ObjectReader {
  /** `resource` as `pods` or `roles.rbac.authorization.k8s.io`; namespace "" for cluster scope. Read-only result. */
  find(resource: string, namespace: string, name: string): Readonly<KubeObject> | undefined;
  /** As `find`, but linearizable: waits until the cache has caught up with the store. */
  findFresh(
    resource: string,
    namespace: string,
    name: string,
  ): Promise<Readonly<KubeObject> | undefined>;
  list(resource: string, namespace: string): readonly Readonly<KubeObject>[];
  /** Changes whenever anything of the resource changed: a key for memoising what was computed from `list`. */
  revision(resource: string): number;
}

/** What is cached now, or else what there is: a miss of the cache may only be its lag. */
export async function findSurely(
  reader: ObjectReader,
  resource: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Readonly<KubeObject> | undefined> {
  return reader.find(resource, namespace, name) ?? reader.findFresh(resource, namespace, name);
}
