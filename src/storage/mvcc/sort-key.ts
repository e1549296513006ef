// Keys are ordered by the bytes of their UTF-8 form, which `<` on JavaScript strings does not give for text beyond
// ASCII. A sort key is a string for which it does: ASCII keys are their own, others become one character a byte.

const beyondAscii = /[\u0080-\uffff]/;
const encoder = new TextEncoder();

export function sortKeyOf(key: string): string {
  if (!beyondAscii.test(key)) return key;
  let sortKey = "";
  for (const byte of encoder.encode(key)) sortKey += String.fromCharCode(byte);
  return sortKey;
}
