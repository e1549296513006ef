// The real TokenSigner: EC P-256 or RSA keys in PEM, JWTs by jose. Keeping the keys is the caller's: `generateSigningKey`
// gives what to write down at the first start.
import { createHash, createPublicKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import {
  type CryptoKey,
  CompactSign,
  compactVerify,
  decodeProtectedHeader,
  importPKCS8,
  importSPKI,
} from "jose";
import type { PublicJwk, TokenSigner } from "../token-signer.ts";

interface VerificationKey {
  readonly algorithm: "ES256" | "RS256";
  readonly publicKey: CryptoKey;
  readonly jwk: PublicJwk;
  readonly id: string;
}

/** A new P-256 private key as PKCS #8 PEM. */
export async function generateSigningKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return privateKey;
}

/**
 * Signs with the private key (PKCS #8 PEM); accepts also what `olderKeys` (private or public PEM) signed, so that keys can
 * be changed without invalidating tokens. Throws on a key that is neither P-256 nor RSA.
 */
export async function createTokenSigner(
  privateKeyPem: string,
  olderKeys: readonly string[] = [],
): Promise<TokenSigner> {
  const keys = await Promise.all([privateKeyPem, ...olderKeys].map(verificationKey));
  const [own] = keys;
  if (own === undefined) throw new Error("no signing key");
  const privateKey = await importPKCS8(privateKeyPem, own.algorithm);
  return {
    publicKeys: keys.map((key) => key.jwk),
    sign(claims) {
      const payload = new TextEncoder().encode(JSON.stringify(claims));
      return new CompactSign(payload)
        .setProtectedHeader({ alg: own.algorithm, kid: own.id })
        .sign(privateKey);
    },
    async verify(token) {
      const candidates = keysFor(token, keys);
      for (const key of candidates) {
        const payload = await verifiedPayload(token, key);
        if (payload !== undefined) return payload;
      }
      return undefined;
    },
  };
}

/** kid is, as on kube-apiserver, the unpadded base64url SHA-256 of the public key's DER. */
async function verificationKey(pem: string): Promise<VerificationKey> {
  const key = createPublicKey(pem);
  const algorithm = key.asymmetricKeyType === "rsa" ? "RS256" : "ES256";
  const der = key.export({ type: "spki", format: "der" });
  const id = createHash("sha256").update(der).digest("base64url");
  const spki = key.export({ type: "spki", format: "pem" }).toString();
  const { kty = "", crv, x, y, n, e } = key.export({ format: "jwk" });
  const parameters = { crv, x, y, n, e };
  const jwk: Record<string, string> = { use: "sig", kty, kid: id, alg: algorithm };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) jwk[name] = value;
  return { algorithm, publicKey: await importSPKI(spki, algorithm), jwk, id };
}

/** Those the header's kid names, else all: a token without kid may be anyone's. */
function keysFor(token: string, keys: readonly VerificationKey[]): readonly VerificationKey[] {
  try {
    const { kid } = decodeProtectedHeader(token);
    return kid === undefined ? keys : keys.filter((key) => key.id === kid);
  } catch {
    return [];
  }
}

async function verifiedPayload(
  token: string,
  key: VerificationKey,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { payload } = await compactVerify(token, key.publicKey, { algorithms: [key.algorithm] });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    const isObject = typeof claims === "object" && claims !== null && !Array.isArray(claims);
    return isObject ? (claims as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // jose throws for every token that is not good; to the caller they are one.
    return undefined;
  }
}
