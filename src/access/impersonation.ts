// Acting as another user (upstream: filters/impersonation, KEP-5284). Decides from the headers and what the authorizer
// says; changes nothing. The constrained modes are tried first, the old `impersonate` verb last.
import { type StatusError, badRequest } from "../api/meta/errors.ts";
import type { UserInfo } from "../api/user-info.ts";
import type { HttpRequest } from "../host/http.ts";
import type { AuthorizationAttributes, Authorizer } from "./authorization.ts";
import { forbiddenRequest } from "./forbidden.ts";
import {
  anonymousName,
  authenticatedGroup,
  mastersGroup,
  nodeNameKey,
  nodesGroup,
  parseNodeUsername,
  parseServiceAccountUsername,
  serviceAccountGroups,
  unauthenticatedGroup,
} from "./users.ts";

type Headers = Pick<HttpRequest, "headers" | "repeated">;

const userHeader = "impersonate-user";
const groupHeader = "impersonate-group";
const uidHeader = "impersonate-uid";
const extraPrefix = "impersonate-extra-";

/** A way of impersonating; the empty name is the old way, whose verb is just `impersonate`. */
interface Mode {
  readonly name: "associated-node" | "arbitrary-node" | "serviceaccount" | "user-info" | "";
  applies(wanted: UserInfo, requestor: UserInfo): boolean;
}

const isNode = (user: UserInfo): boolean => parseNodeUsername(user.name) !== undefined;
const isServiceAccount = (user: UserInfo): boolean =>
  parseServiceAccountUsername(user.name) !== undefined;

const modes: readonly Mode[] = [
  {
    name: "associated-node",
    applies: (wanted, requestor) =>
      onlyNamed(wanted) &&
      isServiceAccount(requestor) &&
      isNode(wanted) &&
      requestor.extra[nodeNameKey]?.length === 1 &&
      requestor.extra[nodeNameKey][0] === parseNodeUsername(wanted.name),
  },
  { name: "arbitrary-node", applies: (wanted) => onlyNamed(wanted) && isNode(wanted) },
  { name: "serviceaccount", applies: (wanted) => onlyNamed(wanted) && isServiceAccount(wanted) },
  { name: "user-info", applies: (wanted) => !isNode(wanted) && !isServiceAccount(wanted) },
  { name: "", applies: () => true },
];

/**
 * The user to go on as: `attributes.user` itself when no header asks for another. `attributes` are those of the whole
 * request. Throws BadRequest for headers without Impersonate-User, Forbidden with the first refusal.
 */
export async function impersonate(
  request: Headers,
  attributes: AuthorizationAttributes,
  authorizer: Authorizer,
): Promise<UserInfo> {
  const wanted = wantedUser(request);
  if (wanted === undefined) return attributes.user;
  let refusal: StatusError | undefined;
  for (const mode of modes) {
    if (!mode.applies(wanted, attributes.user)) continue;
    const refused = await firstRefusal(mode, wanted, attributes, authorizer);
    if (refused === undefined) return impersonated(mode, wanted);
    refusal ??= refused;
  }
  throw refusal ?? forbiddenRequest(attributes, "");
}

