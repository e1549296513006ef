// API Priority and Fairness (KEP-1040): who may run now, who waits, who is refused. Holds the live configuration; the
// arithmetic is in queue-set.ts and limits.ts, and only here do requests wait and timers run.
import type { FlowSchema, PriorityLevelConfiguration } from "../api/types/flowcontrol-v1.ts";
import type { Cancel, Host } from "../host/host.ts";
import { Configuration } from "./configuration.ts";
import type { WorkEstimate } from "./arrival.ts";
import { Deadlines } from "./deadlines.ts";
import type { FlowRequest } from "./queue.ts";
import {
  type Admission,
  type FlowAnswer,
  FlowPass,
  type FlowRefusal,
  type Gate,
  waitLimit,
} from "./flow-pass.ts";
import type { LiveFlowSchema, StatusWish } from "./flow-schema.ts";
import type { PriorityLevel } from "./priority-level.ts";
import type { FlowControlProfile } from "./profile.ts";
import type { ResourceSizes } from "./resource-size.ts";
import { ServerGauges } from "./server-gauges.ts";
import { WatchCount } from "./watch-count.ts";
import { type WorkFacts, estimateWork } from "./work-estimate.ts";

export interface FlowControlOptions {
  readonly profile: FlowControlProfile;
  /** Seats of the server: requests in flight, mutating and not, together. */
  readonly seats: number;
  readonly requestTimeoutMs: number;
  readonly sizes: ResourceSizes;
}

/** Between two looks at who needs how many seats. */
export const borrowingPeriodMs = 10_000;
const nothing: Cancel = () => {};

interface Waiter {
  readonly wake: () => void;
  readonly stop: () => void;
}

export class FlowControl implements Gate {
  readonly gauges: ServerGauges;
  readonly #host: Host;
  readonly #options: FlowControlOptions;
  readonly #configuration: Configuration;
  readonly #watches = new WatchCount();
  readonly #waiters = new Map<FlowRequest, Waiter>();
  readonly #waitLimits: Deadlines;
  readonly #facts: WorkFacts;
  /** Whose work is being estimated. */
  #estimated: LiveFlowSchema | undefined;

