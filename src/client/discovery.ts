// Which resources a server has, each at the version it prefers (upstream: client-go/discovery, ServerPreferredResources).
// Two requests in the aggregated form; knows no resource by name.
import type { APIGroupDiscovery, APIResourceDiscovery } from "../api/types/apidiscovery-v2.ts";
import type { Client } from "./client.ts";
import type { ResourceAddress } from "./resource-client.ts";

export interface DiscoveredResource extends ResourceAddress {
  readonly verbs: readonly string[];
}

export interface Discovered {
  readonly resources: readonly DiscoveredResource[];
  /** Group versions whose server did not answer lately: what they have is not known. */
  readonly stale: readonly string[];
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export async function discoverResources(client: Client): Promise<Discovered> {
  const groups: APIGroupDiscovery[] = [];
  for (const path of ["/api", "/apis"]) {
    const answer = (await client.request({ method: "GET", path, accept })) as {
      items?: APIGroupDiscovery[] | null;
    };
    groups.push(...(answer.items ?? []));
  }
  return { resources: groups.flatMap(preferredOf), stale: groups.flatMap(staleOf) };
}

/** The preferred version comes first; a resource that it lacks is taken from the next that has it. */
function preferredOf({ metadata, versions = [] }: APIGroupDiscovery): DiscoveredResource[] {
  const seen = new Set<string>();
  const found: DiscoveredResource[] = [];
  for (const { version, resources = [] } of versions)
    for (const one of resources) {
      if (seen.has(one.resource)) continue;
      seen.add(one.resource);
      found.push(addressOf(metadata.name ?? "", version, one));
    }
  return found;
}

function addressOf(
  group: string,
  version: string,
  { resource, responseKind, scope, verbs = [] }: APIResourceDiscovery,
): DiscoveredResource {
  const kind = responseKind?.kind ?? "";
  return { group, version, resource, kind, namespaced: scope === "Namespaced", verbs };
}

function staleOf({ metadata, versions = [] }: APIGroupDiscovery): string[] {
  return versions
    .filter(({ freshness }) => freshness === "Stale")
    .map(({ version }) => `${metadata.name ?? ""}/${version}`);
}
