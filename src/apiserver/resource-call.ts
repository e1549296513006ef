// What every verb on a resource is called with.
import { noSuchResource } from "../api/meta/errors.ts";
import type { SubresourceSchema } from "../api/schema/schema.ts";
import type { ResourceRegistry } from "../registry/registry.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";
import type { ServerState } from "./server-state.ts";

export interface ResourceCall {
  readonly server: ServerState;
  readonly exchange: Exchange;
  readonly endpoint: Endpoint;
  readonly subresource: SubresourceSchema | undefined;
}

/** Throws 404 for resources without storage. */
export function storedOf(endpoint: Endpoint): ResourceRegistry {
  if (endpoint.registry === undefined) throw noSuchResource();
  return endpoint.registry;
}
