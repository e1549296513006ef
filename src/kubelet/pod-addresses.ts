// The addresses of a node's range, one for each pod: fresh ones first, then those given back, the longest free first, so
// that an address means the same pod for as long as possible.
import type { Node } from "../api/types/core-v1.ts";
import { podRange } from "./node-object.ts";

/** Of a range of 256 all but the network's and the broadcast address. */
const addressesMax = 254;

export class PodAddresses {
  /** `10.128.3.`. */
  readonly #prefix: string;
  readonly #givenBack: string[] = [];
  #used = 0;

  constructor({ spec }: Node) {
    const [base = ""] = (spec?.podCIDR ?? podRange(0)).split("/");
    this.#prefix = base.slice(0, base.lastIndexOf(".") + 1);
  }

  /** "": all are taken. */
  take(): string {
    if (this.#used < addressesMax) return `${this.#prefix}${++this.#used}`;
    return this.#givenBack.shift() ?? "";
  }

  giveBack(address: string): void {
    this.#givenBack.push(address);
  }
}
