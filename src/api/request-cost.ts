// What one request cost, counted where the work is done and read by whoever accounts for it: flow control, audit
// annotations, the ledger, and the cost model of rehearsals. Counts only; money, time and blame are others' business.

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
  /** Body bytes, as on the wire. */
  bytesIn = 0;
  bytesOut = 0;
  /** Of a watch. */
  eventsDelivered = 0;
  /** Of Priority and Fairness: width while it ran, and how long it waited for it. */
  seats = 0;
  queueWaitMs = 0;
  /** Time that the event loop spent on it, as far as it was measured. */
  cpuMs = 0;
}
