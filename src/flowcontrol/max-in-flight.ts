// The limits that hold without Priority and Fairness: so many requests at once that read, so many that write, and the
// rest is refused (upstream: server/filters/maxinflight.go). Administrators are let in all the same.
import { type Admission, type FlowAnswer, FlowPass, type Gate } from "./flow-pass.ts";
import { isReadOnly } from "./request-digest.ts";

export interface InFlightLimits {
  /** 0: no limit. */
  readonly reading: number;
  readonly mutating: number;
}

const noFlow = { schema: "", level: "", schemaUid: "", levelUid: "" };
const nothing = (): void => {};

export class MaxInFlight implements Gate {
  readonly #limits: InFlightLimits;
  #reading = 0;
  #mutating = 0;

  constructor(limits: InFlightLimits) {
    this.#limits = limits;
  }

  enter({ digest }: Admission): FlowAnswer {
    const free = { seats: 1, waitedMs: 0, release: nothing, forget: nothing };
    // Watches are long-running: nothing limits them here.
    if (digest.verb === "watch") return new FlowPass(noFlow, free);
    const reads = isReadOnly(digest.verb);
    const limit = reads ? this.#limits.reading : this.#limits.mutating;
    if (limit === 0) return new FlowPass(noFlow, free);
    if ((reads ? this.#reading : this.#mutating) >= limit) {
      if (!digest.user.groups.includes("system:masters"))
        return { ...noFlow, kind: "Refused", retryAfterSeconds: 1 };
      return new FlowPass(noFlow, free);
    }
    this.#count(reads, 1);
    return new FlowPass(noFlow, { ...free, release: () => this.#count(reads, -1) });
  }

  #count(reads: boolean, change: 1 | -1): void {
    if (reads) this.#reading += change;
    else this.#mutating += change;
  }
}
