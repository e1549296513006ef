// Paths and operations of subresources: status and scale like objects, eviction and its like as creates, and those that
// connect a client with a container or a server behind the cluster.
import { findKindType, type SubresourceSchema } from "../../api/schema/schema.ts";
import { anyMediaType, objectMediaTypes } from "./media-types.ts";
import type { Method, Operation, Path } from "./operation.ts";
import { capital } from "./operation-name.ts";
import { nameParameter, pathParameter, prettyParameter } from "./parameters.ts";
import {
  answersOf,
  type Context,
  identity,
  objectOperations,
  writeOperation,
} from "./resource-operations.ts";

export function subresourcePaths(context: Context): Path[] {
  return context.resource.subresources.flatMap((subresource) => {
    const { name, kind } = subresource;
    if (kind.kind.endsWith("Options")) return connectPaths(context, subresource);
    return [
      {
        path: pathOf(context, name),
        parameters: [nameParameter(kind.kind), ...context.scope, prettyParameter],
        operations: name === "log" ? [logOperation(context)] : operationsOf(context, subresource),
      },
    ];
  });
}

function pathOf({ collection }: Context, name: string): string {
  return `${collection}/{name}/${name}`;
}

function idOf({ scopedKind }: Context, name: string): string {
  return scopedKind + capital(name);
}

/** The same context, dealing with the subresource's kind. */
function contextOfKind(context: Context, { kind }: SubresourceSchema): Context {
  const type = findKindType(kind) ?? context.resource.type;
  return { ...context, resource: { ...context.resource, ...kind, type } };
}

function operationsOf(context: Context, subresource: SubresourceSchema): Operation[] {
  const { name, verbs } = subresource;
  const own = contextOfKind(context, subresource);
  const { type } = own.resource;
  const id = idOf(context, name);
  const of = `${context.resource.kind}'s ${name}`;
  if (!verbs.includes("create")) return objectOperations(own, { verbs, type, id, of });
  return [
    writeOperation(own, {
      method: "post",
      id: `create${context.groupVersion}${id}`,
      description: `create the specified ${of}`,
      parameters: context.parameters.create,
      codes: [200, 201, 202],
      type,
    }),
  ];
}

function logOperation(context: Context): Operation {
  return {
    ...identity(context),
    method: "get",
    id: `read${context.groupVersion}${idOf(context, "log")}`,
    description: "read the log of the specified Pod",
    action: "get",
    parameters: context.parameters.ofOptions("core.v1.PodLogOptions"),
    answers: answersOf([200], undefined),
    produces: ["text/plain", ...objectMediaTypes],
  };
}

const streamMethods: readonly Method[] = ["get", "post"];
const proxyMethods: readonly Method[] = [
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
];

function connectPaths(context: Context, subresource: SubresourceSchema): Path[] {
  const own = contextOfKind(context, subresource);
  const id = idOf(context, subresource.name);
  const path = pathOf(context, subresource.name);
  const parameters = [
    nameParameter(subresource.kind.kind),
    ...context.scope,
    ...context.parameters.ofOptions(own.resource.type),
  ];
  const operations = (methods: readonly Method[], suffix: string): Operation[] =>
    methods.map((method) => connectOperation(own, method, id + suffix));
  if (subresource.name !== "proxy")
    return [{ path, parameters, operations: operations(streamMethods, "") }];
  return [
    { path, parameters, operations: operations(proxyMethods, "") },
    {
      path: `${path}/{path}`,
      parameters: [pathParameter, ...parameters],
      operations: operations(proxyMethods, "WithPath"),
    },
  ];
}

function connectOperation(context: Context, method: Method, id: string): Operation {
  return {
    ...identity(context),
    method,
    id: `connect${context.groupVersion}${capital(method)}${id}`,
    description: `send ${method.toUpperCase()} requests through`,
    action: "connect",
    parameters: [],
    answers: answersOf([200], undefined),
    produces: anyMediaType,
  };
}
