// OpenAPI v3: an index, and one document a group version (upstream: kube-openapi handler3). Pure: serving bytes, hashes
// and 304s is the business of whoever calls this, and so is keeping what was built.
import type { GroupVersionKind, Schema } from "../../api/schema/schema.ts";
import { answerWords, type Body, type Operation, type Parameter, type Path } from "./operation.ts";
import { once } from "./once.ts";
import { groupVersionRoot } from "./resource-operations.ts";
import { resourcePaths } from "./resource-paths.ts";
import type { SchemaObject } from "./schema-object.ts";
import { groupVersionPath, groupVersionsOf, serverPaths } from "./server-paths.ts";
import { collectDefinitions, type Definitions } from "./type-schemas.ts";

export interface OpenApiV3Document {
  readonly openapi: "3.0.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, V3PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, SchemaObject>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface V3PathItem {
  readonly parameters?: readonly V3Parameter[];
  readonly [method: string]: V3Operation | readonly V3Parameter[] | undefined;
}

export interface V3Operation {
  readonly tags: readonly string[];
  readonly description: string;
  readonly operationId: string;
  readonly parameters?: readonly V3Parameter[];
  readonly requestBody?: V3RequestBody;
  readonly responses: Readonly<Record<string, { description: string; content?: V3Content }>>;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: GroupVersionKind;
}

export interface V3RequestBody {
  readonly content: V3Content;
  readonly required?: true;
}

export interface V3Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: true;
  readonly schema: SchemaObject;
}

type V3Content = Readonly<Record<string, { readonly schema: SchemaObject }>>;

export interface OpenApiV3Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** Names of all documents, sorted: `api/v1`, `apis/apps/v1`, `version` and others. */
export function openApiV3Names(schema: Schema): string[] {
  const groupVersions = groupVersionsOf(schema).map((each) => groupVersionRoot(each).slice(1));
  return [...groupVersions, ...serverPaths(schema).keys()].sort();
}

/** One document, or undefined when nothing has that name. */
export function openApiV3(schema: Schema, name: string): OpenApiV3Document | undefined {
  const groupVersion = groupVersionsOf(schema).find(
    (each) => groupVersionRoot(each).slice(1) === name,
  );
  if (groupVersion) {
    const { group, version } = groupVersion;
    const resources = schema.resources.filter(
      (resource) => resource.group === group && resource.version === version,
    );
    return document(schema, [groupVersionPath(groupVersion), ...resourcePaths(schema, resources)]);
  }
  const path = serverPaths(schema).get(name);
  return path && document(schema, [path]);
}

/** What /openapi/v3 answers. `hashes`: upper-case hex SHA-512 of each document's JSON, by name. */
export function openApiIndex(hashes: ReadonlyMap<string, string>): OpenApiV3Index {
  return {
    paths: Object.fromEntries(
      [...hashes].map(([name, hash]) => [
        name,
        { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` },
      ]),
    ),
  };
}

function document(schema: Schema, paths: readonly Path[]): OpenApiV3Document {
  const definitions = collectDefinitions(schema, 3);
  const parts = sharedParts(definitions);
  const items: Record<string, V3PathItem> = {};
  for (const path of paths) items[path.path] = pathItem(path, parts);
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: `v${schema.version}.0` },
    paths: items,
    components: {
      schemas: definitions.build(),
      securitySchemes: {
        BearerToken: {
          description: "Bearer token of a user or service account",
          in: "header",
          name: "authorization",
          type: "apiKey",
        },
      },
    },
  };
}

/** What many operations have alike. */
interface Parts {
  readonly parameters: (of: readonly Parameter[]) => readonly V3Parameter[];
  /** Answers of a type (undefined: text) in some media types. */
  readonly content: (mediaTypes: readonly string[], type: string | undefined) => V3Content;
}

function sharedParts(definitions: Definitions): Parts {
  const contentsOf = once((mediaTypes: readonly string[]) =>
    once((type: string | undefined): V3Content => {
      const schema: SchemaObject =
        type === undefined ? { type: "string" } : definitions.refer(type);
      return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
    }),
  );
  return {
    parameters: once((of) => of.map(parameter)),
    content: (mediaTypes, type) => contentsOf(mediaTypes)(type),
  };
}

function pathItem(path: Path, parts: Parts): V3PathItem {
  const item: Record<string, V3Operation | readonly V3Parameter[]> = {};
  if (path.parameters.length > 0) item["parameters"] = path.parameters.map(parameter);
  for (const each of path.operations) item[each.method] = operation(each, parts);
  return item;
}

function operation(from: Operation, parts: Parts): V3Operation {
  const { tag, description, id, parameters, body, action, kind } = from;
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length > 0 && { parameters: parts.parameters(parameters) }),
    ...(body && { requestBody: requestBody(body, parts) }),
    responses: responses(from, parts),
    ...(action !== undefined && { "x-kubernetes-action": action }),
    ...(kind && { "x-kubernetes-group-version-kind": kind }),
  };
}

function parameter({ name, in: place, type, description }: Parameter): V3Parameter {
  return {
    name,
    in: place,
    ...(description !== undefined && { description }),
    ...(place === "path" && { required: true }),
    schema: { type, uniqueItems: true },
  };
}

function requestBody({ mediaTypes, type, required }: Body, parts: Parts): V3RequestBody {
  return { content: parts.content(mediaTypes, type), ...(required && { required: true }) };
}

function responses({ answers, produces }: Operation, parts: Parts): V3Operation["responses"] {
  const told: Record<string, { description: string; content?: V3Content }> = {};
  for (const { code, type } of answers)
    told[code] = { description: answerWords[code], content: parts.content(produces, type) };
  told[401] = { description: "Unauthorized" };
  return told;
}
