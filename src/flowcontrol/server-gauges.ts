// Requests of the whole server that wait or run, reading and writing apart: for metrics.
import { isReadOnly } from "./request-digest.ts";
import { TimedRatio } from "./timed-ratio.ts";

const bounds = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

export interface KindGauge {
  readonly ratio: TimedRatio;
  count: number;
}

export class ServerGauges {
  readonly waitingReads: KindGauge;
  readonly waitingWrites: KindGauge;
  readonly executingReads: KindGauge;
  readonly executingWrites: KindGauge;

  constructor(now: number) {
    const gauge = (): KindGauge => ({ ratio: new TimedRatio(bounds, now), count: 0 });
    this.waitingReads = gauge();
    this.waitingWrites = gauge();
    this.executingReads = gauge();
    this.executingWrites = gauge();
  }

  limits(now: number, totals: { readonly waiting: number; readonly executing: number }): void {
    const waiting = Math.max(1, totals.waiting);
    const executing = Math.max(1, totals.executing);
    this.waitingReads.ratio.setLimit(now, waiting);
    this.waitingWrites.ratio.setLimit(now, waiting);
    this.executingReads.ratio.setLimit(now, executing);
    this.executingWrites.ratio.setLimit(now, executing);
  }

  waiting(now: number, verb: string, change: 1 | -1): void {
    move(isReadOnly(verb) ? this.waitingReads : this.waitingWrites, now, change);
  }

  executing(now: number, verb: string, change: 1 | -1): void {
    move(isReadOnly(verb) ? this.executingReads : this.executingWrites, now, change);
  }
}

function move(gauge: KindGauge, now: number, change: 1 | -1): void {
  gauge.count += change;
  gauge.ratio.set(now, gauge.count);
}
