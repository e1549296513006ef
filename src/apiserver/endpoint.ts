// One served resource as the verbs see it: its schema, its registry and the constants of its wire form, computed once.
import { qualified, type GroupResource } from "../api/meta/errors.ts";
import { deprecationWarning } from "../api/validation/warnings.ts";
import type { ResourceSchema, SubresourceSchema } from "../api/schema/schema.ts";
import type { ResourceRegistry } from "../registry/registry.ts";
import type { EncodedKind } from "./encode-object.ts";
import type { RegistrySource } from "./parts.ts";
import type { WatchEncoding } from "./watch-encoding.ts";
import { groupVersion } from "../api/codec/group-version.ts";
import { utf8Length } from "../std/utf8.ts";

export interface Endpoint {
  readonly resource: ResourceSchema;
  readonly target: GroupResource;
  readonly kind: EncodedKind;
  /** `pods`, `deployments.apps`. */
  readonly label: string;
  /** Undefined: nothing of it is stored. */
  readonly registry: ResourceRegistry | undefined;
  readonly verbs: ReadonlySet<string>;
  readonly subresources: ReadonlyMap<string, SubresourceSchema>;
  /** Bytes of `{"kind":…,"apiVersion":…,` at the start of every stored object; items of lists go without. */
  readonly typePrefixBytes: number;
  /** Warning that every answer about the resource carries; "" for none. */
  readonly deprecation: string;
  /** Watch encodings in use, by media type and shape; shared by all watchers. */
  readonly encodings: Map<string, WatchEncoding>;
}

export class EndpointTable {
  readonly #groups = new Map<string, Map<string, Map<string, Endpoint>>>();
  readonly all: readonly Endpoint[];

  constructor(resources: readonly ResourceSchema[], registries: RegistrySource) {
    this.all = resources.map((resource) => this.#add(makeEndpoint(resource, registries)));
  }

  find(group: string, version: string, resource: string): Endpoint | undefined {
    return this.#groups.get(group)?.get(version)?.get(resource);
  }

  /** Whether any version of the group is served. */
  servesGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  #add(endpoint: Endpoint): Endpoint {
    const { group, version, resource } = endpoint.resource;
    const versions = this.#groups.get(group) ?? new Map<string, Map<string, Endpoint>>();
    this.#groups.set(group, versions);
    const resources = versions.get(version) ?? new Map<string, Endpoint>();
    versions.set(version, resources);
    resources.set(resource, endpoint);
    return endpoint;
  }
}

function makeEndpoint(resource: ResourceSchema, registries: RegistrySource): Endpoint {
  const { group, version, kind } = resource;
  const apiVersion = groupVersion({ group, version });
  return {
    resource,
    target: { group, resource: resource.resource },
    kind: { kind: { group, version, kind }, apiVersion, typeId: resource.type },
    label: qualified(group, resource.resource),
    registry: registries.find(group, resource.resource, version),
    verbs: new Set(resource.verbs),
    subresources: new Map(resource.subresources.map((sub) => [sub.name, sub])),
    typePrefixBytes: utf8Length(`{"kind":"${kind}","apiVersion":"${apiVersion}",`),
    deprecation: deprecationWarning(resource) ?? "",
    encodings: new Map(),
  };
}
