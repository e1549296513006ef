// Defaults of Secret, and the folding of its write-only stringData into data (upstream: pkg/apis/core/v1/defaults.go and
// the conversion of Secret).
import { encodeBase64 } from "../../std/base64.ts";
import { encodeUtf8 } from "../../std/utf8.ts";
import type { Secret } from "../types/core-v1.ts";

export function defaultSecret(secret: Secret): void {
  secret.type ||= "Opaque";
  if (!secret.stringData) return;
  const folded = Object.entries(secret.stringData).map(([key, text]): [string, string] => [
    key,
    encodeBase64(encodeUtf8(text)),
  ]);
  // fromEntries takes any key as a key, `__proto__` too.
  secret.data = Object.fromEntries([...Object.entries(secret.data ?? {}), ...folded]);
  delete secret.stringData;
}
