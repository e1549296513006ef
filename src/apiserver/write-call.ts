// From an exchange to what the registry must know of a write, and the checks that tie a body to its URL.
import type { Admission, AdmissionAttributes } from "../api/admission-attributes.ts";
import { badRequest } from "../api/meta/errors.ts";
import type { KubeObject } from "../api/object.ts";
import type { RequestCost } from "../api/request-cost.ts";
import type { WriteCall } from "../registry/registry.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";
import type { ServerState } from "./server-state.ts";
import type { WriteOptions } from "./write-options.ts";

export function writeCall(
  server: ServerState,
  exchange: Exchange,
  of: {
    readonly endpoint: Endpoint;
    readonly options: Pick<WriteOptions, "dryRun" | "fieldManager">;
  },
): WriteCall {
  exchange.dryRun = of.options.dryRun;
  return {
    user: exchange.user,
    namespace: namespaceOf(of.endpoint, exchange),
    dryRun: of.options.dryRun,
    fieldManager: of.options.fieldManager,
    admission: new MeteredAdmission(server, exchange),
    cost: exchange.cost,
    warn: exchange.warn,
  };
}

/** A Namespace lives in none, though its URL looks as if it did. */
export function namespaceOf(endpoint: Endpoint, exchange: Exchange): string {
  return endpoint.resource.namespaced ? exchange.info.namespace : "";
}

/** Fills an empty namespace from the URL; 400 when the two differ. */
export function adoptNamespace(object: KubeObject, namespace: string): void {
  const own = object.metadata.namespace ?? "";
  if (own === namespace) return;
  if (own === "") object.metadata.namespace = namespace;
  else
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
}

/** PUT and PATCH may not rename. */
export function requireName(object: KubeObject, name: string): void {
  const own = object.metadata.name ?? "";
  if (own === "")
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  if (own !== name)
    throw badRequest(
      `the name of the object (${own}) does not match the name on the URL (${name})`,
    );
}

/** Webhooks are waited for, and others run meanwhile. */
class MeteredAdmission implements Admission {
  readonly #server: ServerState;
  readonly #cost: RequestCost;

  constructor(server: ServerState, { cost }: Exchange) {
    this.#server = server;
    this.#cost = cost;
  }

  mutate(attributes: AdmissionAttributes): void | Promise<void> {
    return this.#apart(() => this.#server.parts.admission.mutate(attributes));
  }

  validate(attributes: AdmissionAttributes): void | Promise<void> {
    return this.#apart(() => this.#server.parts.admission.validate(attributes));
  }

  #apart(admit: () => void | Promise<void>): void | Promise<void> {
    const pending = admit();
    return pending instanceof Promise ? this.#wait(pending) : undefined;
  }

  async #wait(pending: Promise<void>): Promise<void> {
    const { clock } = this.#server.host;
    this.#cost.suspend(clock.monotonic());
    await pending;
    this.#cost.resume(clock.monotonic());
  }
}
