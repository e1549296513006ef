// Names that nobody chose: UIDs and the suffixes of generated names, from the host's chance.
import type { RandomStream } from "../../host/host.ts";

/** Letters that spell no words; the same set and length as upstream (apimachinery/pkg/util/rand), so that names look alike. */
const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
export const nameSuffixLength = 5;

/** What follows a generateName. */
export function nameSuffix(random: RandomStream): string {
  let suffix = "";
  for (let i = 0; i < nameSuffixLength; i++)
    suffix += suffixLetters[random.below(suffixLetters.length)]!;
  return suffix;
}

const hexDigits = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const dashes: ReadonlySet<number> = new Set([4, 6, 8, 10]);

/** Version 4, variant 10 (RFC 9562 §5.4). Made at once: one that is joined from pieces holds them all until it is sent. */
export function randomUuid(random: RandomStream): string {
  const bytes = random.bytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const codes: number[] = [];
  for (let i = 0; i < 16; i++) {
    if (dashes.has(i)) codes.push(0x2d);
    codes.push(hexDigits[bytes[i]! >> 4]!, hexDigits[bytes[i]! & 0x0f]!);
  }
  return String.fromCharCode(...codes);
}
