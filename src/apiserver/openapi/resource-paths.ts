// Paths and operations of a resource: collection, object, watches, subresources. kubectl reads from them which kinds
// exist, whether the server validates fields and which patches it takes.
import type { ResourceSchema, Schema } from "../../api/schema/schema.ts";
import { anyMediaType, listMediaTypes, objectMediaTypes } from "./media-types.ts";
import type { Body, Operation, Parameter, Path } from "./operation.ts";
import { nameParameter, parametersOf, prettyParameter } from "./parameters.ts";
import {
  answersOf,
  article,
  type Context,
  contextOf,
  identity,
  objectOperations,
  writeOperation,
} from "./resource-operations.ts";
import { subresourcePaths } from "./subresource-paths.ts";
import { listTypeOf } from "./type-schemas.ts";

export function resourcePaths(schema: Schema, resources: readonly ResourceSchema[]): Path[] {
  const parameters = parametersOf(schema);
  return resources.flatMap((resource) => {
    const context = contextOf(resource, parameters);
    return [
      collectionPath(context),
      ...everyNamespacePaths(context),
      ...objectPaths(context),
      ...watchPaths(context),
      ...subresourcePaths(context),
    ];
  });
}

function collectionPath(context: Context): Path {
  const { resource, groupVersion, scopedKind, parameters } = context;
  const operations: Operation[] = [];
  if (resource.verbs.includes("list"))
    operations.push(listOperation(context, `list${groupVersion}${scopedKind}`));
  if (resource.verbs.includes("create"))
    operations.push(
      writeOperation(context, {
        method: "post",
        id: `create${groupVersion}${scopedKind}`,
        description: `create ${article(resource.kind)}`,
        parameters: parameters.create,
        codes: [200, 201, 202],
        type: resource.type,
      }),
    );
  if (resource.verbs.includes("deletecollection"))
    operations.push({
      ...identity(context),
      method: "delete",
      id: `delete${groupVersion}Collection${scopedKind}`,
      description: `delete a collection of ${resource.kind}`,
      action: "deletecollection",
      parameters: parameters.deleteCollection,
      body: deleteOptions,
      answers: answersOf([200], "meta.v1.Status"),
      produces: objectMediaTypes,
    });
  return { path: context.collection, parameters: [...context.scope, prettyParameter], operations };
}

function everyNamespacePaths(context: Context): Path[] {
  const { resource, root, groupVersion } = context;
  if (!resource.namespaced || !resource.verbs.includes("list")) return [];
  return [
    {
      path: `${root}/${resource.resource}`,
      parameters: [prettyParameter],
      operations: [listOperation(context, `list${groupVersion}${resource.kind}ForAllNamespaces`)],
    },
  ];
}

function listOperation(context: Context, id: string): Operation {
  return {
    ...identity(context),
    method: "get",
    id,
    description: `list or watch objects of kind ${context.resource.kind}`,
    action: "list",
    parameters: context.parameters.list,
    answers: answersOf([200], listTypeOf(context.resource)),
    produces: listMediaTypes,
  };
}

function objectPaths(context: Context): Path[] {
  const { resource, collection, scope } = context;
  const operations = objectOperations(context, {
    verbs: resource.verbs,
    type: resource.type,
    id: context.scopedKind,
    of: resource.kind,
  });
  if (resource.verbs.includes("delete")) operations.push(deleteOperation(context));
  if (operations.length === 0) return [];
  return [
    {
      path: `${collection}/{name}`,
      parameters: [nameParameter(resource.kind), ...scope, prettyParameter],
      operations,
    },
  ];
}

const deleteOptions: Body = {
  type: "meta.v1.DeleteOptions",
  required: false,
  mediaTypes: anyMediaType,
};

/** Kinds whose DELETE is documented to answer with the object (upstream: ReturnDeletedObject of their stores). */
const answersWithObject: ReadonlySet<string> = new Set([
  "core.v1.PersistentVolume",
  "core.v1.PersistentVolumeClaim",
  "core.v1.Pod",
  "core.v1.PodTemplate",
  "core.v1.ResourceQuota",
  "core.v1.Service",
  "core.v1.ServiceAccount",
  "resource.v1.DeviceClass",
  "resource.v1.ResourceClaim",
  "resource.v1.ResourceClaimTemplate",
  "resource.v1.ResourceSlice",
  "storage.v1.CSIDriver",
  "storage.v1.CSINode",
  "storage.v1.StorageClass",
  "storage.v1.VolumeAttachment",
  "storage.v1.VolumeAttributesClass",
]);

function deleteOperation(context: Context): Operation {
  const { resource, groupVersion, scopedKind } = context;
  const type = answersWithObject.has(resource.type) ? resource.type : "meta.v1.Status";
  return {
    ...identity(context),
    method: "delete",
    id: `delete${groupVersion}${scopedKind}`,
    description: `delete ${article(resource.kind)}`,
    action: "delete",
    parameters: context.parameters.delete,
    body: deleteOptions,
    answers: answersOf([200, 202], type),
    produces: objectMediaTypes,
  };
}

/** The deprecated /watch/ paths; a list with `watch=true` does the same. */
function watchPaths(context: Context): Path[] {
  const { resource, root, scopedKind, collection, scope } = context;
  if (!resource.verbs.includes("watch")) return [];
  const scoped = `${root}/watch${collection.slice(root.length)}`;
  const paths: Path[] = [
    {
      path: scoped,
      parameters: [...scope, prettyParameter],
      operations: [watchOperation(context, `${scopedKind}List`, "watchlist")],
    },
    {
      path: `${scoped}/{name}`,
      parameters: [nameParameter(resource.kind), ...scope, prettyParameter],
      operations: [watchOperation(context, scopedKind, "watch")],
    },
  ];
  if (resource.namespaced)
    paths.push({
      path: `${root}/watch/${resource.resource}`,
      parameters: [prettyParameter],
      operations: [watchOperation(context, `${resource.kind}ListForAllNamespaces`, "watchlist")],
    });
  return paths;
}

function watchOperation(context: Context, id: string, action: "watch" | "watchlist"): Operation {
  const parameters: readonly Parameter[] = context.parameters.list;
  return {
    ...identity(context),
    method: "get",
    id: `watch${context.groupVersion}${id}`,
    description: `watch changes of ${context.resource.kind}; deprecated: list with the parameter watch instead`,
    action,
    parameters,
    answers: answersOf([200], "meta.v1.WatchEvent"),
    produces: listMediaTypes,
  };
}
