// Who a client is. Across HTTPS the kubeconfig says so; in the same process these stand for what a connection would
// have proved: a client certificate, or a bearer token that the server checks as any other.
import type { Digest } from "../host/host.ts";
import type { Peer } from "../host/http.ts";
import { encodeUtf8 } from "../std/utf8.ts";

export interface Identity {
  readonly peer: Peer;
  /** The Authorization header. */
  readonly authorization?: string;
  /** Whom it acts as, where what the connection proves may impersonate. */
  readonly impersonates?: ImpersonatedUser;
}

export interface ImpersonatedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const inProcess = "127.0.0.1";

/** Over HTTPS, where the transport proves who it is; in process this is system:anonymous. */
export const transportIdentity: Identity = { peer: { address: inProcess } };

/** As a certificate with this common name and these organizations; for components of the same process. */
export function userIdentity(digest: Digest, name: string, groups: readonly string[]): Identity {
  // Servers remember users by their certificate's hash, so each name needs its own.
  const hash = digest.sha256(encodeUtf8([name, ...groups].join("\n")));
  const sha256 = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    peer: {
      address: inProcess,
      certificate: { commonName: name, organizations: groups, sha256 },
    },
  };
}

/** As the ServiceAccount would be with a token of its own; RBAC grants it what the bootstrap policy says. */
export function serviceAccountIdentity(digest: Digest, namespace: string, name: string): Identity {
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return userIdentity(digest, `system:serviceaccount:${namespace}:${name}`, groups);
}

/** As the kubelet of one node: the node authorizer's and NodeRestriction's rules apply. */
export function nodeIdentity(digest: Digest, nodeName: string): Identity {
  return userIdentity(digest, `system:node:${nodeName}`, ["system:nodes"]);
}

export function tokenIdentity(token: string): Identity {
  return { peer: { address: inProcess }, authorization: `Bearer ${token}` };
}

/** Over HTTPS: whoever the transport proves to be, acting as another user. */
export function impersonatingIdentity(user: ImpersonatedUser): Identity {
  return { ...transportIdentity, impersonates: user };
}
