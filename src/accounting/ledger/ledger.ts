// The ledger of costs: who asked for what, and what it took, over a sliding window and since the start. An Accountant
// that only adds numbers; judging them is findings/, showing them report.ts.
import type { RequestCost } from "../../api/request-cost.ts";
import type { Cancel, Clock } from "../../host/host.ts";
import type { Accountant, AnsweredRequest, FinishedRequest } from "../accountant.ts";
import type { RequestDigest } from "../request-digest.ts";
import { at, loadOfRequest } from "./counters.ts";
import { HeavyRows } from "./heavy-rows.ts";
import { type Row, type WindowLimits, windowDefaults } from "./row.ts";
import { type Client, SelectorShapes, type Shape, clientOf, keyOf, shapeOf } from "./shape.ts";

export interface LedgerLimits extends WindowLimits {
  /** Rows kept; whoever takes more than a `rowsMax`-th of all load is among them. */
  readonly rowsMax: number;
}

export const ledgerDefaults: LedgerLimits = { ...windowDefaults, rowsMax: 1_000 };

/** Per slot: after a window of thirty, a fifth of a weight is left. */
const fading = 0.95;

interface OpenRequest {
  readonly who: { readonly key: string; readonly client: Client; readonly shape: Shape };
  readonly cost: RequestCost;
  readonly openedAt: number;
  /** What has been counted of `cost`. */
  readonly seen: { eventsDelivered: number; bytesOut: number; cpuMs: number };
}

export class Ledger implements Accountant {
  readonly limits: LedgerLimits;
  readonly #clock: Clock;
  readonly #rows: HeavyRows;
  readonly #selectors = new SelectorShapes();
  readonly #open = new Set<OpenRequest>();
  readonly #startedAt: number;
  #slot: number;

  constructor(clock: Clock, limits: LedgerLimits = ledgerDefaults) {
    this.limits = limits;
    this.#clock = clock;
    this.#rows = new HeavyRows(limits.rowsMax, limits);
    this.#startedAt = clock.monotonic();
    this.#slot = Math.floor(this.#startedAt / limits.slotMs);
  }

  /** What the window covers by now: less than all of it in a young server, but never nothing. */
  get coveredSeconds(): number {
    const { slots, slotMs } = this.limits;
    const ageMs = this.#clock.monotonic() - this.#startedAt;
    return Math.max(1, Math.round(Math.min(slots * slotMs, ageMs) / 1_000));
  }

  finished({ digest, cost, status, latencyMs, retryAfterSeconds }: FinishedRequest): void {
    const now = this.#clock.monotonic();
    const slot = this.#turnTo(now);
    const row = this.#rowOf(digest);
    row.weight += loadOfRequest(cost);
    this.#count(row, { slot, cost, status });
    row.add(slot, at.latencyMs, latencyMs);
    row.add(slot, at.seatSeconds, (cost.seats * (latencyMs - cost.queueWaitMs)) / 1_000);
    row.add(slot, at.bytesOut, cost.bytesOut);
    row.add(slot, at.cpuMs, cost.cpuMs);
    row.arrived(slot, Math.floor((now - latencyMs) / 1_000));
    this.#judgeManners(row, { slot, now, latencyMs, status, retryAfterSeconds });
    if (status < 300) this.#countWrite(row, slot, { digest, cost });
  }

  opened({ digest, cost, status }: AnsweredRequest): Cancel {
    const now = this.#clock.monotonic();
    const slot = this.#turnTo(now);
    const row = this.#rowOf(digest);
    row.weight += loadOfRequest(cost);
    this.#count(row, { slot, cost, status });
    row.add(slot, at.watchesOpened, 1);
    row.arrived(slot, Math.floor(now / 1_000));
    row.watchesOpen += 1;
    const { key, client, shape } = row;
    const seen = { eventsDelivered: 0, bytesOut: 0, cpuMs: 0 };
    const open = { who: { key, client, shape }, cost, openedAt: now, seen };
    this.#open.add(open);
    return () => this.#close(open);
  }

