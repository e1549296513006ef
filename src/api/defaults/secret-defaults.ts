// Defaults of Secret, and the folding of its write-only stringData into data (upstream: pkg/apis/core/v1/defaults.go and
// the conversion of Secret).
import type { Secret } from "../types/core-v1.ts";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function defaultSecret(secret: Secret): void {
  secret.type ||= "Opaque";
  if (!secret.stringData) return;
  const data = (secret.data ??= {});
  for (const [key, text] of Object.entries(secret.stringData)) data[key] = encodeBase64(text);
  delete secret.stringData;
}

/** Of the text's UTF-8 bytes, padded. */
function encodeBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let encoded = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    encoded += alphabet.charAt(word >> 18) + alphabet.charAt((word >> 12) & 63);
    encoded += left > 1 ? alphabet.charAt((word >> 6) & 63) : "=";
    encoded += left > 2 ? alphabet.charAt(word & 63) : "=";
  }
  return encoded;
}
