// What a URL asks for: method and path become verb, resource, namespace and name (upstream:
// apiserver/pkg/endpoints/request/requestinfo.go). Pure; whether the resource exists is not its business.
import { type Query, unescape } from "./query.ts";

export interface RequestInfo {
  readonly isResource: boolean;
  /** Decoded, as sent otherwise. */
  readonly path: string;
  /** For non-resource requests the lower-case method. */
  readonly verb: string;
  /** "" is the core group, as for every field below "" means none. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** For requests on a Namespace object: its own name. */
  readonly namespace: string;
  /** Also set for lists, watches and collection deletes that select exactly one name by field. */
  readonly name: string;
  /** Whether `name` stood in the path. */
  readonly named: boolean;
  /** What follows the subresource, without the leading slash. */
  readonly rest: string;
}

export type RequestInfoResult =
  | { readonly kind: "Read"; readonly info: RequestInfo }
  | { readonly kind: "Malformed"; readonly why: string };

const verbOfMethod: ReadonlyMap<string, string> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

export function readRequestInfo(method: string, rawPath: string, query: Query): RequestInfoResult {
  const path = unescape(rawPath);
  if (path === undefined) return { kind: "Malformed", why: `invalid URL escape in ${rawPath}` };
  const parts = splitPath(path);
  const first = parts[0];
  const legacy = first === "api";
  if (!legacy && first !== "apis") return nonResource(method, path);
  if (parts.length < (legacy ? 3 : 4)) return nonResource(method, path);
  const group = legacy ? "" : parts[1]!;
  const version = parts[legacy ? 1 : 2]!;
  const tail = parts.slice(legacy ? 2 : 3);
  let verb = verbOfMethod.get(method) ?? "";
  if (tail[0] === "watch" || tail[0] === "proxy") {
    if (tail.length < 2) {
      const why = `unable to determine kind and namespace from url, ${path}`;
      return { kind: "Malformed", why };
    }
    verb = tail.shift()!;
  }
  return { kind: "Read", info: resourceInfo({ path, verb, group, version, tail }, query) };
}

interface ResourcePath {
  readonly path: string;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly tail: readonly string[];
}

function resourceInfo(at: ResourcePath, query: Query): RequestInfo {
  let { tail } = at;
  let namespace = "";
  if (tail[0] === "namespaces" && tail.length > 1) {
    namespace = tail[1]!;
    // status and finalize belong to the Namespace itself; anything else lives in it.
    if (tail.length > 2 && tail[2] !== "status" && tail[2] !== "finalize") tail = tail.slice(2);
  }
  const nameInPath = tail[1] ?? "";
  const verb = nameInPath === "" ? collectionVerb(at.verb, query) : at.verb;
  return {
    isResource: true,
    path: at.path,
    verb,
    group: at.group,
    version: at.version,
    resource: tail[0] ?? "",
    subresource: tail[2] ?? "",
    namespace,
    name: nameInPath === "" ? selectedName(verb, query) : nameInPath,
    named: nameInPath !== "",
    rest: tail.length > 3 ? tail.slice(3).join("/") : "",
  };
}

function collectionVerb(verb: string, query: Query): string {
  if (verb === "delete") return "deletecollection";
  if (verb !== "get") return verb;
  return query.flag("watch") === true ? "watch" : "list";
}

/** RBAC's resourceNames work for collections narrowed to one name. */
function selectedName(verb: string, query: Query): string {
  if (verb !== "list" && verb !== "watch" && verb !== "deletecollection") return "";
  const selector = query.first("fieldSelector");
  if (selector === undefined || !selector.includes("metadata.name")) return "";
  for (const term of selector.split(",")) {
    const name = exactName(term.trim());
    if (name !== undefined) return isPathSegment(name) ? name : "";
  }
  return "";
}

function exactName(term: string): string | undefined {
  if (!term.startsWith("metadata.name=")) return undefined;
  const value = term.slice("metadata.name=".length);
  return value.startsWith("=") ? value.slice(1) : value;
}

function isPathSegment(name: string): boolean {
  return name !== "." && name !== ".." && !name.includes("/") && !name.includes("%");
}

function nonResource(method: string, path: string): RequestInfoResult {
  const info: RequestInfo = {
    isResource: false,
    path,
    verb: method.toLowerCase(),
    group: "",
    version: "",
    resource: "",
    subresource: "",
    namespace: "",
    name: "",
    named: false,
    rest: "",
  };
  return { kind: "Read", info };
}

function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === 47) start++;
  while (end > start && path.charCodeAt(end - 1) === 47) end--;
  return start === end ? [] : path.slice(start, end).split("/");
}

const longRunningSubresources: ReadonlySet<string> = new Set([
  "attach",
  "exec",
  "proxy",
  "log",
  "portforward",
]);

/** No deadline, and not counted as in flight. */
export function isLongRunning(info: RequestInfo): boolean {
  if (!info.isResource) return info.path.startsWith("/debug/pprof/");
  if (info.verb === "watch" || info.verb === "proxy") return true;
  return longRunningSubresources.has(info.subresource);
}

/** `resource`, `namespace` or `cluster`: the scope label of request metrics. */
export function scopeOf(info: RequestInfo): string {
  if (!info.isResource) return "";
  if (info.name !== "" || info.verb === "create") return "resource";
  return info.namespace === "" ? "cluster" : "namespace";
}
