// An event that is too long is kept without the objects that were sent and answered (upstream: plugin/pkg/audit/truncate).
import { utf8Length } from "../../std/utf8.ts";
import type { AuditEvent } from "./event.ts";

export type EventFormat = (event: AuditEvent) => string;

export interface TruncateLimits {
  readonly eventBytesMax: number;
  readonly batchBytesMax: number;
}

/** Undefined: it is too long even so. */
export function fittingText(
  event: AuditEvent,
  format: EventFormat,
  bytesMax: number,
): string | undefined {
  const whole = format(event);
  if (fits(whole, bytesMax)) return whole;
  if (event.level === "Metadata") return undefined;
  const short = format(withoutObjects(event));
  return fits(short, bytesMax) ? short : undefined;
}

function fits(text: string, bytesMax: number): boolean {
  // No character of a string takes more than three bytes.
  return text.length * 3 <= bytesMax || utf8Length(text) <= bytesMax;
}

function withoutObjects(event: AuditEvent): AuditEvent {
  return {
    ...event,
    requestObject: undefined,
    responseObject: undefined,
    annotations: new Map([...event.annotations, ["audit.k8s.io/truncated", "true"]]),
  };
}
