// OpenAPI v2 (Swagger): one document of everything, for kubectl before 1.27 and whoever still reads it. Pure.
import type { GroupVersionKind, Schema } from "../../api/schema/schema.ts";
import { anyMediaType } from "./media-types.ts";
import { once } from "./once.ts";
import { answerWords, type Operation, type Parameter, type Path } from "./operation.ts";
import { resourcePaths } from "./resource-paths.ts";
import type { SchemaObject } from "./schema-object.ts";
import { groupVersionPath, groupVersionsOf, serverPaths } from "./server-paths.ts";
import { collectDefinitions, type Definitions } from "./type-schemas.ts";

export interface OpenApiV2Document {
  readonly swagger: "2.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, V2PathItem>>;
  readonly definitions: Readonly<Record<string, SchemaObject>>;
  readonly securityDefinitions: Readonly<Record<string, V2ApiKey>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface V2ApiKey {
  readonly type: "apiKey";
  readonly name: string;
  readonly in: string;
  readonly description: string;
}

export interface V2PathItem {
  readonly parameters?: readonly V2Parameter[];
  readonly [method: string]: V2Operation | readonly V2Parameter[] | undefined;
}

export interface V2Operation {
  readonly tags: readonly string[];
  readonly description: string;
  readonly operationId: string;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly schemes: readonly string[];
  readonly parameters?: readonly V2Parameter[];
  readonly responses: Readonly<Record<string, V2Response>>;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: GroupVersionKind;
}

export interface V2Response {
  readonly description: string;
  readonly schema?: SchemaObject;
}

/** A body has `schema`, others have `type`. */
export interface V2Parameter {
  readonly name: string;
  readonly in: "query" | "path" | "body";
  readonly description?: string;
  readonly required?: true;
  readonly uniqueItems?: true;
  readonly type?: string;
  readonly schema?: SchemaObject;
}

export function openApiV2(schema: Schema): OpenApiV2Document {
  const definitions = collectDefinitions(schema, 2);
  const paths = [
    ...serverPaths(schema).values(),
    ...groupVersionsOf(schema).map(groupVersionPath),
    ...resourcePaths(schema, schema.resources),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  const parameters = once((of: readonly Parameter[]) => of.map(parameter));
  const parts: Parts = { definitions, parameters };
  const items: Record<string, V2PathItem> = {};
  for (const path of paths) items[path.path] = pathItem(path, parts);
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: `v${schema.version}.0` },
    paths: items,
    definitions: definitions.build(),
    securityDefinitions: {
      BearerToken: {
        type: "apiKey",
        name: "authorization",
        in: "header",
        description: "Bearer token of a user or service account",
      },
    },
    security: [{ BearerToken: [] }],
  };
}

interface Parts {
  readonly definitions: Definitions;
  readonly parameters: (of: readonly Parameter[]) => readonly V2Parameter[];
}

function pathItem(path: Path, parts: Parts): V2PathItem {
  const item: Record<string, V2Operation | readonly V2Parameter[]> = {};
  for (const each of path.operations) item[each.method] = operation(each, parts);
  if (path.parameters.length > 0) item["parameters"] = path.parameters.map(parameter);
  return item;
}

function operation(from: Operation, { definitions, parameters: shared }: Parts): V2Operation {
  const { tag, description, id, body, produces, action, kind } = from;
  const query = shared(from.parameters);
  const parameters = body ? [bodyParameter(body, definitions), ...query] : query;
  return {
    tags: [tag],
    description,
    operationId: id,
    consumes: body?.mediaTypes ?? anyMediaType,
    produces,
    schemes,
    ...(parameters.length > 0 && { parameters }),
    responses: responses(from, definitions),
    ...(action !== undefined && { "x-kubernetes-action": action }),
    ...(kind && { "x-kubernetes-group-version-kind": kind }),
  };
}

const schemes = ["https"];

function bodyParameter(
  { type, required }: NonNullable<Operation["body"]>,
  definitions: Definitions,
): V2Parameter {
  return {
    name: "body",
    in: "body",
    ...(required && { required: true }),
    schema: definitions.refer(type),
  };
}

function parameter({ name, in: place, type, description }: Parameter): V2Parameter {
  return {
    name,
    in: place,
    type,
    ...(description !== undefined && { description }),
    ...(place === "path" && { required: true }),
    uniqueItems: true,
  };
}

function responses({ answers }: Operation, definitions: Definitions): V2Operation["responses"] {
  const told: Record<string, V2Response> = {};
  for (const { code, type } of answers)
    told[code] = {
      description: answerWords[code],
      schema: type === undefined ? { type: "string" } : definitions.refer(type),
    };
  told[401] = { description: "Unauthorized" };
  return told;
}
