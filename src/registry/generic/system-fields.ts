// What the server itself writes into metadata: uid, creationTimestamp and generated names.
import type { Host, RandomStream } from "../../host/host.ts";
import type { ObjectMeta } from "../../api/types/meta-v1.ts";
import { nameSuffix, nameSuffixLength, randomUuid } from "../../api/meta/random-names.ts";
import { timestamp } from "../../api/meta/timestamp.ts";

const nameLengthMax = 63;
/** How often a create with generateName tries another suffix before it gives up. */
export const generateNameAttempts = 8;

export class SystemFields {
  readonly #host: Host;
  readonly #uids: RandomStream;
  readonly #names: RandomStream;

  constructor(host: Host) {
    this.#host = host;
    this.#uids = host.random.stream("registry/uid");
    this.#names = host.random.stream("registry/generate-name");
  }

  get now(): number {
    return this.#host.clock.now();
  }

  /** Drops what clients may not set and fills in what only the server knows. In place. */
  fill(metadata: ObjectMeta): void {
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    delete metadata.selfLink;
    metadata.uid = randomUuid(this.#uids);
    metadata.creationTimestamp = timestamp(this.now);
  }

  generateName(base: string): string {
    return base.slice(0, nameLengthMax - nameSuffixLength) + nameSuffix(this.#names);
  }
}
