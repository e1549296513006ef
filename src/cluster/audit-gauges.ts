// The audit log in `/metrics`, under kube-apiserver's names.
import type { Auditor } from "../accounting/audit/auditor.ts";
import { levels } from "../accounting/audit/policy.ts";
import type { GaugeSource } from "../apiserver/metrics/metric-registry.ts";

export function auditGauges(auditor: Auditor): GaugeSource[] {
  const counter = { type: "counter" as const, labels: [] };
  return [
    {
      ...counter,
      name: "apiserver_audit_event_total",
      help: "[ALPHA] Audit events generated and sent to the audit backend.",
      read: () => [[[], auditor.events]],
    },
    {
      ...counter,
      name: "apiserver_audit_error_total",
      help: "[ALPHA] Audit events that were lost, by the plugin that lost them: log, webhook, buffered or truncate.",
      labels: ["plugin"],
      read: () => Object.entries(auditor.lost).map(([plugin, lost]) => [[plugin], lost]),
    },
    {
      ...counter,
      name: "apiserver_audit_level_total",
      help: "[ALPHA] Requests by the level that the policy gave them.",
      labels: ["level"],
      read: () => levels.map((level) => [[level], auditor.byLevel[level]]),
    },
    {
      ...counter,
      name: "apiserver_audit_requests_rejected_total",
      help: "[ALPHA] Requests refused because their audit event could not be kept.",
      read: () => [[[], auditor.rejected]],
    },
  ];
}
