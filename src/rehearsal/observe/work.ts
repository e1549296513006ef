// What the servers worked on, from their ledger, and how etcd's database grew.
import type { Counts } from "../../accounting/ledger/counters.ts";
import { reportOf } from "../../accounting/ledger/report.ts";
import type { World } from "../world/world.ts";
import type { Observation } from "./observation.ts";

export function observeWork({ ledger, host, etcd: { quota } }: World): Observation {
  const totals = (): Counts => reportOf(ledger, host.clock, 0).total;
  const before = totals();
  const refusedBefore = quota.refused;
  return {
    gauges: [
      {
        chart: "Writes refused by etcd",
        name: "NOSPACE",
        unit: "perSecond",
        kind: "growth",
        read: () => quota.refused,
      },
      {
        chart: "Size of etcd's database",
        name: "file",
        unit: "bytes",
        kind: "asIs",
        read: () => quota.fileBytes,
      },
    ],
    figures: () => {
      const now = totals();
      return {
        "objects.scanned": now.objectsScanned - before.objectsScanned,
        "objects.returned": now.objectsReturned - before.objectsReturned,
        "requests.bytes": now.bytesOut - before.bytesOut,
        "etcd.size.end": quota.fileBytes,
        "etcd.writes.refused": quota.refused - refusedBefore,
      };
    },
  };
}
