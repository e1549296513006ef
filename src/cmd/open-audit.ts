// Reads and opens what the options of the audit log name: the policy, the log, the way to the webhook.
import { readFileSync } from "node:fs";
import { AuditPolicyError, type Policy, parsePolicy } from "../accounting/audit/policy.ts";
import type { LineWriter } from "../accounting/audit/event-outlet.ts";
import type { AuditChoice, AuditLogChoice, AuditWebhookChoice } from "../cluster/audit.ts";
import { createHttp1Transport } from "../host/node/http1-transport.ts";
import { readKubeconfig } from "../host/node/kubeconfig-credentials.ts";
import { StreamWriter } from "../host/node/stream-writer.ts";
import { RotatingFile } from "../host/node/rotating-file.ts";
import { tlsTrust } from "../host/node/tls-trust.ts";
import {
  type AuditLogOptions,
  type AuditOptions,
  type AuditWebhookOptions,
  UsageError,
} from "./options.ts";
import { messageOf } from "../std/error-message.ts";

/** Throws UsageError with kube-apiserver's words. */
export function openAudit(
  { policyFile, log, webhook }: AuditOptions,
  now: () => number,
): AuditChoice {
  const policy = readPolicy(policyFile);
  return { policy, log: log && openLog(log, now), webhook: webhook && openWebhook(webhook) };
}

function readPolicy(path: string): Policy {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(
      `loading audit policy file: failed to read file path ${JSON.stringify(path)}: ${messageOf(error)}`,
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

function openLog(options: AuditLogOptions, now: () => number): AuditLogChoice {
  const { mode, batch, throttle, truncate, format } = options;
  return { mode, batch, throttle, truncate, format, writer: openWriter(options, now) };
}

function openWriter(options: AuditLogOptions, now: () => number): LineWriter {
  const { path } = options;
  if (path === "-") return new StreamWriter(process.stdout);
  try {
    return new RotatingFile(path, options, now);
  } catch (error) {
    throw new UsageError(`--audit-log-path ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** HTTP/1.1, because receivers need not speak anything newer. */
function openWebhook(options: AuditWebhookOptions): AuditWebhookChoice {
  const { mode, batch, throttle, truncate, initialBackoffMs } = options;
  try {
    const credentials = readKubeconfig(options.configFile);
    const way = createHttp1Transport(credentials, tlsTrust(credentials));
    return { mode, batch, throttle, truncate, initialBackoffMs, ...way };
  } catch (error) {
    throw new UsageError(
      `initializing audit webhook: ${messageOf(error)}: from file ${options.configFile}`,
      { cause: error },
    );
  }
}
