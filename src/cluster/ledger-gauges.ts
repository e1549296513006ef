// The ledger in `/metrics`: the heaviest users of the window, and everybody else as one, so that the page does not grow
// with the number of clients.
import { type CounterName, type Counts, sumCounts } from "../accounting/ledger/counters.ts";
import type { LedgerReport } from "../accounting/ledger/report.ts";
import type { GaugeSource } from "../apiserver/metrics/metric-registry.ts";
import type { Clock } from "../host/host.ts";

const usersShown = 20;
const rowsRead = 10_000;

const families: readonly (readonly [name: string, counter: CounterName, help: string])[] = [
  ["requests", "requests", "Requests"],
  ["rejections", "rejections", "Requests refused with 429"],
  ["cpu_milliseconds", "cpuMs", "Event loop time"],
  ["objects_scanned", "objectsScanned", "Objects looked at"],
  ["response_bytes", "bytesOut", "Bytes of answers"],
  ["watch_events", "eventsDelivered", "Watch events sent"],
];

/** One look at the ledger serves all families of a page. */
const lookMs = 1_000;

export function ledgerGauges(
  clock: Clock,
  report: (rowsMax: number) => LedgerReport,
): GaugeSource[] {
  let lookedAt = -Infinity;
  let users: ReturnType<typeof heaviest> = [];
  let findings: ReturnType<typeof tally> = [];
  const look = (): void => {
    const now = clock.monotonic();
    if (now - lookedAt < lookMs) return;
    lookedAt = now;
    const latest = report(rowsRead);
    users = heaviest(latest);
    findings = tally(latest.findings.map(({ id }) => id));
  };
  return [
    ...families.map(([name, counter, help]): GaugeSource => ({
      name: `wavetank_ledger_window_${name}`,
      help: `${help} in the ledger's window, by user; user="" is all but the ${usersShown} heaviest.`,
      labels: ["user"],
      read: () => {
        look();
        return users.map(([user, counts]) => [[user], counts[counter]]);
      },
    })),
    {
      name: "wavetank_ledger_findings",
      help: "What the ledger finds wrong with how clients use the server, by finding.",
      labels: ["finding"],
      read: () => {
        look();
        return findings;
      },
    },
  ];
}

function heaviest({ rows, others }: LedgerReport): (readonly [user: string, counts: Counts])[] {
  const byUser = new Map<string, { load: number; counts: Counts[] }>();
  for (const { client, load, window } of rows) {
    const known = byUser.get(client.user) ?? { load: 0, counts: [] };
    byUser.set(client.user, { load: known.load + load, counts: [...known.counts, window] });
  }
  const users = [...byUser].sort(([, a], [, b]) => b.load - a.load);
  const rest = users.slice(usersShown).flatMap(([, { counts }]) => counts);
  return [
    ...users.slice(0, usersShown).map(([user, { counts }]) => [user, sumCounts(counts)] as const),
    ["", sumCounts([...rest, others.window])],
  ];
}

function tally(ids: readonly string[]): (readonly [values: readonly string[], value: number])[] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].map(([id, count]) => [[id], count]);
}
