// How pods got their ServiceAccount's token at a Kubernetes minor, as data (upstream: LegacyServiceAccountTokenNoAutoGeneration,
// BoundServiceAccountTokenVolume), and which Secret is an account's. Pure.
import type { KubeObject } from "../api/object.ts";
import type { ObjectReference } from "../api/types/core-v1.ts";
import type { Steps } from "../std/steps.ts";
import { accountOf, isForAnother, tokenSecretType } from "./legacy-token.ts";
import type { ObjectReader } from "./object-reader.ts";

export interface AccountTokenProfile {
  /** Every account has a Secret with its token; or whoever wants one makes it. */
  readonly created: "with the account" | "on request";
  /** What admission mounts into pods: that Secret, or a projected volume that the node fills. */
  readonly mounted: "secret" | "projected";
}

/** By Kubernetes minor. */
export const accountTokenProfiles: Steps<AccountTokenProfile> = [
  [16, { created: "with the account", mounted: "secret" }],
  [21, { created: "with the account", mounted: "projected" }],
  [24, { created: "on request", mounted: "projected" }],
];

/** The first of the account's Secrets that holds its token; undefined: there is none yet. */
export function findTokenSecret(
  reader: ObjectReader,
  account: Readonly<KubeObject>,
): string | undefined {
  const { namespace = "", name = "", uid = "" } = account.metadata;
  const named = (account["secrets"] ?? []) as readonly ObjectReference[];
  return named
    .flatMap((one) => one.name ?? [])
    .find((one) => {
      const secret = reader.find("secrets", namespace, one);
      return secret !== undefined && isTokenOf(secret, name, uid);
    });
}

export function isTokenOf(secret: Readonly<KubeObject>, account: string, uid: string): boolean {
  return (
    secret["type"] === tokenSecretType &&
    accountOf(secret) === account &&
    !isForAnother(secret, uid)
  );
}
