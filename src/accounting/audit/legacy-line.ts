// An audit event as the one line of text that --audit-log-format=legacy asks for.
import { timestamp } from "../../api/meta/timestamp.ts";
import type { AuditEvent } from "./event.ts";

export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser, objectRef, responseStatus } = event;
  const known = user.name !== "";
  const fields = {
    id: event.auditId,
    stage: event.stage,
    ip: event.sourceIps[0] ?? "<unknown>",
    method: event.verb,
    user: known ? user.name : "<none>",
    groups: known && user.groups.length > 0 ? quotedList(user.groups) : "<none>",
    as: impersonatedUser === undefined ? "<self>" : impersonatedUser.name,
    asgroups: impersonatedUser === undefined ? "<lookup>" : quotedList(impersonatedUser.groups),
    "user-agent": event.userAgent,
    namespace: objectRef?.namespace || "<none>",
    uri: event.requestUri,
    response: String(responseStatus?.code ?? "<deferred>"),
  };
  const text = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `${nanoTimestamp(event.receivedAt)} AUDIT: ${text.join(" ")}`;
}

function quotedList(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(",");
}

/** Go's RFC3339Nano: a fraction without zeros at its end, or none. */
function nanoTimestamp(ms: number): string {
  const fraction = String(ms % 1_000)
    .padStart(3, "0")
    .replace(/0+$/, "");
  const seconds = timestamp(ms).replace("Z", "");
  return fraction === "" ? `${seconds}Z` : `${seconds}.${fraction}Z`;
}
