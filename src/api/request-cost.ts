// What one request cost, counted where the work is done and read by whoever accounts for it: flow control, audit
// annotations, the ledger, and the cost model of rehearsals. Counts only; money, time and blame are others' business.

/** What a read cost, handed back with its outcome by those who know nothing of requests. */
export interface ReadCost {
  readonly objectsScanned: number;
  readonly objectsReturned: number;
  readonly storeReads: number;
  readonly storeObjects: number;
  readonly storeBytes: number;
  /** Time that the event loop spent on it, without what it waited. */
  readonly cpuMs: number;
}

/** One object from memory: shared, since it is what nearly every GET costs. */
export const oneFromCache: ReadCost = Object.freeze({
  objectsScanned: 1,
  objectsReturned: 1,
  storeReads: 0,
  storeObjects: 0,
  storeBytes: 0,
  cpuMs: 0,
});

/** A look for an object that is not there. */
export const nothingInCache: ReadCost = Object.freeze({ ...oneFromCache, objectsReturned: 0 });

/** Whom the event loop works for: one request at a time, so that times add up to no more than the time there was. */
export class LoopMeter {
  #running: RequestCost | undefined;
  #since = 0;

  resume(cost: RequestCost, nowMs: number): void {
    if (this.#running !== undefined) this.suspend(this.#running, nowMs);
    this.#running = cost;
    this.#since = nowMs;
  }

  /** Nothing, when somebody else has come in between. */
  suspend(cost: RequestCost, nowMs: number): void {
    if (this.#running !== cost) return;
    cost.cpuMs += nowMs - this.#since;
    this.#running = undefined;
  }
}

/** For work that is nobody's request. */
export function uncounted(): RequestCost {
  return new RequestCost(new LoopMeter());
}

/** Filled while the request runs; complete when its answer has been sent. */
export class RequestCost {
  /** Objects looked at to find the answer, whether or not they are in it. */
  objectsScanned = 0;
  objectsReturned = 0;
  /** Range reads and transactions that went to the store. */
  storeReads = 0;
  storeWrites = 0;
  /** Objects and value bytes that those reads brought back. */
  storeObjects = 0;
  storeBytes = 0;
  /** Body bytes; of the answer before it is compressed. */
  bytesIn = 0;
  bytesOut = 0;
  /** Of a watch: objects, not bookmarks. */
  eventsDelivered = 0;
  /** Of Priority and Fairness: width while it ran, and how long it waited for it. */
  seats = 0;
  queueWaitMs = 0;
  /** Time that the event loop spent on it, as far as it was measured: see `resume`. */
  cpuMs = 0;
  readonly #meter: LoopMeter;

  constructor(meter: LoopMeter) {
    this.#meter = meter;
  }

  /**
   * From here to the next `suspend` the loop works on this request. Whoever waits for something other than a microtask
   * suspends before it. After a commit nobody resumes: many writers then go on in turns, and each would pay for all.
   */
  resume(nowMs: number): void {
    this.#meter.resume(this, nowMs);
  }

  suspend(nowMs: number): void {
    this.#meter.suspend(this, nowMs);
  }

  addRead(read: ReadCost): void {
    this.objectsScanned += read.objectsScanned;
    this.objectsReturned += read.objectsReturned;
    this.storeReads += read.storeReads;
    this.storeObjects += read.storeObjects;
    this.storeBytes += read.storeBytes;
    this.cpuMs += read.cpuMs;
  }
}
