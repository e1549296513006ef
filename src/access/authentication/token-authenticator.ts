// What every kind of bearer token has in common: the seam between the request's authenticator, TokenReview and the
// kinds of tokens.
import type { UserInfo } from "../../api/user-info.ts";

export type TokenOutcome =
  | {
      readonly kind: "Authenticated";
      readonly user: UserInfo;
      /** Those of the token that were asked for. */
      readonly audiences: readonly string[];
    }
  /** Not a token of this kind: the next may know it. */
  | { readonly kind: "Unknown" }
  /** Of this kind, but wrong; `error` is for TokenReview, never for the client of another request. */
  | { readonly kind: "Rejected"; readonly error: string };

export interface TokenAuthenticator {
  authenticateToken(token: string, audiences: readonly string[]): Promise<TokenOutcome>;
}

/** The first that accepts wins; otherwise all complaints in one, as upstream prints them. */
export function unionTokenAuthenticator(parts: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    async authenticateToken(token, audiences) {
      const errors: string[] = [];
      for (const part of parts) {
        const outcome = await part.authenticateToken(token, audiences);
        if (outcome.kind === "Authenticated") return outcome;
        if (outcome.kind === "Rejected") errors.push(outcome.error);
      }
      // The server's own loopback authenticator always adds this first.
      if (errors.length === 0) return { kind: "Rejected", error: "invalid bearer token" };
      return { kind: "Rejected", error: `[invalid bearer token, ${errors.join(", ")}]` };
    },
  };
}
