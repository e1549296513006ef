// Paths that are no resources: discovery, version, and the service account issuer's keys.
import type { Schema } from "../../api/schema/schema.ts";
import { objectMediaTypes } from "./media-types.ts";
import type { Operation, Path } from "./operation.ts";
import { groupTag, groupVersionTag, groupVersionWord, groupWord } from "./operation-name.ts";
import { groupVersionRoot } from "./resource-operations.ts";

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** In discovery order. */
export function groupVersionsOf({ resources }: Schema): GroupVersion[] {
  const found = new Map<string, GroupVersion>();
  for (const { group, version } of resources) found.set(`${group}/${version}`, { group, version });
  return [...found.values()];
}

/** `/api/v1/`: the resources of a group version. */
export function groupVersionPath(groupVersion: GroupVersion): Path {
  return get(`${groupVersionRoot(groupVersion)}/`, {
    id: `get${groupVersionWord(groupVersion)}APIResources`,
    description: "get the resources of a group version",
    tag: groupVersionTag(groupVersion),
    type: "meta.v1.APIResourceList",
  });
}

/** Every other path, by the name under which the third version's index lists its document. */
export function serverPaths(schema: Schema): Map<string, Path> {
  const groups = new Set(groupVersionsOf(schema).map(({ group }) => group));
  groups.delete("");
  return new Map([
    [".well-known/openid-configuration", issuerPath],
    ["api", coreVersionsPath],
    ["apis", groupsPath],
    ...[...groups].map((group) => [`apis/${group}`, groupPath(group)] as const),
    ["openid/v1/jwks", keysPath],
    ["version", versionPath],
  ]);
}

interface Get extends Pick<Operation, "id" | "description" | "tag"> {
  /** Definition id of the answer; undefined when it is no object of the API. */
  readonly type?: string;
  readonly produces?: readonly string[];
}

function get(path: string, { type, produces = objectMediaTypes, ...words }: Get): Path {
  const operation: Operation = {
    ...words,
    method: "get",
    parameters: [],
    answers: [{ code: 200, type }],
    produces,
  };
  return { path, parameters: [], operations: [operation] };
}

function groupPath(group: string): Path {
  return get(`/apis/${group}/`, {
    id: `get${groupWord(group)}APIGroup`,
    description: "get name and versions of a group",
    tag: groupTag(group),
    type: "meta.v1.APIGroup",
  });
}

const coreVersionsPath = get("/api/", {
  id: "getCoreAPIVersions",
  description: "get the versions of the core group",
  tag: "core",
  type: "meta.v1.APIVersions",
});

const groupsPath = get("/apis/", {
  id: "getAPIVersions",
  description: "get all groups and their versions",
  tag: "apis",
  type: "meta.v1.APIGroupList",
});

const versionPath = get("/version/", {
  id: "getCodeVersion",
  description: "get the version of this server",
  tag: "version",
  type: "VersionInfo",
  produces: ["application/json"],
});

const issuerPath = get("/.well-known/openid-configuration", {
  id: "getServiceAccountIssuerOpenIDConfiguration",
  description: "get the OpenID configuration of the issuer of service account tokens",
  tag: "WellKnown",
  produces: ["application/json"],
});

const keysPath = get("/openid/v1/jwks", {
  id: "getServiceAccountIssuerOpenIDKeyset",
  description: "get the public keys by which service account tokens are verified",
  tag: "openid",
  produces: ["application/jwk-set+json"],
});
