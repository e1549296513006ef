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

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Version 4, variant 10 (RFC 9562 §5.4). */
export function randomUuid(random: RandomStream): string {
  const bytes = random.bytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  let uuid = "";
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) uuid += "-";
    uuid += hexOfByte[bytes[i]!]!;
  }
  return uuid;
}
