// The audit log of one server, put together: its policy, and the backends that were asked for.
import { AuditBackend, type BackendOptions } from "../accounting/audit/audit-backend.ts";
import { Auditor } from "../accounting/audit/auditor.ts";
import { eventItem, eventLine } from "../accounting/audit/event.ts";
import { noThrottle } from "../accounting/audit/event-batcher.ts";
import type { LineWriter } from "../accounting/audit/event-outlet.ts";
import { legacyLine } from "../accounting/audit/legacy-line.ts";
import { LogOutlet } from "../accounting/audit/log-outlet.ts";
import { LostEvents } from "../accounting/audit/lost-events.ts";
import type { Policy } from "../accounting/audit/policy.ts";
import { type RateLimit, RateLimiter } from "../client/rate-limiter.ts";
import type { Transport } from "../client/transport.ts";
import type { Host } from "../host/host.ts";
import { AuditWebhook } from "./audit-webhook.ts";

/** How events are handed to a log or a webhook. */
export interface AuditDelivery extends BackendOptions {
  /** Batches a second; undefined: as fast as they come. */
  readonly throttle: RateLimit | undefined;
}

export interface AuditLogChoice extends AuditDelivery {
  readonly writer: LineWriter;
  readonly format: "json" | "legacy";
}

export interface AuditWebhookChoice extends AuditDelivery {
  readonly transport: Transport;
  /** Frees the connections of `transport`. */
  readonly close: () => void;
  readonly initialBackoffMs: number;
}

export interface AuditChoice {
  readonly policy: Policy;
  readonly log: AuditLogChoice | undefined;
  readonly webhook: AuditWebhookChoice | undefined;
}

export function createAuditor(host: Host, { policy, log, webhook }: AuditChoice): Auditor {
  const lost = new LostEvents(host);
  const backends = [
    ...(log === undefined ? [] : [logBackend(host, log, lost)]),
    ...(webhook === undefined ? [] : [webhookBackend(host, webhook, lost)]),
  ];
  return new Auditor({ clock: host.clock, policy, backends, lost });
}

function logBackend(host: Host, choice: AuditLogChoice, lost: LostEvents): AuditBackend {
  const outlet = new LogOutlet(choice.writer, lost);
  const throttle = throttleOf(host, choice.throttle);
  const format = choice.format === "legacy" ? legacyLine : eventLine;
  return new AuditBackend({ clock: host.clock, outlet, throttle, lost }, format, choice);
}

function webhookBackend(host: Host, choice: AuditWebhookChoice, lost: LostEvents): AuditBackend {
  const { transport, initialBackoffMs, close } = choice;
  const webhook = new AuditWebhook({ host, transport, lost, initialBackoffMs, close });
  const throttle = throttleOf(host, choice.throttle);
  return new AuditBackend(
    { clock: host.clock, outlet: webhook, throttle, lost },
    eventItem,
    choice,
  );
}

function throttleOf({ clock }: Host, limit: RateLimit | undefined): Pick<RateLimiter, "reserve"> {
  return limit === undefined ? noThrottle : new RateLimiter(clock, limit);
}
