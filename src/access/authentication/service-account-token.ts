// ServiceAccount JWTs: signature, times and audience, and whether what they are bound to still lives (upstream:
// pkg/serviceaccount/{jwt,claims}.go). A verified signature is kept; the objects are looked at again whenever one of
// their kinds changed.
import type { Host } from "../../host/host.ts";
import type { TokenSigner } from "../../host/token-signer.ts";
import type { KubeObject } from "../../api/object.ts";
import type { UserInfo } from "../../api/user-info.ts";
import { BoundedMap } from "../../std/bounded-map.ts";
import type { ObjectReader } from "../object-reader.ts";
import { type ObjectClaim, type TokenClaims, readClaims } from "../token-claims.ts";
import {
  credentialIdKey,
  nodeNameKey,
  nodeUidKey,
  podNameKey,
  podUidKey,
  serviceAccountGroups,
  serviceAccountUsername,
  withAuthenticatedGroup,
} from "../users.ts";
import type { TokenAuthenticator, TokenOutcome } from "./token-authenticator.ts";
import { quotedList } from "../go-text.ts";

/** Verified tokens kept. */
const tokensMax = 8192;

/** An object deleted longer ago than this, though it still lingers, makes its tokens invalid. */
const deletionLeewayMs = 60_000;

export interface ServiceAccountTokenOptions {
  readonly issuer: string;
}

interface VerifiedToken {
  readonly claims: TokenClaims;
  readonly user: UserInfo;
  /** Revisions of the kinds it is bound to, as of the last time its objects were found good. */
  goodAt: string;
}

export function createServiceAccountTokenAuthenticator(
  host: Host,
  reader: ObjectReader,
  signer: TokenSigner,
  options: ServiceAccountTokenOptions,
): TokenAuthenticator {
  const verified = new BoundedMap<VerifiedToken>(tokensMax);
  const verify = async (token: string): Promise<VerifiedToken | undefined> => {
    const known = verified.get(token);
    if (known !== undefined) return known;
    const claims = readClaims(await signer.verify(token));
    if (claims === undefined) return undefined;
    const made = { claims, user: userOf(claims), goodAt: "" };
    verified.set(token, made);
    return made;
  };
  return {
    async authenticateToken(token, audiences) {
      if (!looksLikeJwt(token)) return { kind: "Unknown" };
      const found = await verify(token);
      if (found === undefined) return { kind: "Unknown" };
      if (found.claims.iss !== options.issuer) return { kind: "Unknown" };
      return check(host, reader, found, audiences);
    },
  };
}

function looksLikeJwt(token: string): boolean {
  return token.split(".", 4).length === 3;
}

async function check(
  host: Host,
  reader: ObjectReader,
  found: VerifiedToken,
  audiences: readonly string[],
): Promise<TokenOutcome> {
  const { claims, user } = found;
  const common = claims.aud.filter((audience) => audiences.includes(audience));
  if (common.length === 0) {
    const error = `token audiences ${quotedList(claims.aud)} is invalid for the target audiences ${quotedList(audiences)}`;
    return { kind: "Rejected", error };
  }
  const late = timeError(claims, host.clock.now() / 1000);
  if (late !== undefined) return { kind: "Rejected", error: late };
  const revisions = boundRevisions(reader, claims);
  if (found.goodAt !== revisions) {
    const wrong = await objectError(reader, claims, host.clock.now());
    if (wrong !== undefined) return { kind: "Rejected", error: wrong };
    found.goodAt = revisions;
  }
  return { kind: "Authenticated", user, audiences: common };
}

function timeError(claims: TokenClaims, nowSeconds: number): string | undefined {
  if (nowSeconds < claims.nbf) return "service account token is not valid yet";
  if (nowSeconds > claims.exp) return "service account token has expired";
  if (nowSeconds < claims.iat) return "service account token is issued in the future";
  return undefined;
}

/** Changes when anything of the kinds changed that the token hangs on. */
function boundRevisions(reader: ObjectReader, claims: TokenClaims): string {
  const resources = ["serviceaccounts", ...boundObjects(claims).map(({ word }) => `${word}s`)];
  return resources.map((resource) => reader.revision(resource)).join(",");
}

async function objectError(
  reader: ObjectReader,
  claims: TokenClaims,
  nowMs: number,
): Promise<string | undefined> {
  const { namespace, serviceaccount } = claims["kubernetes.io"];
  const account = await findBound(reader, "serviceaccounts", namespace, serviceaccount);
  if (account === undefined)
    return `serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`;
  if (account.metadata.uid !== serviceaccount.uid) {
    return `service account UID (${account.metadata.uid ?? ""}) does not match claim (${serviceaccount.uid})`;
  }
  if (longDeleted(account, nowMs)) {
    return `service account ${namespace}/${serviceaccount.name} has been deleted`;
  }
  for (const { word, claim, namespace: at } of boundObjects(claims)) {
    const object = await findBound(reader, `${word}s`, at, claim);
    if (object === undefined) return "service account token has been invalidated";
    if (object.metadata.uid !== claim.uid) {
      return `${word} UID (${object.metadata.uid ?? ""}) does not match service account ${word} ref claim (${claim.uid})`;
    }
    if (longDeleted(object, nowMs)) return "service account token has been invalidated";
  }
  return undefined;
}

interface BoundObject {
  readonly word: "secret" | "pod" | "node";
  readonly claim: ObjectClaim;
  readonly namespace: string;
}

/** A pod's node is only information; a node counts when the token is bound to the node itself. */
function boundObjects(claims: TokenClaims): BoundObject[] {
  const { namespace, secret, pod, node } = claims["kubernetes.io"];
  const bound: BoundObject[] = [];
  if (secret !== undefined) bound.push({ word: "secret", claim: secret, namespace });
  if (pod !== undefined) bound.push({ word: "pod", claim: pod, namespace });
  else if (node !== undefined) bound.push({ word: "node", claim: node, namespace: "" });
  return bound;
}

/** The cache may lag behind a store that others write to: before refusing, look again, freshly. */
async function findBound(
  reader: ObjectReader,
  resource: string,
  namespace: string,
  claim: ObjectClaim,
): Promise<Readonly<KubeObject> | undefined> {
  const cached = reader.find(resource, namespace, claim.name);
  if (cached?.metadata.uid === claim.uid) return cached;
  return reader.findFresh(resource, namespace, claim.name);
}

function longDeleted(object: Readonly<KubeObject>, nowMs: number): boolean {
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined || deletionTimestamp === null) return false;
  return Date.parse(deletionTimestamp) < nowMs - deletionLeewayMs;
}

function userOf(claims: TokenClaims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims["kubernetes.io"];
  const extra: Record<string, readonly string[]> = {};
  if (claims.jti !== "") extra[credentialIdKey] = [`JTI=${claims.jti}`];
  if (pod !== undefined) {
    extra[podNameKey] = [pod.name];
    extra[podUidKey] = [pod.uid];
  }
  if (node !== undefined) {
    extra[nodeNameKey] = [node.name];
    if (node.uid !== "") extra[nodeUidKey] = [node.uid];
  }
  return withAuthenticatedGroup({
    name: serviceAccountUsername({ namespace, name: serviceaccount.name }),
    uid: serviceaccount.uid,
    groups: serviceAccountGroups(namespace),
    extra,
  });
}
