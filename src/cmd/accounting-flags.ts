// The flags of `wavetank up` for the audit log (kube-apiserver's names and defaults) and for the ledger of costs.
import { wholeNumber } from "./argument.ts";
import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { AuditPolicyError, type Policy, parsePolicy } from "../accounting/audit/policy.ts";
import type { AuditMode, LineWriter } from "../accounting/audit/audit-sink.ts";
import { ledgerDefaults } from "../accounting/ledger/ledger.ts";
import type { AuditChoice } from "../cluster/books.ts";
import { RotatingFile } from "../host/node/rotating-file.ts";
import { type AuditOptions, type StartOptions, UsageError } from "./options.ts";

export interface AccountingFlags {
  readonly ledgerRows: number;
  readonly auditPolicyFile?: string;
  readonly auditLogPath?: string;
  readonly auditLogMaxsize: number;
  readonly auditLogMaxage: number;
  readonly auditLogMaxbackup: number;
  readonly auditLogMode: AuditMode;
}

const megabyte = 1_048_576;

export function addAccountingFlags(command: Command): Command {
  return command
    .option(
      "--ledger-rows <number>",
      "clients and kinds of request that the ledger of costs keeps apart; 0: no ledger",
      wholeNumber(0),
      ledgerDefaults.rowsMax,
    )
    .option("--audit-policy-file <path>", "audit.k8s.io/v1 Policy: what is logged of which request")
    .option("--audit-log-path <path>", "where audit lines go; -: standard output")
    .option(
      "--audit-log-maxsize <megabytes>",
      "size at which the audit log is set aside; 0: never",
      wholeNumber(0),
      100,
    )
    .option(
      "--audit-log-maxage <days>",
      "how long old ones are kept; 0: for ever",
      wholeNumber(0),
      366,
    )
    .option("--audit-log-maxbackup <number>", "how many are kept; 0: all", wholeNumber(0), 100)
    .addOption(
      new Option(
        "--audit-log-mode <mode>",
        "blocking: written before the request goes on. batch: soon after, lost when too many. blocking-strict: refused when it cannot be written",
      )
        .choices(["batch", "blocking", "blocking-strict"])
        .default("blocking"),
    );
}

export function accountingOptions(
  flags: AccountingFlags,
): Pick<StartOptions, "ledgerRows" | "audit"> {
  const { ledgerRows, auditPolicyFile, auditLogPath } = flags;
  if (auditPolicyFile === undefined) {
    if (auditLogPath === undefined) return { ledgerRows };
    throw new UsageError(
      "--audit-log-path without --audit-policy-file logs nothing: give a policy (docs/audit.md)",
    );
  }
  const audit: AuditOptions = {
    policyFile: auditPolicyFile,
    logPath: auditLogPath ?? "-",
    bytesMax: flags.auditLogMaxsize * megabyte,
    ageDaysMax: flags.auditLogMaxage,
    backupsMax: flags.auditLogMaxbackup,
    mode: flags.auditLogMode,
  };
  return { ledgerRows, audit };
}

/** Reads and opens what is named. Throws UsageError with kube-apiserver's words. */
export function openAudit(options: AuditOptions, now: () => number): AuditChoice {
  const policy = readPolicy(options.policyFile);
  return { policy, mode: options.mode, writer: openWriter(options, now) };
}

function readPolicy(path: string): Policy {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `loading audit policy file: failed to read file path ${JSON.stringify(path)}: ${why}`,
      { cause: error },
    );
  }
  try {
    return parsePolicy(text);
  } catch (error) {
    if (!(error instanceof AuditPolicyError)) throw error;
    throw new UsageError(`loading audit policy file: ${error.message}: from file ${path}`, {
      cause: error,
    });
  }
}

function openWriter(options: AuditOptions, now: () => number): LineWriter {
  if (options.logPath === "-")
    return { write: (lines) => void process.stdout.write(lines), close: () => undefined };
  try {
    return new RotatingFile(options.logPath, options, now);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--audit-log-path ${options.logPath}: ${why}`, { cause: error });
  }
}
