// Tokens that live in Secrets of type kubernetes.io/service-account-token, and for as long as they do: what such a Secret
// holds, and what its token claims (upstream: pkg/serviceaccount/legacy.go, controller/serviceaccount/tokens_controller.go).
import type { KubeObject } from "../api/object.ts";
import type { Secret } from "../api/types/core-v1.ts";
import { decodeBase64, encodeBase64 } from "../std/base64.ts";
import { serviceAccountUsername } from "./users.ts";
import { decodeUtf8, encodeUtf8 } from "../std/utf8.ts";

export const legacyIssuer = "kubernetes/serviceaccount";
export const tokenSecretType = "kubernetes.io/service-account-token";

const accountName = "kubernetes.io/service-account.name";
const accountUid = "kubernetes.io/service-account.uid";

const claimNames = {
  namespace: "kubernetes.io/serviceaccount/namespace",
  secret: "kubernetes.io/serviceaccount/secret.name",
  account: "kubernetes.io/serviceaccount/service-account.name",
  uid: "kubernetes.io/serviceaccount/service-account.uid",
} as const;

export interface LegacyClaims {
  readonly namespace: string;
  readonly secret: string;
  readonly account: string;
  readonly uid: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The account that a token Secret is for; "" when it does not say. */
export function accountOf({ metadata }: Readonly<KubeObject>): string {
  return metadata.annotations?.[accountName] ?? "";
}

/** Whether the Secret is meant for another account of the same name, one that is gone. */
export function isForAnother({ metadata }: Readonly<KubeObject>, uid: string): boolean {
  const meant = metadata.annotations?.[accountUid] ?? "";
  return meant !== "" && meant !== uid;
}

/** Whether something of what a token Secret must hold is not there yet. */
export function isIncomplete(secret: Readonly<Secret>, caBundle: string): boolean {
  const { metadata, data = {} } = secret;
  return (
    (metadata.annotations?.[accountUid] ?? "") === "" ||
    (data["token"] ?? "") === "" ||
    data["namespace"] === undefined ||
    (caBundle !== "" && data["ca.crt"] !== encoded(caBundle))
  );
}

export function legacyClaims({ namespace, secret, account, uid }: LegacyClaims): object {
  return {
    iss: legacyIssuer,
    [claimNames.namespace]: namespace,
    [claimNames.secret]: secret,
    [claimNames.account]: account,
    [claimNames.uid]: uid,
    sub: serviceAccountUsername({ namespace, name: account }),
  };
}

/** The Secret as it should be; a token that is in it stays. */
export function completed(
  secret: Readonly<Secret>,
  {
    uid,
    token,
    caBundle,
  }: { readonly uid: string; readonly token: string; readonly caBundle: string },
): Secret {
  const { metadata, data = {} } = secret;
  const present = data["token"] ?? "";
  return {
    ...secret,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [accountUid]: uid } },
    data: {
      ...data,
      ...(caBundle === "" ? {} : { "ca.crt": encoded(caBundle) }),
      namespace: data["namespace"] ?? encoded(metadata.namespace ?? ""),
      token: present === "" ? encoded(token) : present,
    },
  };
}

export function tokenIn(secret: Readonly<Secret>): string {
  return decodeUtf8(decodeBase64(secret.data?.["token"] ?? ""));
}

/** Undefined: of another shape, so no such token. */
export function readLegacyClaims(claims: Json | undefined): LegacyClaims | undefined {
  if (claims?.["iss"] !== legacyIssuer) return undefined;
  const word = (name: string): string => {
    const value = claims[name];
    return typeof value === "string" ? value : "";
  };
  const read: LegacyClaims = {
    namespace: word(claimNames.namespace),
    secret: word(claimNames.secret),
    account: word(claimNames.account),
    uid: word(claimNames.uid),
  };
  const subject = serviceAccountUsername({ namespace: read.namespace, name: read.account });
  return claims["sub"] === subject && read.secret !== "" && read.uid !== "" ? read : undefined;
}

function encoded(text: string): string {
  return encodeBase64(encodeUtf8(text));
}
