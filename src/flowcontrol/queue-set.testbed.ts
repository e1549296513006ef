// A queue set under a clock of events, with flows that always have more to send: for laws that must hold whatever comes.
import { dealHand } from "./dealer.ts";
import { FlowFigures } from "./figures.ts";
import { type WorkEstimate, oneSeat } from "./arrival.ts";
import { type FlowRequest } from "./queue.ts";
import { QueueSet, type QueueSetShape, type StartOutcome } from "./queue-set.ts";
import type { RequestDigest } from "./request-digest.ts";

export const someDigest: RequestDigest = {
  user: { name: "ann", uid: "", groups: ["system:authenticated"], extra: {} },
  isResource: true,
  path: "/api/v1/pods",
  verb: "list",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: "",
  name: "",
};

export interface Flow {
  readonly name: string;
  /** Seeds its hand. */
  readonly hash: bigint;
  /** Sent and not yet answered, at all times. */
  readonly concurrency: number;
  readonly work: WorkEstimate;
  readonly serviceMs: number;
}

interface Event {
  readonly at: number;
  readonly run: () => void;
}

export class QueueSetBed {
  readonly set: QueueSet;
  readonly shape: QueueSetShape;
  readonly handSize: number;
  now = 0;
  /** Seat-milliseconds of finished work, by flow. */
  readonly served = new Map<string, number>();
  readonly started = new Map<string, number>();
  readonly longestWaitMs = new Map<string, number>();
  rejected = 0;
  /** Looked at after every event. */
  readonly violations: string[] = [];
  readonly #flows = new Map<FlowRequest, Flow>();
  /** The next one last; of those at one time the one that was put in first. */
  readonly #events: Event[] = [];
  #arrived = 0;
  #finished = 0;

  constructor(shape: Omit<QueueSetShape, "learns"> & { learns?: boolean }, handSize: number) {
    this.shape = { learns: false, ...shape };
    this.handSize = handSize;
    this.set = new QueueSet(0, (request) => this.#begin(request));
    this.set.configure(0, this.shape);
  }

  /** Sends as many as the flow keeps under way; each answer is followed by the next request. */
  run(flows: readonly Flow[], untilMs: number): void {
    for (const flow of flows)
      for (let i = 0; i < flow.concurrency; i++) this.#after(0, () => this.#send(flow));
    for (;;) {
      const event = this.#events.pop();
      if (event === undefined || event.at > untilMs) return;
      this.now = event.at;
      event.run();
      this.#check();
    }
  }

  start(flow: Flow, figures = new FlowFigures("level", flow.name)): StartOutcome {
    const hand = this.shape.queues < 1 ? [] : dealHand(flow.hash, this.shape.queues, this.handSize);
    const { work, name } = flow;
    return this.set.start(this.now, {
      work,
      hand,
      figures,
      distinguisher: name,
      digest: someDigest,
    });
  }

  #send(flow: Flow): void {
    const outcome = this.start(flow);
    if (outcome.kind === "Rejected") {
      this.rejected++;
      // Comes again, as clients do.
      this.#after(1_000, () => this.#send(flow));
      return;
    }
    this.#arrived++;
    this.#flows.set(outcome.request, flow);
    if (outcome.request.state === "Executing") this.#begin(outcome.request);
  }

  /** The sink hears of those that run within `start` too, before they are known here. */
  #begin(request: FlowRequest): void {
    const flow = this.#flows.get(request);
    if (flow === undefined) return;
    this.#flows.delete(request);
    add(this.started, flow.name, 1);
    const waited = request.startedAt - request.arrivedAt;
    this.longestWaitMs.set(flow.name, Math.max(this.longestWaitMs.get(flow.name) ?? 0, waited));
    this.#after(flow.serviceMs, () => this.#end(flow, request));
  }

  #end(flow: Flow, request: FlowRequest): void {
    const { initialSeats, finalSeats, additionalMs } = request;
    add(this.served, flow.name, initialSeats * flow.serviceMs + finalSeats * additionalMs);
    this.#finished++;
    const lingerMs = this.set.finish(this.now, request);
    if (lingerMs > 0) this.#after(lingerMs, () => this.set.settle(this.now, request));
    this.#send(flow);
  }

  #after(ms: number, run: () => void): void {
    const at = this.now + ms;
    const events = this.#events;
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (events[middle]!.at > at) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, { at, run });
  }

  #check(): void {
    const { set, shape } = this;
    const alone = set.executing === 1;
    if (set.seatsInUse > shape.limit && !alone && set.executing > 0)
      this.violations.push(`${set.seatsInUse} of ${shape.limit} seats at ${this.now}`);
    if (this.#arrived !== this.#finished + set.executing + set.waiting)
      this.violations.push(`requests were lost at ${this.now}`);
    const inQueues = set.queues.reduce((sum, queue) => sum + queue.waiting.size, 0);
    if (inQueues !== set.waiting) this.violations.push(`miscounted at ${this.now}`);
    if (set.queues.some((queue) => queue.waiting.size > shape.lengthMax))
      this.violations.push(`a queue overflows at ${this.now}`);
  }
}

function add(map: Map<string, number>, key: string, amount: number): void {
  map.set(key, (map.get(key) ?? 0) + amount);
}

export function flowOf(name: string, change: Partial<Flow> = {}): Flow {
  return { name, hash: 0n, concurrency: 20, work: oneSeat, serviceMs: 10, ...change };
}
