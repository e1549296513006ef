import { describe, expect, test } from "vitest";
import { schema } from "../../api/schema/schema.ts";
import { openApiIndex, openApiV3, openApiV3Names, type V3Operation } from "./v3.ts";

function document(name: string) {
  const found = openApiV3(schema, name);
  if (!found) throw new Error(`no document ${name}`);
  return found;
}

function operation(name: string, path: string, method: string): V3Operation {
  return document(name).paths[path]?.[method] as V3Operation;
}

describe("every document", () => {
  const names = openApiV3Names(schema);

  test("there is one a group version, and one for each other path", () => {
    expect(names).toContain("api/v1");
    expect(names).toContain("apis/apps/v1");
    expect(names).toContain("apis/apps");
    expect(names).toContain("version");
    const groupVersions = new Set(schema.resources.map(({ group, version }) => group + version));
    expect(names.filter((name) => /v\d(beta\d)?$/.test(name)).length).toBe(groupVersions.size);
    expect(openApiV3(schema, "apis/none/v1")).toBeUndefined();
  });

  test("operation ids are unique in all", () => {
    const ids: string[] = [];
    for (const name of names)
      for (const item of Object.values(document(name).paths))
        for (const value of Object.values(item))
          if (value && "operationId" in value) ids.push(value.operationId);
    expect(ids.length).toBeGreaterThan(700);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("what kubectl reads", () => {
  test.each(
    schema.resources
      .filter(({ verbs }) => verbs.includes("patch"))
      .map((resource) => [`${resource.group}/${resource.resource}`, resource] as const),
  )("%s can be patched, with server-side validation and dry run", (_name, resource) => {
    const { group, version, kind, namespaced } = resource;
    const root = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    const scope = namespaced ? "/namespaces/{namespace}" : "";
    const patch = operation(root, `/${root}${scope}/${resource.resource}/{name}`, "patch");
    expect(patch["x-kubernetes-group-version-kind"]).toEqual({ group, version, kind });
    const parameters = patch.parameters?.map(({ name }) => name);
    expect(parameters).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"]);
    expect(Object.keys(patch.requestBody?.content ?? {})).toContain(
      "application/strategic-merge-patch+json",
    );
  });

  test("kinds are found by their schemas", () => {
    const { schemas } = document("apis/apps/v1").components;
    expect(schemas["io.k8s.api.apps.v1.Deployment"]?.["x-kubernetes-group-version-kind"]).toEqual([
      { group: "apps", version: "v1", kind: "Deployment" },
    ]);
    expect(
      schemas["io.k8s.api.apps.v1.DeploymentList"]?.["x-kubernetes-group-version-kind"],
    ).toEqual([{ group: "apps", version: "v1", kind: "DeploymentList" }]);
    expect(schemas["io.k8s.api.autoscaling.v1.Scale"]?.properties).toHaveProperty("kind");
  });
});

describe("schemas", () => {
  const { schemas } = document("api/v1").components;

  test("a type with lists that merge by key", () => {
    const container = schemas["io.k8s.api.core.v1.Container"];
    expect(container?.required).toEqual(["name"]);
    expect(container?.properties?.["ports"]).toEqual({
      type: "array",
      description: "Ports the container listens on; for information and for names.",
      items: {
        allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.ContainerPort" }],
        default: {},
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "containerPort",
    });
    expect(container?.properties?.["imagePullPolicy"]).toEqual({
      type: "string",
      description: "When the image is pulled.",
      enum: ["Always", "IfNotPresent", "Never"],
    });
    expect(container?.properties?.["command"]?.["x-kubernetes-list-type"]).toBe("atomic");
  });

  test("inlined fields stand with their parent's", () => {
    const properties = schemas["io.k8s.api.core.v1.Volume"]?.properties;
    expect(properties).toHaveProperty("emptyDir");
    expect(properties).not.toHaveProperty("volumeSource");
    const selector = schemas["io.k8s.api.core.v1.SecretKeySelector"];
    expect(Object.keys(selector?.properties ?? {})).toEqual(["name", "key", "optional"]);
    expect(selector?.["x-kubernetes-map-type"]).toBe("atomic");
  });

  test("scalars, defaults and special types", () => {
    expect(schemas["io.k8s.api.core.v1.ContainerPort"]?.properties).toMatchObject({
      containerPort: { type: "integer", format: "int32", default: 0 },
      protocol: { type: "string", default: "TCP", enum: ["SCTP", "TCP", "UDP"] },
    });
    expect(schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    });
    expect(schemas["io.k8s.api.core.v1.Secret"]?.properties?.["data"]).toMatchObject({
      type: "object",
      additionalProperties: { type: "string", format: "byte" },
    });
    expect(
      schemas["io.k8s.api.core.v1.ResourceRequirements"]?.properties?.["limits"]
        ?.additionalProperties,
    ).toEqual({ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity" });
    expect(
      schemas["io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent"]?.properties,
    ).not.toHaveProperty("kind");
  });
});

describe("paths", () => {
  test("of pods", () => {
    const paths = Object.keys(document("api/v1").paths).filter((path) => /pods(\/|$)/.test(path));
    const pod = "/api/v1/namespaces/{namespace}/pods/{name}";
    expect(paths.sort()).toEqual(
      [
        "/api/v1/pods",
        "/api/v1/watch/pods",
        "/api/v1/namespaces/{namespace}/pods",
        "/api/v1/watch/namespaces/{namespace}/pods",
        "/api/v1/watch/namespaces/{namespace}/pods/{name}",
        pod,
        ...[
          "attach",
          "binding",
          "ephemeralcontainers",
          "eviction",
          "exec",
          "log",
          "portforward",
        ].map((name) => `${pod}/${name}`),
        `${pod}/proxy`,
        `${pod}/proxy/{path}`,
        `${pod}/resize`,
        `${pod}/status`,
      ].sort(),
    );
  });

  test.each([
    ["/api/v1/pods", "get", "listCoreV1PodForAllNamespaces", "list"],
    ["/api/v1/nodes", "get", "listCoreV1Node", "list"],
    [
      "/api/v1/namespaces/{namespace}/pods",
      "delete",
      "deleteCoreV1CollectionNamespacedPod",
      "deletecollection",
    ],
    ["/api/v1/watch/nodes/{name}", "get", "watchCoreV1Node", "watch"],
    ["/api/v1/watch/pods", "get", "watchCoreV1PodListForAllNamespaces", "watchlist"],
    [
      "/api/v1/namespaces/{namespace}/pods/{name}/exec",
      "post",
      "connectCoreV1PostNamespacedPodExec",
      "connect",
    ],
    ["/api/v1/nodes/{name}/proxy/{path}", "head", "connectCoreV1HeadNodeProxyWithPath", "connect"],
    [
      "/api/v1/namespaces/{namespace}/pods/{name}/eviction",
      "post",
      "createCoreV1NamespacedPodEviction",
      "post",
    ],
    ["/api/v1/namespaces/{name}/finalize", "put", "replaceCoreV1NamespaceFinalize", "put"],
  ])("%s %s is %s", (path, method, id, action) => {
    const found = operation("api/v1", path, method);
    expect([found.operationId, found["x-kubernetes-action"], found.tags]).toEqual([
      id,
      action,
      ["core_v1"],
    ]);
  });

  test("groups with long names", () => {
    const read = operation(
      "apis/rbac.authorization.k8s.io/v1",
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}",
      "get",
    );
    expect([read.operationId, read.tags]).toEqual([
      "readRbacAuthorizationV1ClusterRole",
      ["rbacAuthorization_v1"],
    ]);
  });

  test("a list tells its parameters and media types", () => {
    const list = operation("apis/batch/v1", "/apis/batch/v1/jobs", "get");
    expect(list.parameters?.map(({ name, schema: { type } }) => `${name}:${type}`)).toEqual([
      "allowWatchBookmarks:boolean",
      "continue:string",
      "fieldSelector:string",
      "labelSelector:string",
      "limit:integer",
      "resourceVersion:string",
      "resourceVersionMatch:string",
      "sendInitialEvents:boolean",
      "shardSelector:string",
      "timeoutSeconds:integer",
      "watch:boolean",
    ]);
    expect(Object.keys(list.responses["200"]?.content ?? {})).toEqual([
      "application/json",
      "application/yaml",
      "application/vnd.kubernetes.protobuf",
      "application/json;stream=watch",
      "application/vnd.kubernetes.protobuf;stream=watch",
    ]);
  });
});

test("the index names each document with its hash", () => {
  expect(openApiIndex(new Map([["apis/apps/v1", "AB12"]]))).toEqual({
    paths: { "apis/apps/v1": { serverRelativeURL: "/openapi/v3/apis/apps/v1?hash=AB12" } },
  });
});
