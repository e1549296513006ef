// Who sends a request: a client certificate first, then a bearer token, then nobody. A wrong token is refused, never
// taken for anonymous.
import { unauthorized } from "../../api/meta/errors.ts";
import type { UserInfo } from "../../api/user-info.ts";
import type { Authenticator } from "../authentication.ts";
import { anonymousUser } from "../users.ts";
import type { CertificateAuthenticator } from "./client-certificate.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";

/** `audiences`: those that this API server answers to; upstream: --api-audiences. */
export function createRequestAuthenticator(
  certificates: CertificateAuthenticator,
  tokens: TokenAuthenticator,
  audiences: readonly string[],
): Authenticator {
  const holderOf = async (token: string): Promise<UserInfo> => {
    const outcome = await tokens.authenticateToken(token, audiences);
    if (outcome.kind === "Authenticated") return outcome.user;
    throw unauthorized();
  };
  return {
    authenticate({ peer, authorization }) {
      const holder = peer.certificate === undefined ? undefined : certificates(peer.certificate);
      if (holder !== undefined) return holder;
      const token = bearerToken(authorization);
      if (token !== undefined) return holderOf(token);
      // A certificate that nobody signed is a wrong credential too, never an absent one.
      if (peer.certificateRefused === undefined) return anonymousUser;
      throw unauthorized();
    },
  };
}

/** Undefined for another scheme or an empty token: upstream treats both as no credentials. */
function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [scheme = "", token = ""] = authorization.trim().split(" ", 2);
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : undefined;
}
