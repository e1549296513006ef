// What a server writes down about its requests: the audit log, where one was asked for, and the ledger of costs.
import { type Accountant, noAccountant } from "../accounting/accountant.ts";
import type { Auditor } from "../accounting/audit/auditor.ts";
import type { Ledger } from "../accounting/ledger/ledger.ts";
import { type LedgerReport, reportOf } from "../accounting/ledger/report.ts";
import type { GaugeSource } from "../apiserver/metrics/metric-registry.ts";
import type { ServerParts } from "../apiserver/parts.ts";
import type { Host } from "../host/host.ts";
import { type AuditChoice, createAuditor } from "./audit.ts";
import { auditGauges } from "./audit-gauges.ts";
import { ledgerGauges } from "./ledger-gauges.ts";

export interface Books {
  readonly auditor: Auditor | undefined;
  readonly accountant: Accountant;
  readonly ledger: ServerParts["ledger"];
  readonly gauges: readonly GaugeSource[];
}

export function createBooks(
  host: Host,
  {
    ledger,
    audit,
  }: { readonly ledger: Ledger | undefined; readonly audit: AuditChoice | undefined },
): Books {
  const auditor = audit && createAuditor(host, audit);
  const auditing = auditor === undefined ? [] : auditGauges(auditor);
  if (ledger === undefined) return { auditor, accountant: noAccountant, ledger, gauges: auditing };
  const report = (rowsMax: number): LedgerReport => reportOf(ledger, host.clock, rowsMax);
  const gauges = [...auditing, ...ledgerGauges(host.clock, report)];
  return { auditor, accountant: ledger, ledger: report, gauges };
}
