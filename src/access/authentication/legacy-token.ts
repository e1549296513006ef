// Tokens from Secrets: good while the Secret holds exactly this token and its account is the one it was made for
// (upstream: pkg/serviceaccount/legacy.go). Deleting the Secret takes the token back.
import type { KubeObject } from "../../api/object.ts";
import type { TokenSigner } from "../../host/token-signer.ts";
import { BoundedMap } from "../../std/bounded-map.ts";
import { type LegacyClaims, readLegacyClaims, tokenIn } from "../legacy-token.ts";
import { type ObjectReader, findSurely } from "../object-reader.ts";
import { serviceAccountGroups, serviceAccountUsername, withAuthenticatedGroup } from "../users.ts";
import type { TokenAuthenticator } from "./token-authenticator.ts";

/** Verified tokens kept. */
const tokensMax = 1_024;
const invalidated = "service account token has been invalidated";

export function createLegacyTokenAuthenticator(
  reader: ObjectReader,
  signer: TokenSigner,
): TokenAuthenticator {
  const verified = new BoundedMap<LegacyClaims>(tokensMax);
  const verify = async (token: string): Promise<LegacyClaims | undefined> => {
    const known = verified.get(token);
    if (known !== undefined) return known;
    const claims = readLegacyClaims(await signer.verify(token));
    if (claims !== undefined) verified.set(token, claims);
    return claims;
  };
  return {
    async authenticateToken(token, audiences) {
      if (token.split(".", 4).length !== 3) return { kind: "Unknown" };
      const claims = await verify(token);
      if (claims === undefined) return { kind: "Unknown" };
      const error = await objection(reader, claims, token);
      if (error !== undefined) return { kind: "Rejected", error };
      const { namespace, account, uid } = claims;
      const user = withAuthenticatedGroup({
        name: serviceAccountUsername({ namespace, name: account }),
        uid,
        groups: serviceAccountGroups(namespace),
        extra: {},
      });
      // It names no audience: it is for this server, under whichever name it was asked.
      return { kind: "Authenticated", user, audiences };
    },
  };
}

async function objection(
  reader: ObjectReader,
  { namespace, secret, account, uid }: LegacyClaims,
  token: string,
): Promise<string | undefined> {
  const holder = await findSurely(reader, "secrets", { namespace, name: secret });
  if (holder === undefined || isGoing(holder) || tokenIn(holder) !== token) return invalidated;
  const owner = await findSurely(reader, "serviceaccounts", { namespace, name: account });
  if (owner === undefined || isGoing(owner)) return invalidated;
  if (owner.metadata.uid === uid) return undefined;
  return `service account UID (${owner.metadata.uid ?? ""}) does not match claim (${uid})`;
}

function isGoing({ metadata }: Readonly<KubeObject>): boolean {
  return typeof metadata.deletionTimestamp === "string";
}
