// What flow control is asked and answers: a pass, to be given back when the work is done, or a refusal. Clients are told
// schema and level by UID, so that strangers do not learn the names.
import type { ListOptions } from "../api/meta/list-options.ts";
import type { Cancel } from "../host/host.ts";
import type { ClientSignal } from "../host/http.ts";
import type { FlowControlProfile } from "./profile.ts";
import type { RequestDigest } from "./request-digest.ts";

/** A request as it asks to run. */
export interface Admission {
  readonly digest: RequestDigest;
  /** In all; undefined for watches. */
  readonly timeoutMs: number | undefined;
  /** Undefined when the query makes no sense. */
  listOptions(): ListOptions | undefined;
  /** Aborted when the client is gone. */
  signal(): ClientSignal;
}

/** Lets requests in. At once where nobody has to wait. */
export interface Gate {
  enter(admission: Admission): FlowAnswer | Promise<FlowAnswer>;
}

/** All "" where there are no FlowSchemas. */
export interface Flow {
  readonly schema: string;
  readonly level: string;
  readonly schemaUid: string;
  readonly levelUid: string;
}

export interface FlowRefusal extends Flow {
  readonly kind: "Refused";
  readonly retryAfterSeconds: number;
}

export type FlowAnswer = FlowPass | FlowRefusal;

export interface PassFacts {
  readonly seats: number;
  readonly waitedMs: number;
  /** Gives the seats back; called once. */
  readonly release: Cancel;
  /** Says that a watch is over; called once. */
  readonly forget: Cancel;
}

const nothing: Cancel = () => {};

/** Of a request that runs. Watches hold theirs for hours, so it lets go of everything as soon as it can. */
export class FlowPass implements Flow {
  readonly kind = "Passed";
  readonly #flow: Flow;
  /** While it runs. */
  readonly seats: number;
  readonly waitedMs: number;
  #release: Cancel;
  #forget: Cancel;

  constructor(flow: Flow, { seats, waitedMs, release, forget }: PassFacts) {
    this.#flow = flow;
    this.seats = seats;
    this.waitedMs = waitedMs;
    this.#release = release;
    this.#forget = forget;
  }

  get schema(): string {
    return this.#flow.schema;
  }
  get level(): string {
    return this.#flow.level;
  }
  get schemaUid(): string {
    return this.#flow.schemaUid;
  }
  get levelUid(): string {
    return this.#flow.levelUid;
  }

  /** The work is done, or a watch's initial events are out. */
  release(): void {
    const release = this.#release;
    this.#release = nothing;
    release();
  }

  /** The request is over. */
  leave(): void {
    this.release();
    const forget = this.#forget;
    this.#forget = nothing;
    forget();
  }
}

export interface WaitRule {
  readonly profile: FlowControlProfile;
  /** Of the server. */
  readonly requestTimeoutMs: number;
}

const waitMsMax = 60_000;

/** How long a request may wait in its queue. `timeoutMs`: what it has in all, undefined for watches. */
export function waitLimit(
  { profile, requestTimeoutMs }: WaitRule,
  { timeoutMs }: Pick<Admission, "timeoutMs">,
  { isSuggested }: { readonly isSuggested: boolean },
): number {
  const part = isSuggested ? profile.suggestedQueues.waitPart : 1 / 4;
  const own = profile.wait === "QuarterOfRequest" ? timeoutMs : undefined;
  return Math.min((own ?? requestTimeoutMs) * part, waitMsMax);
}
