// Warnings as header values (RFC 7234 code 299), within the bounds upstream keeps. Pure.

const totalRunesMax = 4_096;
const cutRunes = 256;

/** One value a header line. */
export function warningHeaders(warnings: readonly string[]): string[] {
  let runes = 0;
  for (const text of warnings) runes += text.length;
  const cut = runes > totalRunesMax;
  return warnings.map((text) => `299 - "${escapeText(cut ? firstRunes(text) : text)}"`);
}

function firstRunes(text: string): string {
  return Array.from(text).slice(0, cutRunes).join("");
}

/** Quotes and backslashes are escaped; control characters may not stand in a header. */
function escapeText(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ").replaceAll(/["\\]/g, String.raw`\$&`);
}
