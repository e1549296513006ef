// The queues of one priority level and the law by which they share its seats: fair queuing in virtual finish time
// (upstream: fairqueuing/queueset; KEP-1040). Pure arithmetic on the clock value that each call brings (monotonic ms):
// nothing here waits. Whoever is let in later than at `start` is handed to the sink, within the call that freed seats.
import { assert } from "../std/assert.ts";
import type { RejectReason } from "./figures.ts";
import { type Arrival, estimatedMs } from "./arrival.ts";
import { FlowQueue, FlowRequest } from "./queue.ts";
import { LevelGauges } from "./level-gauges.ts";
import { SeatDemand } from "./seat-demand.ts";

export interface QueueSetShape {
  /** 0: none wait, whoever finds no seat is refused. -1: no limit at all (exempt). */
  readonly queues: number;
  /** Of one queue. */
  readonly lengthMax: number;
  /** Seats. */
  readonly limit: number;
  /**
   * A request that begins is charged what such a one lasted lately, not what upstream guesses. Who has hundreds of long
   * ones running would otherwise look as if it had had nothing yet, and go before those that ask for little.
   */
  readonly learns: boolean;
}

export type StartOutcome =
  | { readonly kind: "Taken"; readonly request: FlowRequest }
  | { readonly kind: "Rejected"; readonly reason: RejectReason };

/** A waiting request has its seats now. */
export type DispatchSink = (request: FlowRequest) => void;

/** How much of what is expected the last request decides. */
const lastWeight = 0.1;

/** R is set back by half of this when it gets there, so that doubles keep microseconds apart. */
const epochR = 2 ** 31;

export class QueueSet {
  readonly demand: SeatDemand;
  readonly gauges: LevelGauges;
  readonly #dispatched: DispatchSink;
  #shape: QueueSetShape = { queues: 0, lengthMax: 0, limit: 0, learns: false };
  #expectedMs = estimatedMs;
  #queues: FlowQueue[] = [];
  /** Those with waiting requests. */
  readonly #waitingQueues = new Set<FlowQueue>();
  /** Running without a queue. */
  readonly #queueless = new Set<FlowRequest>();
  #activeQueues = 0;
  /** Running or waiting, of queues alone. */
  #seatsOfQueues = 0;
  /** Seat-seconds that each active queue could have had since the start. */
  #r = 0;
  #syncedAt: number;
  #robin = 0;
  #enqueued = 0;
  #waiting = 0;
  #executing = 0;
  #seatsInUse = 0;
  #seatsWaiting = 0;
  readonly #counts = { dispatched: 0, rejected: 0, cancelled: 0 };

  constructor(now: number, dispatched: DispatchSink) {
    this.#syncedAt = now;
    this.#dispatched = dispatched;
    this.demand = new SeatDemand(now);
    this.gauges = new LevelGauges(now);
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#executing === 0;
  }
  get waiting(): number {
    return this.#waiting;
  }
  get executing(): number {
    return this.#executing;
  }
  get seatsInUse(): number {
    return this.#seatsInUse;
  }
  get seatsWaiting(): number {
    return this.#seatsWaiting;
  }
  get r(): number {
    return this.#r;
  }
  get queues(): readonly FlowQueue[] {
    return this.#queues;
  }
  get queueless(): ReadonlySet<FlowRequest> {
    return this.#queueless;
  }
  get counts(): Readonly<{ dispatched: number; rejected: number; cancelled: number }> {
    return this.#counts;
  }