  constructor(host: Host, options: FlowControlOptions) {
    this.#host = host;
    this.#options = options;
    this.#waitLimits = new Deadlines(host.clock);
    const now = host.clock.monotonic();
    this.gauges = new ServerGauges(now);
    this.#configuration = new Configuration(options, now, (request) => this.#dispatched(request));
    this.#facts = this.#workFacts();
    this.gauges.limits(now, this.#configuration.totals);
  }

  get levels(): ReadonlyMap<string, PriorityLevel> {
    return this.#configuration.levels;
  }

  get fairFraction(): number {
    return this.#configuration.fairFraction;
  }

  /** Lends and borrows from now on. */
  start(): Cancel {
    if (!this.#options.profile.borrowing) return nothing;
    const { clock } = this.#host;
    let cancel = nothing;
    const next = (): void => {
      cancel = clock.after(borrowingPeriodMs, () => {
        this.#configuration.adjust(clock.monotonic());
        next();
      });
    };
    next();
    return () => cancel();
  }

  /** All the objects there are, at each change. Requests under way keep their seats and places. */
  configure(
    levels: readonly PriorityLevelConfiguration[],
    schemas: readonly FlowSchema[],
  ): readonly StatusWish[] {
    const now = this.#host.clock.monotonic();
    const wishes = this.#configuration.digest(now, levels, schemas);
    this.gauges.limits(now, this.#configuration.totals);
    return wishes;
  }

  /** At once where nobody has to wait. */
  enter(admission: Admission): FlowAnswer | Promise<FlowAnswer> {
    const { digest } = admission;
    const now = this.#host.clock.monotonic();
    const schema = this.#configuration.classify(digest);
    const { level } = schema;
    const distinguisher = schema.distinguisherOf(digest);
    const outcome = level.queues.start(now, {
      work: this.#estimate(admission, schema),
      hand: schema.handOf(this.#host.digest, distinguisher),
      figures: schema.figures,
      distinguisher,
      digest,
    });
    if (outcome.kind === "Rejected") {
      if (!level.isExempt) schema.figures.waitedInVain.observe(0);
      return this.#refuse(schema);
    }
    const { request } = outcome;
    if (request.state === "Executing") return this.#pass(admission, schema, request);
    return this.#wait(admission, schema, request);
  }

  #estimate(admission: Admission, schema: LiveFlowSchema): WorkEstimate {
    this.#estimated = schema;
    const work = estimateWork(admission.digest, () => admission.listOptions(), this.#facts);
    schema.figures.seats.observe(Math.max(work.initialSeats, work.finalSeats));
    return work;
  }

  /** Made once: a request's estimate allocates as little as it can. */
  #workFacts(): WorkFacts {
    const estimated = (): LiveFlowSchema | undefined => this.#estimated;
    const { profile, sizes } = this.#options;
    return {
      profile,
      get levelSeatsMax() {
        return estimated()?.level.seatsMax ?? 0;
      },
      size: (digest) => sizes.all(digest),
      matchedSize: (digest, options) => sizes.matched(digest, options),
      watchers: (digest) => {
        const count = this.#watches.interested(digest);
        estimated()?.figures.watchers.observe(count);
        return count;
      },
    };
  }

  #wait(admission: Admission, schema: LiveFlowSchema, request: FlowRequest): Promise<FlowAnswer> {
    const { clock } = this.#host;
    const { digest } = admission;
    const limitMs = waitLimit(this.#options, admission, schema.level.object);
    const left = admission.signal();
    this.gauges.waiting(clock.monotonic(), digest.verb, 1);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#waiters.get(request)?.stop();
        schema.level.queues.cancel(clock.monotonic(), request);
        schema.figures.waitedInVain.observe((clock.monotonic() - request.arrivedAt) / 1_000);
        resolve(this.#refuse(schema));
      };
      const cancelTimer = this.#waitLimits.enter(limitMs, giveUp);
      const stop = (): void => {
        this.#waiters.delete(request);
        cancelTimer();
        left.removeEventListener("abort", giveUp);
        this.gauges.waiting(clock.monotonic(), digest.verb, -1);
      };
      const wake = (): void => resolve(this.#pass(admission, schema, request));
      this.#waiters.set(request, { wake, stop });
      if (left.aborted) giveUp();
      else left.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Called by a queue set in the middle of its arithmetic: nothing here may call it back. */
  #dispatched(request: FlowRequest): void {
    const waiter = this.#waiters.get(request);
    if (waiter === undefined) return;
    waiter.stop();
    waiter.wake();
  }

  #refuse(schema: LiveFlowSchema): FlowRefusal {
    const { level } = schema;
    const { profile } = this.#options;
    level.retryAfter.refused(this.#host.clock.now());
    return {
      kind: "Refused",
      ...schema.flow,
      retryAfterSeconds: profile.retryAfter === "One" ? 1 : level.retryAfter.seconds,
    };
  }

  #pass(admission: Admission, schema: LiveFlowSchema, request: FlowRequest): FlowPass {
    const { level, figures } = schema;
    const { digest } = admission;
    const waitedMs = request.startedAt - request.arrivedAt;
    if (!level.isExempt) figures.waitedThenRan.observe(waitedMs / 1_000);
    this.gauges.executing(request.startedAt, digest.verb, 1);
    const forget =
      digest.verb === "watch"
        ? this.#watches.register(digest, admission.listOptions()?.fieldSelector ?? "")
        : nothing;
    const release = this.#releaseOf(schema, request);
    return new FlowPass(schema.flow, { seats: request.initialSeats, waitedMs, release, forget });
  }

  #releaseOf({ level, figures }: LiveFlowSchema, request: FlowRequest): Cancel {
    return () => {
      const now = this.#host.clock.monotonic();
      const { verb } = request.digest;
      const ran = verb === "watch" ? figures.watchBegan : figures.ran;
      ran.observe((now - request.startedAt) / 1_000);
      this.gauges.executing(now, verb, -1);
      this.#finish(now, level, request);
    };
  }

  #finish(now: number, level: PriorityLevel, request: FlowRequest): void {
    const { clock } = this.#host;
    const lingerMs = level.queues.finish(now, request);
    if (lingerMs > 0) clock.after(lingerMs, () => level.queues.settle(clock.monotonic(), request));
    if (level.isQuiescing && level.queues.isIdle) this.#configuration.reap(now);
  }
}
