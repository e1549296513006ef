// Several authorizers, asked in order: the first that allows ends it, and a refusal gives all their reasons (upstream:
// authorization/union).
import type { AuthorizationAttributes, Authorizer, Decision } from "../authorization.ts";

export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize: (attributes) => ask(authorizers, attributes, []),
  };
}

/** `reasons`: of those who were asked before. */
function ask(
  authorizers: readonly Authorizer[],
  attributes: AuthorizationAttributes,
  reasons: string[],
): Decision | Promise<Decision> {
  for (const [at, authorizer] of authorizers.entries()) {
    const decided = authorizer.authorize(attributes);
    if (decided instanceof Promise)
      return askOn(decided, authorizers.slice(at + 1), { attributes, reasons });
    if (decided.allowed) return decided;
    if (decided.reason !== "") reasons.push(decided.reason);
  }
  return { allowed: false, reason: reasons.join("\n") };
}

async function askOn(
  decided: Promise<Decision>,
  others: readonly Authorizer[],
  asked: { readonly attributes: AuthorizationAttributes; readonly reasons: string[] },
): Promise<Decision> {
  const decision = await decided;
  if (decision.allowed) return decision;
  const { attributes, reasons } = asked;
  if (decision.reason !== "") reasons.push(decision.reason);
  return await ask(others, attributes, reasons);
}
