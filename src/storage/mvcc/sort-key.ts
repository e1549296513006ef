// Keys are ordered by the bytes of their UTF-8 form, which `<` on JavaScript strings does not give for text beyond
// ASCII. A sort key is a string for which it does: ASCII keys are their own, others become one character a byte.
import { encodeUtf8 } from "../../std/utf8.ts";

const beyondAscii = /[\u0080-\uffff]/;

export function sortKeyOf(key: string): string {
  if (!beyondAscii.test(key)) return key;
  let sortKey = "";
  for (const byte of encodeUtf8(key)) sortKey += String.fromCharCode(byte);
  return sortKey;
}