function wantedUser(request: Headers): UserInfo | undefined {
  const { headers } = request;
  const name = headers[userHeader] ?? "";
  const uid = headers[uidHeader] ?? "";
  const groups = headers[groupHeader] === undefined ? [] : request.repeated(groupHeader);
  const extra = extraOf(request);
  if (name !== "") return { name, uid, groups, extra };
  if (uid === "" && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw badRequest(`requested ${goUser(uid, groups, extra)} without impersonating a user name`);
}

/** Gathered in a map: a key may be called like what every object has, `constructor`. */
function extraOf(request: Headers): Record<string, readonly string[]> {
  const extra = new Map<string, readonly string[]>();
  for (const header of Object.keys(request.headers)) {
    if (!header.startsWith(extraPrefix)) continue;
    const key = unescapeKey(header.slice(extraPrefix.length));
    extra.set(key, [...(extra.get(key) ?? []), ...request.repeated(header)]);
  }
  return Object.fromEntries(extra);
}

/** Percent-encoded where a header name cannot hold the key; a malformed one is taken as it stands. */
function unescapeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The message prints the struct as Go's %#v does. */
function goUser(uid: string, groups: readonly string[], extra: UserInfo["extra"]): string {
  const list = (words: readonly string[]): string =>
    `{${words.map((word) => JSON.stringify(word)).join(", ")}}`;
  const entries = Object.keys(extra)
    .sort()
    .map((key) => `${JSON.stringify(key)}:[]string${list(extra[key] ?? [])}`);
  const groupsText = groups.length === 0 ? "[]string(nil)" : `[]string${list(groups)}`;
  const extraText =
    entries.length === 0
      ? "map[string][]string(nil)"
      : `map[string][]string{${entries.join(", ")}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${groupsText}, Extra:${extraText}}`;
}

function onlyNamed({ uid, groups, extra }: UserInfo): boolean {
  return uid === "" && groups.length === 0 && Object.keys(extra).length === 0;
}

async function firstRefusal(
  mode: Mode,
  wanted: UserInfo,
  attributes: AuthorizationAttributes,
  authorizer: Authorizer,
): Promise<StatusError | undefined> {
  for (const check of checksOf(mode, wanted, attributes)) {
    if ("refused" in check) return check.refused;
    const { allowed, reason } = await authorizer.authorize(check.attributes);
    if (!allowed) return forbiddenRequest(check.attributes, reason);
  }
  return undefined;
}

type Check = { readonly attributes: AuthorizationAttributes } | { readonly refused: StatusError };

/** Constrained modes first ask whether this very request may be made that way: `impersonate-on:MODE:VERB`. */
function checksOf(mode: Mode, wanted: UserInfo, attributes: AuthorizationAttributes): Check[] {
  const requestor =
    mode.name === "associated-node" ? withoutExtra(attributes.user) : attributes.user;
  const identity = identityChecks(mode, wanted, requestor);
  if (mode.name === "") return identity;
  const verb = `impersonate-on:${mode.name}:${attributes.verb}`;
  return [{ attributes: { ...attributes, user: requestor, verb } }, ...identity];
}

/** An agent's account is authorized alike on every node, so only the names of its extra keys are left. */
function withoutExtra(user: UserInfo): UserInfo {
  const keys = Object.keys(user.extra).sort();
  return { ...user, extra: { "authentication.kubernetes.io/associated-node-keys": keys } };
}

function identityChecks(mode: Mode, wanted: UserInfo, requestor: UserInfo): Check[] {
  const constrained = mode.name !== "";
  const verb = constrained ? `impersonate:${mode.name}` : "impersonate";
  const authentication = "authentication.k8s.io";
  const on = (group: string, resource: string, name: string, rest = {}): Check => ({
    attributes: {
      user: requestor,
      verb,
      request: {
        kind: "Resource",
        group,
        version: "v1",
        resource,
        subresource: "",
        namespace: "",
        name,
        ...rest,
      },
    },
  });
  const group = constrained ? authentication : "";
  const checks = [usernameCheck(mode, wanted.name, (...rest) => on(group, ...rest))];
  if (wanted.uid !== "") checks.push(on(authentication, "uids", wanted.uid));
  for (const name of wanted.groups) {
    const check = on(group, "groups", name);
    checks.push(constrained ? guardedGroup(name, check) : check);
  }
  for (const [key, values] of Object.entries(wanted.extra)) {
    for (const value of values) {
      checks.push(on(authentication, "userextras", value, { subresource: key }));
    }
  }
  return checks;
}

function usernameCheck(
  mode: Mode,
  name: string,
  on: (resource: string, name: string, rest?: { namespace: string }) => Check,
): Check {
  const node = parseNodeUsername(name);
  if (mode.name === "associated-node") return on("nodes", "*");
  if (mode.name === "arbitrary-node" && node !== undefined) return on("nodes", node);
  const account = parseServiceAccountUsername(name);
  if (account === undefined) return on("users", name);
  return on("serviceaccounts", account.name, { namespace: account.namespace });
}

/** What the constrained modes never allow, whoever asks. */
function guardedGroup(name: string, check: Check): Check {
  if (name !== "" && name !== mastersGroup) return check;
  if ("refused" in check) return check;
  const what = name === "" ? "empty string group" : "system:masters group";
  return {
    refused: forbiddenRequest(check.attributes, `impersonating the ${what} is not allowed`),
  };
}

function impersonated(mode: Mode, wanted: UserInfo): UserInfo {
  const groups = [...impliedGroups(mode, wanted)];
  if (wanted.name === anonymousName) {
    if (!groups.includes(unauthenticatedGroup)) groups.push(unauthenticatedGroup);
  } else if (!groups.includes(unauthenticatedGroup) && !groups.includes(authenticatedGroup)) {
    groups.push(authenticatedGroup);
  }
  return { ...wanted, groups };
}

function impliedGroups(mode: Mode, wanted: UserInfo): readonly string[] {
  if (wanted.groups.length > 0) return wanted.groups;
  const account = parseServiceAccountUsername(wanted.name);
  if (account !== undefined) return serviceAccountGroups(account.namespace);
  return mode.name.endsWith("-node") ? [nodesGroup] : [];
}
