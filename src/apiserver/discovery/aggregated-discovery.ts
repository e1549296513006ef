// The aggregated discovery documents (apidiscovery.k8s.io/v2) of `/api` and `/apis`: a pure function of the resources.
import type { GroupVersionKind, ResourceSchema } from "../../api/schema/schema.ts";
import type {
  APIGroupDiscovery,
  APIResourceDiscovery,
  APISubresourceDiscovery,
  APIVersionDiscovery,
} from "../../api/types/apidiscovery-v2.ts";
import { groupBy } from "../../std/group-by.ts";

export interface APIGroupDiscoveryList {
  readonly kind: "APIGroupDiscoveryList";
  readonly apiVersion: "apidiscovery.k8s.io/v2";
  readonly metadata: object;
  readonly items: readonly APIGroupDiscovery[];
}

export const aggregatedContentType =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** `core`: what `/api` shows; otherwise every other group. */
export function aggregatedDiscovery(
  resources: readonly ResourceSchema[],
  core: boolean,
): APIGroupDiscoveryList {
  const shown = resources.filter(({ group }) => (group === "") === core);
  const groups = groupBy(shown, ({ group }) => group);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: [...groups].map(([name, members]) => ({
      metadata: name === "" ? {} : { name },
      versions: versionsOf(members),
    })),
  };
}

function versionsOf(members: readonly ResourceSchema[]): APIVersionDiscovery[] {
  return [...groupBy(members, ({ version }) => version)].map(([version, resources]) => ({
    version,
    resources: resources.map(resourceEntry),
    freshness: "Current",
  }));
}

function resourceEntry(resource: ResourceSchema): APIResourceDiscovery {
  return {
    resource: resource.resource,
    responseKind: { group: "", version: "", kind: resource.kind },
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length === 0 ? {} : { shortNames: [...resource.shortNames] }),
    ...(resource.categories.length === 0 ? {} : { categories: [...resource.categories] }),
    ...(resource.subresources.length === 0
      ? {}
      : { subresources: resource.subresources.map((sub) => subresourceEntry(resource, sub)) }),
  };
}

function subresourceEntry(
  parent: ResourceSchema,
  sub: ResourceSchema["subresources"][number],
): APISubresourceDiscovery {
  return {
    subresource: sub.name,
    responseKind: relativeKind(parent, sub.kind),
    verbs: [...sub.verbs],
  };
}

/** Empty where it equals the group version around it; clients fill it in. */
function relativeKind(parent: ResourceSchema, kind: GroupVersionKind): GroupVersionKind {
  const same = kind.group === parent.group && kind.version === parent.version;
  return same ? { group: "", version: "", kind: kind.kind } : { ...kind };
}
