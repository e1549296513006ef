// The seam to the keys that sign ServiceAccount tokens. It knows JSON Web Tokens and nothing of what their claims mean:
// times, audiences and the objects a token is bound to are the caller's to check.

/** A public key as a JWKS document publishes it; plain strings throughout. */
export type PublicJwk = Readonly<Record<string, string>>;

export interface TokenSigner {
  /** The compact JWT with `claims` as its payload, signed by the newest key, which the header names. */
  sign(claims: object): Promise<string>;
  /** The payload when one of the keys signed it; undefined for a broken token or another's signature. */
  verify(token: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** Newest first. */
  readonly publicKeys: readonly PublicJwk[];
}
