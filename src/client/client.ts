// A component's way to the server: typed resources over one transport, under one name, one identity and one rate limit.
import { qualified } from "../api/meta/errors.ts";
import { schema } from "../api/schema/schema.ts";
import type { ResourceTypes } from "../api/types/resources.ts";
import type { Host } from "../host/host.ts";
import { assert } from "../std/assert.ts";
import { ApiCaller, type Call, type ClientOptions } from "./api-caller.ts";
import { type ResourceAddress, ResourceClient } from "./resource-client.ts";
import type { ApiObject } from "./served-object.ts";
import type { Transport } from "./transport.ts";

/** `pods`, `deployments.apps`. */
export type ResourceName = keyof ResourceTypes;

export class Client {
  readonly #caller: ApiCaller;

  constructor(host: Host, transport: Transport, options: ClientOptions) {
    this.#caller = new ApiCaller(host, transport, options);
  }

  resource<N extends ResourceName>(name: N): ResourceClient<ResourceTypes[N]> {
    return new ResourceClient(this.#caller, addressOf(name));
  }

  /** A resource that is known only at run time: one of discovery, or of a custom resource. */
  dynamic<T extends ApiObject = ApiObject>(address: ResourceAddress): ResourceClient<T> {
    return new ResourceClient(this.#caller, address);
  }

  /** The JSON answer of any path: discovery, metrics.k8s.io. Rejects as the typed verbs do. */
  request(call: Call): Promise<unknown> {
    return this.#caller.json(call);
  }
}

/** Where a built-in resource lives, at the version that discovery prefers. */
export function addressOf(name: ResourceName): ResourceAddress {
  const address = addresses.get(name);
  assert(address !== undefined, `no resource ${name}`);
  return address;
}

const addresses: ReadonlyMap<string, ResourceAddress> = new Map(
  // Discovery lists the preferred version first, and the last entry of a Map wins.
  schema.resources.map((one) => [qualified(one.group, one.resource), one] as const).reverse(),
);
