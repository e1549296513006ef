// Keeps a node's Lease in kube-node-lease: made when it is missing, renewed on time, with one request as long as nobody
// else touches it (upstream: component-helpers/apimachinery/lease/controller.go).
import { formatMicroTime } from "../api/codec/time.ts";
import type { Lease, LeaseSpec } from "../api/types/coordination-v1.ts";
import type { Node } from "../api/types/core-v1.ts";
import { reasonOf } from "../client/reason.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import type { Served } from "../client/served-object.ts";

const namespace = "kube-node-lease";

export class LeaseKeeper {
  readonly #leases: ResourceClient<Lease>;
  readonly #name: string;
  readonly #durationSeconds: number;
  #held: Served<Lease> | undefined;

  constructor(leases: ResourceClient<Lease>, name: string, durationSeconds: number) {
    this.#leases = leases;
    this.#name = name;
    this.#durationSeconds = durationSeconds;
  }

  /** Rejects as any call does; the next renewal then tries the same again. */
  async renew(node: Readonly<Served<Node>>, now: number, signal: AbortSignal): Promise<void> {
    const spec: LeaseSpec = {
      holderIdentity: this.#name,
      leaseDurationSeconds: this.#durationSeconds,
      renewTime: formatMicroTime({ seconds: Math.floor(now / 1_000), nanos: (now % 1_000) * 1e6 }),
    };
    const ref = { namespace, name: this.#name };
    const held = this.#held ?? (await this.#leases.find(ref, { signal }));
    this.#held =
      held === undefined
        ? await this.#create(node, spec, signal)
        : await this.#update(held, { ...held.spec, ...spec }, signal);
  }

  async #update(
    held: Served<Lease>,
    spec: LeaseSpec,
    signal: AbortSignal,
  ): Promise<Served<Lease> | undefined> {
    try {
      const resourceVersion = await this.#leases.replace({ ...held, spec }, signal);
      return { ...held, spec, metadata: { ...held.metadata, resourceVersion } };
    } catch (error) {
      // Somebody else wrote or removed it.
      const reason = reasonOf(error);
      if (reason === "Conflict" || reason === "NotFound") return undefined;
      throw error;
    }
  }

  async #create(
    node: Readonly<Served<Node>>,
    spec: LeaseSpec,
    signal: AbortSignal,
  ): Promise<Served<Lease> | undefined> {
    const { uid } = node.metadata;
    const owner = { apiVersion: "v1", kind: "Node", name: this.#name, uid };
    const metadata = { name: this.#name, namespace, ownerReferences: [owner] };
    try {
      return await this.#leases.create({ metadata, spec }, { signal });
    } catch (error) {
      if (reasonOf(error) === "AlreadyExists") return undefined;
      throw error;
    }
  }
}
