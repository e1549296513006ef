// The addresses of a node's range, one for each pod: fresh ones first, then those given back, the longest free first, so
// that an address means the same pod for as long as possible.
import type { Node } from "../api/types/core-v1.ts";
import { podRange } from "./node-object.ts";

/** Of a range of 256 all but the network's and the broadcast address. */
const addressesMax = 254;

export class PodAddresses {
  /** `10.128.3.`. */
  readonly #prefix: string;
  readonly #taken = new Set<string>();
  /** In the order they came back. */
  readonly #givenBack = new Set<string>();
  /** Looked at so far, from the first of the range on. */
  #fresh = 0;

  constructor({ spec }: Node) {
    const [base = ""] = (spec?.podCIDR ?? podRange(0)).split("/");
    this.#prefix = base.slice(0, base.lastIndexOf(".") + 1);
  }

  /** "": all are taken. */
  take(): string {
    while (this.#fresh < addressesMax) {
      const address = `${this.#prefix}${++this.#fresh}`;
      if (this.claim(address)) return address;
    }
    const [address = ""] = this.#givenBack;
    if (address !== "") this.claim(address);
    return address;
  }

  /** For a pod that says it has it since before the process started. False: another one has it. */
  claim(address: string): boolean {
    if (this.#taken.has(address)) return false;
    this.#taken.add(address);
    this.#givenBack.delete(address);
    return true;
  }

  giveBack(address: string): void {
    this.#taken.delete(address);
    if (address.startsWith(this.#prefix)) this.#givenBack.add(address);
  }
}
