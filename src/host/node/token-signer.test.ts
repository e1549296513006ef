import { generateKeyPairSync } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { createTokenSigner } from "./token-signer.ts";

const ecKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

const rsaKey = (): string =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  }).privateKey;

describe("createTokenSigner", () => {
  test.each([
    ["ES256", ecKey],
    ["RS256", rsaKey],
  ])("%s tokens verify here and with the published keys", async (algorithm, makeKey) => {
    const signer = createTokenSigner(makeKey());
    const token = await signer.sign({ iss: "i", n: 1 });
    expect(await signer.verify(token)).toEqual({ iss: "i", n: 1 });
    const [key] = signer.publicKeys;
    expect(decodeProtectedHeader(token)).toEqual({ alg: algorithm, kid: key?.["kid"] });
    const keys = createLocalJWKSet({ keys: [{ kty: "", ...key }] });
    expect((await jwtVerify(token, keys)).payload).toEqual({ iss: "i", n: 1 });
    expect(key).not.toHaveProperty("d");
  });

  test("accepts older keys' tokens and nobody else's", async () => {
    const old = ecKey();
    const before = createTokenSigner(old);
    const after = createTokenSigner(ecKey(), [old]);
    const token = await before.sign({ a: 1 });
    expect(await after.verify(token)).toEqual({ a: 1 });
    expect(await before.verify(await after.sign({ a: 1 }))).toBeUndefined();
    expect(after.publicKeys).toHaveLength(2);
    expect(await after.verify("x.y.z")).toBeUndefined();
  });
});
