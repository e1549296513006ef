// The flags of `wavetank up` for the audit log: kube-apiserver's names, and its defaults but for the batches of the log
// (docs/audit.md).
import { type Command, Option } from "commander";
import type { AuditMode } from "../accounting/audit/audit-backend.ts";
import { boolean, duration, positiveNumber, wholeNumber } from "./argument.ts";
import {
  type AuditDeliveryOptions,
  type AuditLogOptions,
  type AuditOptions,
  type AuditWebhookOptions,
  UsageError,
} from "./options.ts";

type Backend = "log" | "webhook";
type Prefixed<B extends Backend, Flags> = {
  readonly [Name in keyof Flags & string as `audit${Capitalize<B>}${Name}`]: Flags[Name];
};

interface DeliveryFlags {
  readonly Mode: AuditMode;
  readonly BatchBufferSize: number;
  readonly BatchMaxSize: number;
  readonly BatchMaxWait: number;
  readonly BatchThrottleEnable: boolean;
  readonly BatchThrottleQps: number;
  readonly BatchThrottleBurst: number;
  readonly TruncateEnabled: boolean;
  readonly TruncateMaxEventSize: number;
  readonly TruncateMaxBatchSize: number;
}

export interface AuditFlags
  extends Prefixed<"log", DeliveryFlags>, Prefixed<"webhook", DeliveryFlags> {
  readonly auditPolicyFile?: string;
  readonly auditLogPath?: string;
  readonly auditLogFormat: "json" | "legacy";
  readonly auditLogMaxsize: number;
  readonly auditLogMaxage: number;
  readonly auditLogMaxbackup: number;
  readonly auditWebhookConfigFile?: string;
  readonly auditWebhookInitialBackoff: number;
}

const megabyte = 1_048_576;

interface DeliveryDefaults {
  readonly mode: AuditMode;
  readonly maxWait: readonly [ms: number, text: string];
  readonly throttled: boolean;
}

export function addAuditFlags(command: Command): void {
  command.option(
    "--audit-policy-file <path>",
    "audit.k8s.io/v1 Policy: what is logged of which request",
  );
  addLogFlags(command);
  addDeliveryFlags(command, "log", {
    mode: "blocking",
    maxWait: [100, "100ms"],
    throttled: false,
  });
  command
    .option(
      "--audit-webhook-config-file <path>",
      "kubeconfig of the receiver that audit events are sent to",
    )
    .addOption(
      new Option("--audit-webhook-initial-backoff <time>", "before the second of five tries")
        .argParser(duration)
        .default(10_000, "10s"),
    );
  addDeliveryFlags(command, "webhook", {
    mode: "batch",
    maxWait: [30_000, "30s"],
    throttled: true,
  });
}

function addLogFlags(command: Command): void {
  command
    .option("--audit-log-path <path>", "where audit lines go; -: standard output")
    .addOption(
      new Option("--audit-log-format <format>", "json: an event a line; legacy: one line of text")
        .choices(["json", "legacy"])
        .default("json"),
    )
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
    .option("--audit-log-maxbackup <number>", "how many are kept; 0: all", wholeNumber(0), 100);
}

function addDeliveryFlags(command: Command, backend: Backend, defaults: DeliveryDefaults): void {
  const flag = `--audit-${backend}`;
  command
    .addOption(
      new Option(
        `${flag}-mode <mode>`,
        "blocking: kept before the request goes on. batch: soon after, lost when too many. blocking-strict: refused when it cannot be kept",
      )
        .choices(["batch", "blocking", "blocking-strict"])
        .default(defaults.mode),
    )
    .option(`${flag}-batch-buffer-size <events>`, "that may wait", wholeNumber(1), 10_000)
    .option(`${flag}-batch-max-size <events>`, "of a batch", wholeNumber(1), 400)
    .addOption(
      new Option(`${flag}-batch-max-wait <time>`, "of the oldest event of a batch")
        .argParser(duration)
        .default(...defaults.maxWait),
    )
    .option(
      `${flag}-batch-throttle-enable [boolean]`,
      "let batches out no faster than the next two say",
      boolean,
      defaults.throttled,
    )
    .option(`${flag}-batch-throttle-qps <number>`, "batches a second", positiveNumber, 10)
    .option(`${flag}-batch-throttle-burst <number>`, "batches after a rest", wholeNumber(1), 15)
    .option(
      `${flag}-truncate-enabled [boolean]`,
      "leave objects out of events that are too long, and lose those that still are",
      boolean,
      false,
    )
    .option(`${flag}-truncate-max-event-size <bytes>`, "of an event", wholeNumber(1), 100 * 1_024)
    .option(
      `${flag}-truncate-max-batch-size <bytes>`,
      "of a batch of more than one event",
      wholeNumber(1),
      10 * megabyte,
    );
}

/** Undefined: no audit log. Throws UsageError. */
export function auditOptions(flags: AuditFlags): AuditOptions | undefined {
  const { auditPolicyFile: policyFile, auditLogPath, auditWebhookConfigFile } = flags;
  if (policyFile === undefined) {
    if (auditLogPath === undefined && auditWebhookConfigFile === undefined) return undefined;
    const flag = auditLogPath === undefined ? "--audit-webhook-config-file" : "--audit-log-path";
    throw new UsageError(
      `${flag} without --audit-policy-file logs nothing: give a policy (docs/audit.md)`,
    );
  }
  if (auditWebhookConfigFile === undefined) return { policyFile, log: logOptions(flags) };
  const webhook = webhookOptions(flags, auditWebhookConfigFile);
  if (auditLogPath === undefined) return { policyFile, webhook };
  return { policyFile, webhook, log: logOptions(flags) };
}

function logOptions(flags: AuditFlags): AuditLogOptions {
  return {
    ...deliveryOptions(flags, "Log"),
    path: flags.auditLogPath ?? "-",
    format: flags.auditLogFormat,
    bytesMax: flags.auditLogMaxsize * megabyte,
    ageDaysMax: flags.auditLogMaxage,
    backupsMax: flags.auditLogMaxbackup,
  };
}

function webhookOptions(flags: AuditFlags, configFile: string): AuditWebhookOptions {
  const { auditWebhookInitialBackoff: initialBackoffMs } = flags;
  return { ...deliveryOptions(flags, "Webhook"), configFile, initialBackoffMs };
}

function deliveryOptions(flags: AuditFlags, backend: Capitalize<Backend>): AuditDeliveryOptions {
  const mode = flags[`audit${backend}Mode`];
  const eventBytesMax = flags[`audit${backend}TruncateMaxEventSize`];
  const batchBytesMax = flags[`audit${backend}TruncateMaxBatchSize`];
  const truncates = flags[`audit${backend}TruncateEnabled`];
  if (truncates && eventBytesMax > batchBytesMax)
    throw new UsageError(
      `invalid audit truncate ${backend.toLowerCase()} max event size (${eventBytesMax}) is greater than max batch size (${batchBytesMax})`,
    );
  const throttle = {
    qps: flags[`audit${backend}BatchThrottleQps`],
    burst: flags[`audit${backend}BatchThrottleBurst`],
  };
  return {
    mode,
    batch: {
      bufferSize: flags[`audit${backend}BatchBufferSize`],
      maxSize: flags[`audit${backend}BatchMaxSize`],
      maxWaitMs: flags[`audit${backend}BatchMaxWait`],
    },
    ...(flags[`audit${backend}BatchThrottleEnable`] ? { throttle } : {}),
    ...(truncates ? { truncate: { eventBytesMax, batchBytesMax } } : {}),
  };
}