  /** The present state. The rows are the ledger's own and go on changing. */
  read(): { readonly slot: number; readonly rows: Iterable<Row>; readonly others: Row } {
    const slot = this.#turnTo(this.#clock.monotonic());
    for (const open of this.#open) this.#catchUp(open, slot);
    return { slot, rows: this.#rows.values(), others: this.#rows.others };
  }

  get size(): number {
    return this.#rows.size;
  }

  #close(open: OpenRequest): void {
    if (!this.#open.delete(open)) return;
    const now = this.#clock.monotonic();
    const slot = this.#turnTo(now);
    this.#catchUp(open, slot);
    const row = this.#rows.find(open.who.key) ?? this.#rows.others;
    row.watchesOpen = Math.max(0, row.watchesOpen - 1);
    row.add(slot, at.watchesClosed, 1);
    row.add(slot, at.watchMs, now - open.openedAt);
  }

  /** Counts what an open watch has sent since the last look. */
  #catchUp({ who, cost, seen }: OpenRequest, slot: number): void {
    const events = cost.eventsDelivered - seen.eventsDelivered;
    const bytes = cost.bytesOut - seen.bytesOut;
    const cpuMs = cost.cpuMs - seen.cpuMs;
    if (events === 0 && bytes === 0 && cpuMs === 0) return;
    const row = this.#rows.find(who.key) ?? this.#reenter(who);
    row.weight += events / 10 + bytes / 100_000;
    row.add(slot, at.eventsDelivered, events);
    row.add(slot, at.bytesOut, bytes);
    row.add(slot, at.cpuMs, cpuMs);
    seen.eventsDelivered = cost.eventsDelivered;
    seen.bytesOut = cost.bytesOut;
    seen.cpuMs = cost.cpuMs;
  }

  /** Its row had to make room while it was silent. */
  #reenter(who: OpenRequest["who"]): Row {
    const row = this.#rows.enter(who);
    for (const open of this.#open) if (open.who.key === who.key) row.watchesOpen += 1;
    return row;
  }

  #turnTo(now: number): number {
    const slot = Math.floor(now / this.limits.slotMs);
    if (slot === this.#slot) return slot;
    // What watches sent belongs to the slot that ends.
    for (const open of this.#open) this.#catchUp(open, this.#slot);
    this.#rows.fade(fading ** Math.min(slot - this.#slot, this.limits.slots));
    this.#slot = slot;
    return slot;
  }

  #rowOf(digest: RequestDigest): Row {
    const key = keyOf(digest, this.#selectors);
    const known = this.#rows.find(key);
    if (known !== undefined) return known;
    const client = clientOf(digest);
    return this.#rows.enter({ key, client, shape: shapeOf(digest, this.#selectors) });
  }

  #count(
    row: Row,
    of: { readonly slot: number; readonly cost: RequestCost; readonly status: number },
  ): void {
    const { slot, cost, status } = of;
    row.add(slot, at.requests, 1);
    if (status === 429) row.add(slot, at.rejections, 1);
    else if (status >= 400) row.add(slot, at.errors, 1);
    row.add(slot, at.bytesIn, cost.bytesIn);
    row.add(slot, at.objectsScanned, cost.objectsScanned);
    row.add(slot, at.objectsReturned, cost.objectsReturned);
    row.add(slot, at.storeReads, cost.storeReads);
    row.add(slot, at.storeObjects, cost.storeObjects);
    row.add(slot, at.storeBytes, cost.storeBytes);
    row.add(slot, at.storeWrites, cost.storeWrites);
    row.add(slot, at.queueWaitMs, cost.queueWaitMs);
  }

  /** Did it wait as it was told to? */
  #judgeManners(
    row: Row,
    answer: {
      readonly slot: number;
      readonly now: number;
      readonly latencyMs: number;
      readonly status: number;
      readonly retryAfterSeconds: number;
    },
  ): void {
    const { slot, now, latencyMs, status, retryAfterSeconds } = answer;
    // What was under way when the refusal came could not know of it.
    const arrivedAt = now - latencyMs;
    if (arrivedAt > row.refusedAt && arrivedAt < row.waitUntil) row.add(slot, at.impatient, 1);
    if (status !== 429) return;
    row.refusedAt = now;
    row.waitUntil = now + retryAfterSeconds * 1_000;
  }

  #countWrite(
    row: Row,
    slot: number,
    { digest, cost }: { readonly digest: RequestDigest; readonly cost: RequestCost },
  ): void {
    if (digest.verb !== "update" && digest.verb !== "patch") return;
    if (cost.storeWrites === 0 && !digest.dryRun) row.add(slot, at.unchangedWrites, 1);
    const object = `${digest.namespace}/${digest.name}`;
    if (row.wroteBefore(object)) row.add(slot, at.repeatedWrites, 1);
  }
}
