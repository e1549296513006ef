// The well-known names of Kubernetes' identities (upstream: user.go, serviceaccount.go) and the users made of them.
// Pure; knows nothing of where credentials come from.
import type { UserInfo } from "../api/user-info.ts";

export const anonymousName = "system:anonymous";
export const authenticatedGroup = "system:authenticated";
export const unauthenticatedGroup = "system:unauthenticated";
export const mastersGroup = "system:masters";
export const nodesGroup = "system:nodes";
const serviceAccountsGroup = "system:serviceaccounts";

/** Keys of `extra` that authenticators fill. */
export const credentialIdKey = "authentication.kubernetes.io/credential-id";
export const podNameKey = "authentication.kubernetes.io/pod-name";
export const podUidKey = "authentication.kubernetes.io/pod-uid";
export const nodeNameKey = "authentication.kubernetes.io/node-name";
export const nodeUidKey = "authentication.kubernetes.io/node-uid";

export const anonymousUser: UserInfo = {
  name: anonymousName,
  uid: "",
  groups: [unauthenticatedGroup],
  extra: {},
};

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

const serviceAccountPrefix = "system:serviceaccount:";
const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export function serviceAccountUsername(account: ServiceAccountName): string {
  return `${serviceAccountPrefix}${account.namespace}:${account.name}`;
}

export function serviceAccountGroups(namespace: string): string[] {
  return [serviceAccountsGroup, `${serviceAccountsGroup}:${namespace}`];
}

/** Undefined for anything that is not exactly `system:serviceaccount:NAMESPACE:NAME` with legal names. */
export function parseServiceAccountUsername(username: string): ServiceAccountName | undefined {
  if (!username.startsWith(serviceAccountPrefix)) return undefined;
  const parts = username.slice(serviceAccountPrefix.length).split(":");
  const [namespace, name] = parts;
  if (parts.length !== 2 || namespace === undefined || name === undefined) return undefined;
  if (namespace.length > 63 || !dnsLabel.test(namespace)) return undefined;
  if (name.length > 253 || !dnsSubdomain.test(name)) return undefined;
  return { namespace, name };
}

/** The node's name of `system:node:NAME`. */
export function parseNodeUsername(username: string): string | undefined {
  const prefix = "system:node:";
  if (!username.startsWith(prefix)) return undefined;
  const name = username.slice(prefix.length);
  return name.length <= 253 && dnsSubdomain.test(name) ? name : undefined;
}

/** Everyone who showed credentials belongs to system:authenticated, as the last group (upstream: group adder). */
export function withAuthenticatedGroup(user: UserInfo): UserInfo {
  if (user.name === anonymousName) return user;
  const { groups } = user;
  if (groups.includes(authenticatedGroup) || groups.includes(unauthenticatedGroup)) return user;
  return { ...user, groups: [...groups, authenticatedGroup] };
}
