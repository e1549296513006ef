// Discovery as old clients walk it: `/api`, `/apis`, `/apis/G`, `/apis/G/V`. Pure functions of the resources.
import type { ResourceSchema } from "../../api/schema/schema.ts";
import type { APIGroup, APIResource, APIResourceList } from "../../api/types/meta-v1.ts";

type Typed<T> = { readonly kind: string; readonly apiVersion?: "v1" } & T;

/** `/api`; `address` is where clients reach this server, `host:port`. */
export function apiVersions(address: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

export function apiGroupList(
  resources: readonly ResourceSchema[],
): Typed<{ readonly groups: readonly APIGroup[] }> {
  const names = new Set(resources.map((resource) => resource.group));
  names.delete("");
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: [...names].map((name) => groupEntry(resources, name)),
  };
}

/** Undefined when nothing of the group is served. */
export function apiGroup(
  resources: readonly ResourceSchema[],
  name: string,
): Typed<APIGroup> | undefined {
  if (name === "" || !resources.some((resource) => resource.group === name)) return undefined;
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(resources, name) };
}

function groupEntry(resources: readonly ResourceSchema[], name: string): APIGroup {
  const versions = new Set<string>();
  for (const resource of resources) if (resource.group === name) versions.add(resource.version);
  const entries = [...versions].map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0]! };
}

/** Undefined when the group version is not served. */
export function apiResourceList(
  resources: readonly ResourceSchema[],
  group: string,
  version: string,
): Typed<APIResourceList> | undefined {
  const served = resources.filter((r) => r.group === group && r.version === version);
  if (served.length === 0) return undefined;
  const entries = served
    .flatMap((resource) => [resourceEntry(resource)].concat(subresourceEntries(resource)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  // The core list alone has never carried its own apiVersion.
  if (group === "") return { kind: "APIResourceList", groupVersion: version, resources: entries };
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: `${group}/${version}`,
    resources: entries,
  };
}

function resourceEntry(resource: ResourceSchema): APIResource {
  return {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length === 0 ? {} : { shortNames: [...resource.shortNames] }),
    ...(resource.categories.length === 0 ? {} : { categories: [...resource.categories] }),
    // Only what is stored has a storage version.
    ...(resource.verbs.includes("watch")
      ? { storageVersionHash: resource.storageVersionHash }
      : {}),
  };
}

function subresourceEntries(resource: ResourceSchema): APIResource[] {
  return resource.subresources.map(({ name, kind, verbs }) => ({
    name: `${resource.resource}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(kind.group === resource.group && kind.version === resource.version
      ? {}
      : { group: kind.group, version: kind.version }),
    kind: kind.kind,
    verbs: [...verbs],
  }));
}
