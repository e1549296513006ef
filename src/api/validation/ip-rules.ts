// Whether a text is an IP address or a block of them, and of which family (upstream:
// apimachinery/pkg/util/validation/ip.go). Old objects may carry IPv4 octets with leading zeros; these pass.
import { type FieldError, invalidValue } from "../meta/field-error.ts";

const octet = /^\d{1,3}$/;
const group = /^[0-9a-fA-F]{1,4}$/;
const prefixLength = /^\d{1,3}$/;
const ipComplaint = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const cidrComplaint = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** Undefined when the text is no address. */
export function ipFamily(text: string): "IPv4" | "IPv6" | undefined {
  if (isIPv4(text)) return "IPv4";
  return isIPv6(text) ? "IPv6" : undefined;
}

export function cidrFamily(text: string): "IPv4" | "IPv6" | undefined {
  const slash = text.indexOf("/");
  const length = text.slice(slash + 1);
  if (slash === -1 || !prefixLength.test(length)) return undefined;
  const family = ipFamily(text.slice(0, slash));
  if (family === undefined) return undefined;
  return Number(length) <= (family === "IPv4" ? 32 : 128) ? family : undefined;
}

export function checkIP(path: string, text: string): readonly FieldError[] {
  return ipFamily(text) === undefined ? [invalidValue(path, text, ipComplaint)] : [];
}

export function checkCIDR(path: string, text: string): readonly FieldError[] {
  return cidrFamily(text) === undefined ? [invalidValue(path, text, cidrComplaint)] : [];
}

/** Addresses that cannot stand for a service's endpoint on another machine. */
export function checkNotSpecialIP(path: string, text: string): readonly FieldError[] {
  const address = text.toLowerCase();
  if (ipFamily(text) === undefined) return [invalidValue(path, text, "must be a valid IP address")];
  if (address === "0.0.0.0" || address === "::") {
    return [invalidValue(path, text, `may not be unspecified (${text})`)];
  }
  if (address.startsWith("127.") || address === "::1") {
    const detail = "may not be in the loopback range (127.0.0.0/8, ::1/128)";
    return [invalidValue(path, text, detail)];
  }
  if (address.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/.test(address)) {
    const detail = "may not be in the link-local range (169.254.0.0/16, fe80::/10)";
    return [invalidValue(path, text, detail)];
  }
  if (address.startsWith("224.0.0.") || address.startsWith("ff02:")) {
    const detail = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
    return [invalidValue(path, text, detail)];
  }
  return [];
}

function isIPv4(text: string): boolean {
  const parts = text.split(".", 5);
  return parts.length === 4 && parts.every((part) => octet.test(part) && Number(part) <= 255);
}

function isIPv6(text: string): boolean {
  const halves = text.split("::", 3);
  if (halves.length > 2) return false;
  let groups = 0;
  for (const [i, half] of halves.entries()) {
    const parts = half === "" ? [] : half.split(":", 9);
    const last = parts.at(-1);
    const isLastHalf = i === halves.length - 1;
    if (isLastHalf && last !== undefined && isIPv4(last)) {
      parts.pop();
      groups += 2;
    }
    if (!parts.every((part) => group.test(part))) return false;
    groups += parts.length;
  }
  return halves.length === 2 ? groups <= 7 : groups === 8;
}

/** RFC 5952's one way of writing an address; undefined for what is none. */
export function canonicalIP(text: string): string | undefined {
  const family = ipFamily(text);
  if (family === undefined) return undefined;
  if (family === "IPv4") return text.split(".").map(Number).join(".");
  const groups = groupsOf(text);
  const run = longestZeroRun(groups);
  const hex = groups.map((value) => value.toString(16));
  if (run.length < 2) return hex.join(":");
  return `${hex.slice(0, run.start).join(":")}::${hex.slice(run.start + run.length).join(":")}`;
}

function groupsOf(address: string): number[] {
  const [head = [], tail] = address.split("::").map(halfGroups);
  if (tail === undefined) return head;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function halfGroups(half: string): number[] {
  if (half === "") return [];
  return half.split(":").flatMap((part) => {
    if (!part.includes(".")) return [parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [i, value] of groups.entries()) {
    length = value === 0 ? length + 1 : 0;
    if (length > best.length) best = { start: i - length + 1, length };
  }
  return best;
}
