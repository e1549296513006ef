// Several authorizers, asked in order: the first that allows ends it, and a refusal gives all their reasons (upstream:
// authorization/union).
import type { AuthorizationAttributes, Authorizer, Decision } from "../authorization.ts";

export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(attributes: AuthorizationAttributes): Promise<Decision> {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const { allowed, reason } = await authorizer.authorize(attributes);
        if (allowed) return { allowed, reason };
        if (reason !== "") reasons.push(reason);
      }
      return { allowed: false, reason: reasons.join("\n") };
    },
  };
}
