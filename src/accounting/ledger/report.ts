// The ledger as it is served: rows by name, heaviest first, with sums that hold also for what has no row. Plain data:
// `wavetank top` and whoever asks the API read exactly this.
import type { Clock } from "../../host/host.ts";
import { findAll } from "../findings/all.ts";
import type { Finding } from "../findings/finding.ts";
import { type Counts, countsOf, loadOf, sumCounts } from "./counters.ts";
import type { Ledger } from "./ledger.ts";
import type { Row } from "./row.ts";
import type { LedgerRow } from "./ledger-row.ts";

export interface LedgerReport {
  readonly kind: "Ledger";
  readonly apiVersion: "ledger.wavetank.dev/v1alpha1";
  /** RFC 3339. */
  readonly at: string;
  /** That the window covers: less than its whole length in a young server. */
  readonly windowSeconds: number;
  readonly rows: readonly LedgerRow[];
  /** All that is in no row of `rows`. */
  readonly others: { readonly rows: number; readonly window: Counts; readonly total: Counts };
  readonly window: Counts;
  readonly total: Counts;
  readonly findings: readonly Finding[];
}

/** At most `rowsMax` rows, the heaviest of the window. */
export function reportOf(ledger: Ledger, clock: Clock, rowsMax: number): LedgerReport {
  const { slot, rows, others } = ledger.read();
  const all = [...rows].map((row) => viewOf(row, slot));
  all.sort((a, b) => b.load - a.load);
  const shown = all.slice(0, rowsMax);
  const hidden = all.slice(rowsMax);
  const restWindow = sumCounts([countsOf(others.window(slot)), ...hidden.map((row) => row.window)]);
  const restTotal = sumCounts([countsOf(others.total), ...hidden.map((row) => row.total)]);
  const { slots, slotMs } = ledger.limits;
  return {
    kind: "Ledger",
    apiVersion: "ledger.wavetank.dev/v1alpha1",
    at: new Date(clock.now()).toISOString(),
    windowSeconds: ledger.coveredSeconds,
    rows: shown,
    others: { rows: hidden.length, window: restWindow, total: restTotal },
    window: sumCounts([restWindow, ...shown.map((row) => row.window)]),
    total: sumCounts([restTotal, ...shown.map((row) => row.total)]),
    // What is a lot in five minutes may be what anybody does in his first seconds.
    findings: findAll(all, (slots * slotMs) / 1_000),
  };
}

function viewOf(row: Row, slot: number): LedgerRow {
  const window = countsOf(row.window(slot));
  return {
    client: row.client,
    shape: row.shape,
    window,
    total: countsOf(row.total),
    watchesOpen: row.watchesOpen,
    peakPerSecond: row.peak(slot),
    load: loadOf(window),
    loadBefore: row.weightError,
  };
}
