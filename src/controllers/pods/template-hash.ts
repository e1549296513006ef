// A short name for a pod template, the same for the same template whatever the order of its fields. Our own: upstream
// hashes Go's printed form of the struct, which nobody else can reproduce.
import type { PodTemplateSpec } from "../../api/types/core-v1.ts";
import { encodeUtf8 } from "../../std/utf8.ts";

/** Leaves out vowels and what looks like another, so that no words come out (upstream: rand.SafeEncodeString). */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** `collisionCount` gives another name to a template whose first one was taken. */
export function templateHash(template: PodTemplateSpec, collisionCount = 0): string {
  return safeHash(canonical(template) + (collisionCount > 0 ? `#${collisionCount}` : ""));
}

/** FNV-1a, 32 bits, its decimal digits in the alphabet. */
export function safeHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of encodeUtf8(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return String(hash).replace(/./g, (digit) => alphabet[digit.charCodeAt(0) % alphabet.length]!);
}

/** JSON with sorted keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`);
  return `{${fields.join(",")}}`;
}
