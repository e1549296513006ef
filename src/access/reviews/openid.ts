// The documents with which others check our ServiceAccount tokens (OpenID Connect discovery; upstream:
// pkg/serviceaccount/openidmetadata.go). Served as they are.
import type { TokenSigner } from "../../host/token-signer.ts";

export interface TokenKeyDocuments {
  /** `/.well-known/openid-configuration` */
  configuration(): object;
  /** `/openid/v1/jwks` */
  keys(): object;
}

/** `keysUrl`: where the keys can be fetched, e.g. `https://10.0.0.1:6443/openid/v1/jwks`. */
export function tokenKeyDocuments(
  signer: TokenSigner,
  issuer: string,
  keysUrl: string,
): TokenKeyDocuments {
  const algorithms = [...new Set(signer.publicKeys.map((key) => key["alg"] ?? ""))].sort();
  return {
    configuration: () => ({
      issuer,
      jwks_uri: keysUrl,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: algorithms,
    }),
    keys: () => ({ keys: signer.publicKeys }),
  };
}
