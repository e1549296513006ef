// A version 4 UUID from the host's chance.
import type { RandomStream } from "../host/host.ts";

export function randomUuid(random: RandomStream): string {
  const bytes = random.bytes(16);
  // Version 4, variant 10 (RFC 9562 §5.4).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
