// Who cost what in a run, from the ledger of its servers: one row for each client and kind of request, wherever it came
// from, by its share of all load.
import { findAll } from "../../accounting/findings/all.ts";
import { byUser, concerns, describeShape, patternsOf } from "../../accounting/findings/pattern.ts";
import { type Counts, loadOf } from "../../accounting/ledger/counters.ts";
import type { LedgerRow } from "../../accounting/ledger/ledger-row.ts";
import type { LedgerReport } from "../../accounting/ledger/report.ts";
import type { Culprit } from "../outcome.ts";

const culpritsMax = 8;
/** Smaller shares are noise. */
const shareMin = 0.01;

/** `before`: the ledger when the run began, whose counts are left out. */
export function culpritsOf(report: LedgerReport, before: LedgerReport): Culprit[] {
  const known = new Map(before.rows.map((row) => [keyOf(row), row.total]));
  // Of the whole run, not of the ledger's window.
  const rows = report.rows.map((row) => {
    const own = since(row.total, known.get(keyOf(row)));
    return { ...row, window: own, load: loadOf(own) };
  });
  const patterns = patternsOf(rows, byUser);
  const all = patterns.reduce((sum, { load }) => sum + load, 0);
  const findings = findAll(rows, report.windowSeconds);
  return patterns
    .map((pattern) => {
      const { client, shape, counts, load } = pattern;
      const does = describeShape(shape);
      return {
        client: client.user,
        does,
        requests: counts.requests,
        share: all === 0 ? 0 : load / all,
        objectsScanned: counts.objectsScanned,
        objectsReturned: counts.objectsReturned,
        bytes: counts.bytesOut,
        findings: findings
          .filter(({ user, what }) => concerns(user, client.user) && what === does)
          .map(({ id, howMuch }) => `${id.replaceAll("-", " ")}: ${howMuch}`),
      };
    })
    .filter(({ share }) => share >= shareMin)
    .toSorted((a, b) => b.share - a.share)
    .slice(0, culpritsMax);
}

function keyOf({ client, shape }: LedgerRow): string {
  return JSON.stringify([client, shape]);
}

function since(now: Counts, before: Counts | undefined): Counts {
  if (before === undefined) return now;
  const names = Object.keys(now) as (keyof Counts)[];
  return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as Counts;
}
