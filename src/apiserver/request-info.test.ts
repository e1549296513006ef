import { describe, expect, it } from "vitest";
import { Query } from "./query.ts";
import { isLongRunning, readRequestInfo, type RequestInfo } from "./request-info.ts";

function read(method: string, target: string): RequestInfo {
  const [path = "", query = ""] = target.split("?");
  const result = readRequestInfo(method, path, new Query(query));
  if (result.kind !== "Read") throw new Error(result.why);
  return result.info;
}

describe("readRequestInfo", () => {
  it.each([
    // method, target, verb, group/version, resource, subresource, namespace, name
    ["GET", "/api/v1/namespaces", "list", "/v1", "namespaces", "", "", ""],
    ["GET", "/api/v1/namespaces/other", "get", "/v1", "namespaces", "", "other", "other"],
    ["GET", "/api/v1/namespaces/other/pods", "list", "/v1", "pods", "", "other", ""],
    ["GET", "/api/v1/namespaces/other/pods/foo", "get", "/v1", "pods", "", "other", "foo"],
    ["HEAD", "/api/v1/namespaces/other/pods/foo", "get", "/v1", "pods", "", "other", "foo"],
    ["GET", "/api/v1/pods", "list", "/v1", "pods", "", "", ""],
    ["HEAD", "/api/v1/pods", "list", "/v1", "pods", "", "", ""],
    ["GET", "/api/v1/pods/?watch=1", "watch", "/v1", "pods", "", "", ""],
    ["GET", "/api/v1/pods?watch", "watch", "/v1", "pods", "", "", ""],
    ["GET", "/api/v1/pods?watch=false", "list", "/v1", "pods", "", "", ""],
    ["GET", "/api/v1/pods?watch=FALSE", "list", "/v1", "pods", "", "", ""],
    ["GET", "/api/v1/pods?watch=0", "list", "/v1", "pods", "", "", ""],
    ["GET", "/api/v1/watch/pods", "watch", "/v1", "pods", "", "", ""],
    ["GET", "/api/v1/watch/namespaces/other/pods", "watch", "/v1", "pods", "", "other", ""],
    ["GET", "/api/v1/watch/namespaces/other/pods/foo", "watch", "/v1", "pods", "", "other", "foo"],
    ["GET", "/api/v1/namespaces/x/status", "get", "/v1", "namespaces", "status", "x", "x"],
    ["PUT", "/api/v1/namespaces/x/finalize", "update", "/v1", "namespaces", "finalize", "x", "x"],
    ["POST", "/api/v1/namespaces/x/pods", "create", "/v1", "pods", "", "x", ""],
    ["PATCH", "/api/v1/namespaces/x/pods/p/status", "patch", "/v1", "pods", "status", "x", "p"],
    ["DELETE", "/api/v1/namespaces/x/pods/p", "delete", "/v1", "pods", "", "x", "p"],
    ["DELETE", "/api/v1/namespaces/x/pods", "deletecollection", "/v1", "pods", "", "x", ""],
    ["GET", "/apis/apps/v1/deployments", "list", "apps/v1", "deployments", "", "", ""],
    [
      "GET",
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node",
      "get",
      "rbac.authorization.k8s.io/v1",
      "clusterroles",
      "",
      "",
      "system:node",
    ],
    [
      "GET",
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
      "get",
      "rbac.authorization.k8s.io/v1",
      "clusterroles",
      "",
      "",
      "system:node",
    ],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name%3Dweb", "list", "/v1", "pods", "", "", "web"],
    [
      "GET",
      "/api/v1/pods?fieldSelector=status.phase%3DRunning,metadata.name%3D%3Dweb&watch=1",
      "watch",
      "/v1",
      "pods",
      "",
      "",
      "web",
    ],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name!%3Dweb", "list", "/v1", "pods", "", "", ""],
    ["GET", "/api/v1/pods?fieldSelector=metadata.name%3Da/b", "list", "/v1", "pods", "", "", ""],
    [
      "DELETE",
      "/api/v1/namespaces/x/pods?fieldSelector=metadata.name%3Dp",
      "deletecollection",
      "/v1",
      "pods",
      "",
      "x",
      "p",
    ],
    [
      "POST",
      "/api/v1/namespaces/x/services/http:s:80/proxy/a/b",
      "create",
      "/v1",
      "services",
      "proxy",
      "x",
      "http:s:80",
    ],
  ])("%s %s", (method, target, verb, gv, resource, subresource, namespace, name) => {
    const info = read(method, target);
    expect(info).toMatchObject({ isResource: true, verb, resource, subresource, namespace, name });
    expect(`${info.group}/${info.version}`).toBe(gv);
  });

  it.each([
    ["GET", "/", "get"],
    ["GET", "/api", "get"],
    ["GET", "/api/v1", "get"],
    ["GET", "/api/v1/", "get"],
    ["GET", "/apis/apps", "get"],
    ["GET", "/apis/apps/v1", "get"],
    ["POST", "/healthz", "post"],
    ["GET", "/apiserver/v1/pods", "get"],
    ["GET", "/metrics", "get"],
  ])("%s %s is no resource", (method, target, verb) => {
    expect(read(method, target)).toMatchObject({ isResource: false, verb, path: target });
  });

  it("keeps what follows a subresource", () => {
    expect(read("GET", "/api/v1/nodes/n/proxy/logs/x").rest).toBe("logs/x");
  });

  it.each([["/api/v1/watch"], ["/apis/apps/v1/proxy"], ["/api/v1/pods/%zz"]])(
    "cannot read %s",
    (path) => {
      expect(readRequestInfo("GET", path, new Query("")).kind).toBe("Malformed");
    },
  );

  it.each([
    ["GET", "/api/v1/pods?watch=1", true],
    ["GET", "/api/v1/namespaces/x/pods/p/log", true],
    ["POST", "/api/v1/namespaces/x/pods/p/exec", true],
    ["GET", "/api/v1/pods", false],
    ["GET", "/debug/pprof/heap", true],
    ["GET", "/healthz", false],
  ])("%s %s long-running: %s", (method, target, expected) => {
    expect(isLongRunning(read(method, target))).toBe(expected);
  });
});