  /** Queues too many go when they run empty; a lower limit holds from the next dispatch on. */
  configure(now: number, shape: QueueSetShape): void {
    this.#sync(now);
    while (this.#queues.length < shape.queues)
      this.#queues.push(new FlowQueue(this.#queues.length));
    this.#shape = shape;
    const waitingMax = Math.max(1, shape.lengthMax) * Math.max(1, shape.queues);
    this.gauges.limits(now, { waitingMax, seats: shape.limit });
    this.#dispatchAll(now);
  }

  /** Taken: look at its `state` whether it runs already or waits. */
  start(now: number, arrival: Arrival): StartOutcome {
    this.#sync(now);
    const at = { now, arrivalR: this.#r, expectedMs: this.#expectedMs };
    const request = new FlowRequest(arrival, at);
    if (this.#shape.queues < 1) return this.#startWithoutQueue(now, request);
    const queue = this.#shortestOf(arrival.hand);
    // Upstream refuses only while no seat is free, and so lets queues grow while a wide request waits for many.
    if (queue.waiting.size >= this.#shape.lengthMax) return this.#reject(request, "queue-full");
    this.#enqueue(now, queue, request);
    request.figures.queueLength.observe(queue.waiting.size);
    this.#dispatchAll(now);
    return { kind: "Taken", request };
  }

  /** Takes a waiting request out: its time is over, or its client is gone. */
  cancel(now: number, request: FlowRequest): void {
    if (request.state !== "Waiting" || request.queue === undefined) return;
    this.#sync(now);
    const { queue } = request;
    this.#leaveQueue(now, queue, request);
    request.state = "Done";
    if (!queue.isActive) this.#activeQueues--;
    queue.bound();
    this.#counts.rejected++;
    this.#counts.cancelled++;
    request.figures.rejected["time-out"]++;
    this.#noteDemand(now);
    this.#removeIfSurplus(queue);
    // What it blocked may run now: the widest at the head keeps everyone waiting.
    this.#dispatchAll(now);
  }

  /** Its work is done. The milliseconds for which its seats stay taken: call `settle` then; 0: nothing is left to do. */
  finish(now: number, request: FlowRequest): number {
    assert(request.state === "Executing", "a request finishes once");
    this.#sync(now);
    this.#executing--;
    request.figures.executingRequests--;
    this.gauges.executing(now, this.#executing);
    const { queue } = request;
    if (queue === undefined) this.#queueless.delete(request);
    else {
      queue.executing.delete(request);
      if (!queue.isActive) this.#activeQueues--;
      const lastedMs = now - request.startedAt;
      const overestimatedMs = request.expectedMs - lastedMs;
      queue.nextDispatchR -= (request.initialSeats * overestimatedMs) / 1_000;
      queue.bound();
      if (this.#shape.learns) this.#expectedMs += (lastedMs - this.#expectedMs) * lastWeight;
    }
    request.state = "Lingering";
    const lingerMs = request.additionalMs;
    if (lingerMs > 0) this.#dispatchAll(now);
    else this.settle(now, request);
    return lingerMs > 0 ? lingerMs : 0;
  }

  /** Gives the seats back. */
  settle(now: number, request: FlowRequest): void {
    assert(request.state === "Lingering", "seats are given back once");
    this.#sync(now);
    request.state = "Done";
    const { seats, queue } = request;
    this.#seatsInUse -= seats;
    request.figures.executingSeats -= seats;
    this.gauges.seats(now, this.#seatsInUse);
    this.#noteDemand(now);
    if (queue !== undefined) {
      queue.seatsInUse -= seats;
      this.#seatsOfQueues -= seats;
      this.#removeIfSurplus(queue);
    }
    this.#dispatchAll(now);
  }

  #sync(now: number): void {
    const seconds = (now - this.#syncedAt) / 1_000;
    this.#syncedAt = now;
    if (this.#activeQueues === 0) return;
    this.#r += (seconds * Math.min(this.#seatsOfQueues, this.#shape.limit)) / this.#activeQueues;
    if (this.#r >= epochR) this.#setBack(epochR / 2);
  }

  #setBack(by: number): void {
    this.#r -= by;
    this.gauges.epochs++;
    for (const queue of this.#queues) {
      queue.nextDispatchR = queue.isActive ? queue.nextDispatchR - by : 0;
      for (const request of queue.waiting) request.arrivalR -= by;
    }
  }

  #startWithoutQueue(now: number, request: FlowRequest): StartOutcome {
    if (!this.#hasRoomFor(request.seats)) return this.#reject(request, "concurrency-limit");
    this.#queueless.add(request);
    this.#run(now, request);
    return { kind: "Taken", request };
  }

  #reject(request: FlowRequest, reason: RejectReason): StartOutcome {
    this.#counts.rejected++;
    request.figures.rejected[reason]++;
    return { kind: "Rejected", reason };
  }

  /** Of the queues dealt, the one with the least work; the first look goes round, so that ties spread. */
  #shortestOf(hand: readonly number[]): FlowQueue {
    const offset = this.#enqueued++ % hand.length;
    let best: FlowQueue | undefined;
    for (let i = 0; i < hand.length; i++) {
      const queue = this.#queues[hand[(offset + i) % hand.length]!];
      if (queue === undefined) continue;
      if (best === undefined || queue.workWaiting < best.workWaiting) best = queue;
    }
    assert(best !== undefined, "a hand names queues that there are");
    return best;
  }

  #enqueue(now: number, queue: FlowQueue, request: FlowRequest): void {
    if (!queue.isActive) {
      queue.nextDispatchR = this.#r;
      this.#activeQueues++;
    }
    request.queue = queue;
    queue.add(request);
    queue.bound();
    this.#waitingQueues.add(queue);
    this.#waiting++;
    this.#seatsWaiting += request.seats;
    this.#seatsOfQueues += request.seats;
    request.figures.waitingRequests++;
    request.figures.waitingSeats += request.seats;
    this.gauges.waiting(now, this.#waiting);
    this.#noteDemand(now);
  }

  #leaveQueue(now: number, queue: FlowQueue, request: FlowRequest): void {
    queue.remove(request);
    if (queue.waiting.size === 0) this.#waitingQueues.delete(queue);
    this.#waiting--;
    this.#seatsWaiting -= request.seats;
    this.#seatsOfQueues -= request.seats;
    request.figures.waitingRequests--;
    request.figures.waitingSeats -= request.seats;
    this.gauges.waiting(now, this.#waiting);
  }

  #dispatchAll(now: number): void {
    while (this.#waiting > 0 && this.#seatsInUse < this.#shape.limit) {
      const queue = this.#nextQueue();
      const request = queue?.oldest;
      if (queue === undefined || request === undefined) return;
      this.#dispatch(now, queue, request);
    }
  }

  /** The queue whose oldest request finishes first in the virtual world, if its seats are free. */
  #nextQueue(): FlowQueue | undefined {
    const count = this.#queues.length;
    let next: FlowQueue | undefined;
    let nextFinish = 0;
    let nextDistance = 0;
    for (const queue of this.#waitingQueues) {
      const finish = queue.nextDispatchR + queue.oldest!.work;
      const distance = (queue.index - this.#robin - 1 + count) % count;
      const sooner = next === undefined || finish < nextFinish;
      if (!sooner && (finish > nextFinish || distance > nextDistance)) continue;
      next = queue;
      nextFinish = finish;
      nextDistance = distance;
    }
    const request = next?.oldest;
    if (next === undefined || request === undefined) return undefined;
    if (!this.#hasRoomFor(request.seats)) {
      request.figures.noAccommodation++;
      return undefined;
    }
    this.gauges.dispatch(this.#r, next, this.#waitingQueues);
    this.#robin = next.index;
    return next;
  }

  #dispatch(now: number, queue: FlowQueue, request: FlowRequest): void {
    this.#leaveQueue(now, queue, request);
    this.#narrow(request);
    const { seats } = request;
    queue.executing.add(request);
    queue.seatsInUse += seats;
    this.#seatsOfQueues += seats;
    queue.nextDispatchR += request.work;
    this.#run(now, request);
    queue.bound();
    this.#dispatched(request);
  }

  #run(now: number, request: FlowRequest): void {
    const { seats, figures } = request;
    request.state = "Executing";
    request.startedAt = now;
    this.#executing++;
    this.#seatsInUse += seats;
    this.#counts.dispatched++;
    figures.dispatched++;
    figures.executingRequests++;
    figures.executingSeats += seats;
    this.gauges.executing(now, this.#executing);
    this.gauges.seats(now, this.#seatsInUse);
    this.#noteDemand(now);
  }

  /** Final seats beyond the limit become more time on fewer seats: the work stays the same. */
  #narrow(request: FlowRequest): void {
    const { limit } = this.#shape;
    if (request.finalSeats <= limit) return;
    request.additionalMs = (request.additionalMs * request.finalSeats) / limit;
    request.finalSeats = limit;
  }

  /** Wider than the limit: it runs when nothing else does. */
  #hasRoomFor(seats: number): boolean {
    const { queues, limit } = this.#shape;
    if (queues < 0) return true;
    return seats > limit ? this.#executing === 0 : this.#seatsInUse + seats <= limit;
  }

  #noteDemand(now: number): void {
    const demand = this.#seatsInUse + this.#seatsWaiting;
    this.demand.set(now, demand);
    this.gauges.demand(now, demand);
  }

  #removeIfSurplus(queue: FlowQueue): void {
    if (this.#queues.length <= Math.max(0, this.#shape.queues) || queue.isActive) return;
    if (queue.seatsInUse > 0) return;
    this.#queues.splice(queue.index, 1);
    for (let i = queue.index; i < this.#queues.length; i++) this.#queues[i]!.index = i;
    if (this.#robin >= queue.index) this.#robin--;
  }
}
