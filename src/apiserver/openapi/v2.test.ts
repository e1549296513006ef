import { describe, expect, test } from "vitest";
import { schema } from "../../api/schema/schema.ts";
import type { SchemaObject } from "./schema-object.ts";
import { openApiV2, type V2Operation } from "./v2.ts";

const document = openApiV2(schema);

test("what only the third version can say is left out", () => {
  const words = new Set<string>();
  for (const each of Object.values(document.definitions)) collectWords(each, words);
  expect([...words].filter((word) => !word.startsWith("x-")).sort()).toEqual([
    "$ref",
    "additionalProperties",
    "description",
    "format",
    "items",
    "properties",
    "required",
    "type",
  ]);
  expect(document.definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toMatchObject({
    type: "string",
    format: "int-or-string",
  });
});

/** Keys that a schema and the schemas in it have; names of properties are none. */
function collectWords(schema: SchemaObject, words: Set<string>): void {
  for (const key of Object.keys(schema)) words.add(key);
  const { items, additionalProperties, properties } = schema;
  for (const inner of [items, additionalProperties, ...Object.values(properties ?? {})])
    if (inner) collectWords(inner, words);
}

describe("operations", () => {
  test("a create", () => {
    const create = document.paths["/api/v1/namespaces/{namespace}/pods"]?.["post"] as V2Operation;
    expect(create).toMatchObject({
      operationId: "createCoreV1NamespacedPod",
      consumes: ["*/*"],
      parameters: [
        {
          in: "body",
          name: "body",
          required: true,
          schema: { $ref: "#/definitions/io.k8s.api.core.v1.Pod" },
        },
        { in: "query", name: "dryRun", type: "string", uniqueItems: true },
        { in: "query", name: "fieldManager" },
        { in: "query", name: "fieldValidation" },
      ],
      responses: {
        201: { schema: { $ref: "#/definitions/io.k8s.api.core.v1.Pod" } },
        401: { description: "Unauthorized" },
      },
      "x-kubernetes-action": "post",
      "x-kubernetes-group-version-kind": { group: "", version: "v1", kind: "Pod" },
    });
  });

  test("a patch takes all four kinds", () => {
    const patch = document.paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]?.[
      "patch"
    ] as V2Operation;
    expect(patch.consumes).toEqual([
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/strategic-merge-patch+json",
      "application/apply-patch+yaml",
    ]);
  });

  test("path parameters are required", () => {
    expect(document.paths["/api/v1/nodes/{name}"]?.parameters).toEqual([
      {
        name: "name",
        in: "path",
        type: "string",
        description: "name of the Node",
        required: true,
        uniqueItems: true,
      },
      {
        name: "pretty",
        in: "query",
        type: "string",
        description: "Set to true to have the answer indented.",
        uniqueItems: true,
      },
    ]);
  });
});
