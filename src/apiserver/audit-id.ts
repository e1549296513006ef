// The Audit-Id of each exchange: the client's own when it looks like one, else a fresh UUID.
import { randomUuid } from "../api/meta/random-names.ts";
import type { RandomStream } from "../host/host.ts";

const clientIdMax = 64;

/** `sent`: the request's Audit-Id header. */
export function auditIdOf(sent: string | undefined, random: RandomStream): string {
  return sent !== undefined && isValid(sent) ? sent : randomUuid(random);
}

function isValid(id: string): boolean {
  return id.length > 0 && id.length <= clientIdMax && /^[\u0020-\u007E]+$/.test(id);
}
