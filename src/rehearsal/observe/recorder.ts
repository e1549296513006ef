// Watches numbers over simulated time: each is read at every step, as it stands or as what it grew by in a second.
import type { Cancel, Host } from "../../host/host.ts";
import type { Series, Unit } from "../outcome.ts";

export interface Gauge {
  /** Series of one chart are drawn together. */
  readonly chart: string;
  readonly name: string;
  readonly unit: Unit;
  /** `asIs`; `growth`: how much more than at the step before, for each second. */
  readonly kind: "asIs" | "growth";
  readonly read: () => number;
}

interface Row {
  readonly gauge: Gauge;
  readonly values: number[];
  before: number;
}

/** More steps are not kept: whoever records longer takes longer steps. */
const stepsMax = 10_000;

export class Recorder {
  readonly #host: Host;
  readonly #stepMs: number;
  readonly #rows: Row[] = [];
  #cancel: Cancel = () => undefined;

  constructor(host: Host, stepMs: number) {
    this.#host = host;
    this.#stepMs = stepMs;
  }

  watch(gauge: Gauge): void {
    this.#rows.push({ gauge, values: [], before: 0 });
  }

  /** The first values are read now. */
  start(): void {
    for (const row of this.#rows) {
      row.before = row.gauge.read();
      row.values.push(row.gauge.kind === "asIs" ? row.before : 0);
    }
    this.#next();
  }

  stop(): void {
    this.#cancel();
  }

  series(): Series[] {
    return this.#rows.map(({ gauge: { chart, name, unit }, values }) => ({
      chart,
      name,
      unit,
      stepMs: this.#stepMs,
      values: [...values],
    }));
  }

  #next(): void {
    this.#cancel = this.#host.clock.after(this.#stepMs, () => {
      for (const row of this.#rows) this.#step(row);
      this.#next();
    });
  }

  #step(row: Row): void {
    if (row.values.length >= stepsMax) return;
    const now = row.gauge.read();
    const growth = ((now - row.before) * 1_000) / this.#stepMs;
    row.values.push(row.gauge.kind === "asIs" ? now : growth);
    row.before = now;
  }
}
