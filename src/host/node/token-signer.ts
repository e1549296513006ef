// The real TokenSigner: EC P-256 or RSA keys in PEM, JWTs by jose. Making and keeping the keys is the caller's.
import { type KeyObject, createHash, createPrivateKey, createPublicKey } from "node:crypto";
import { CompactSign, compactVerify, decodeProtectedHeader } from "jose";
import type { PublicJwk, TokenSigner } from "../token-signer.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";

interface VerificationKey {
  readonly algorithm: "ES256" | "RS256";
  readonly publicKey: KeyObject;
  readonly jwk: PublicJwk;
  readonly id: string;
}

/**
 * Signs with the private key (PKCS #8 PEM); accepts also what `olderKeys` (private or public PEM) signed, so that keys can
 * be changed without invalidating tokens. Throws on a key that is neither P-256 nor RSA.
 */
export function createTokenSigner(
  privateKeyPem: string,
  olderKeys: readonly string[] = [],
): TokenSigner {
  const own = verificationKey(privateKeyPem);
  const keys = [own, ...olderKeys.map(verificationKey)];
  const privateKey = createPrivateKey(privateKeyPem);
  return {
    publicKeys: keys.map((key) => key.jwk),
    sign(claims) {
      const payload = encodeUtf8(JSON.stringify(claims));
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
function verificationKey(pem: string): VerificationKey {
  const key = createPublicKey(pem);
  const algorithm = algorithmOf(key);
  const der = key.export({ type: "spki", format: "der" });
  const id = createHash("sha256").update(der).digest("base64url");
  const { kty = "", crv, x, y, n, e } = key.export({ format: "jwk" });
  const parameters = { crv, x, y, n, e };
  const jwk: Record<string, string> = { use: "sig", kty, kid: id, alg: algorithm };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) jwk[name] = value;
  return { algorithm, publicKey: key, jwk, id };
}

function algorithmOf(key: KeyObject): "ES256" | "RS256" {
  if (key.asymmetricKeyType === "rsa") return "RS256";
  const isP256 = key.asymmetricKeyDetails?.namedCurve === "prime256v1";
  if (key.asymmetricKeyType === "ec" && isP256) return "ES256";
  throw new Error("a ServiceAccount signing key must be RSA or EC on P-256");
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
    const claims: unknown = JSON.parse(decodeUtf8(payload));
    const isObject = typeof claims === "object" && claims !== null && !Array.isArray(claims);
    return isObject ? (claims as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // jose throws for every token that is not good; to the caller they are one.
    return undefined;
  }
}
