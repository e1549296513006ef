// The flags of `wavetank up` for what a server writes down about its requests: the ledger of costs and the audit log.
import type { Command } from "commander";
import { ledgerDefaults } from "../accounting/ledger/ledger.ts";
import { wholeNumber } from "./argument.ts";
import { type AuditFlags, addAuditFlags, auditOptions } from "./audit-flags.ts";
import type { StartOptions } from "./options.ts";

export interface AccountingFlags extends AuditFlags {
  readonly ledgerRows: number;
}

export function addAccountingFlags(command: Command): void {
  command.option(
    "--ledger-rows <number>",
    "clients and kinds of request that the ledger of costs keeps apart; 0: no ledger",
    wholeNumber(0),
    ledgerDefaults.rowsMax,
  );
  addAuditFlags(command);
}

export function accountingOptions(
  flags: AccountingFlags,
): Pick<StartOptions, "ledgerRows" | "audit"> {
  const { ledgerRows } = flags;
  const audit = auditOptions(flags);
  return audit === undefined ? { ledgerRows } : { ledgerRows, audit };
}
