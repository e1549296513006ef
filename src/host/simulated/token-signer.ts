// Signs tokens in no time: real signatures are made on other threads, whose answers come when they like. Good against
// mistakes, not against attackers; for simulated runs only.
import { Base64Error, decodeBase64, encodeBase64 } from "../../std/base64.ts";
import type { Digest } from "../host.ts";
import type { TokenSigner } from "../token-signer.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";

export function createSimulatedTokenSigner(digest: Digest, secret: string): TokenSigner {
  const sealOf = (text: string): string => wordOf(digest.sha256(encodeUtf8(`${secret}.${text}`)));
  const head = wordOf(encodeUtf8('{"alg":"none","typ":"JWT"}'));
  return {
    publicKeys: [],
    sign(claims) {
      const signed = `${head}.${wordOf(encodeUtf8(JSON.stringify(claims)))}`;
      return Promise.resolve(`${signed}.${sealOf(signed)}`);
    },
    verify(token) {
      const [first, payload, seal] = token.split(".");
      const holds = payload !== undefined && seal === sealOf(`${first}.${payload}`);
      return Promise.resolve(holds ? claimsOf(payload) : undefined);
    },
  };
}

/** base64url without padding. */
function wordOf(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function claimsOf(word: string): Readonly<Record<string, unknown>> | undefined {
  const plain = word.replaceAll("-", "+").replaceAll("_", "/");
  try {
    const text = decodeUtf8(decodeBase64(plain.padEnd((plain.length + 3) & ~3, "=")));
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (error instanceof Base64Error || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
