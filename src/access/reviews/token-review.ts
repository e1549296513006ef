// Whose token is this (upstream: registry/authentication/tokenreview)? What is wrong with it is told only here.
import { badRequest } from "../../api/meta/errors.ts";
import type { TokenReviewSpec, TokenReviewStatus } from "../../api/types/authentication-v1.ts";
import type { TokenOutcome } from "../authentication/token-authenticator.ts";
import type { Review } from "./review.ts";
import { userStatus } from "./user-status.ts";

/** Asked with the audiences the token must be meant for. */
export type AuthenticateToken = (
  token: string,
  audiences: readonly string[],
) => Promise<TokenOutcome>;

/** `audiences`: those of this API server, for reviews that name none. */
export function tokenReview(
  authenticateToken: AuthenticateToken,
  audiences: readonly string[],
): Review {
  return {
    async review(object) {
      const { token = "", audiences: asked = [] } = (object["spec"] ?? {}) as TokenReviewSpec;
      const { namespace = "" } = object.metadata;
      if (namespace !== "") throw badRequest(`namespace is not allowed on this type: ${namespace}`);
      if (token === "") throw badRequest("token is required for TokenReview in authentication");
      const wanted = asked.length === 0 ? audiences : asked;
      return { ...object, status: statusOf(await authenticateToken(token, wanted)) };
    },
  };
}

function statusOf(outcome: TokenOutcome): TokenReviewStatus {
  if (outcome.kind === "Authenticated") {
    const { user, audiences } = outcome;
    return { authenticated: true, user: userStatus(user), audiences: [...audiences] };
  }
  const error = outcome.kind === "Rejected" ? outcome.error : "invalid bearer token";
  return { user: {}, error };
}
