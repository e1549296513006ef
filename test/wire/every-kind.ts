// The objects of manifests/every-kind.yaml with what the tests need to know of their resources.
import { readFileSync } from "node:fs";
import { parseAllDocuments, parse } from "yaml";
import type { KubeObject } from "../../src/api/object.ts";
import { type ResourceSchema, schema } from "../../src/api/schema/schema.ts";

export interface EveryKind {
  /** Of the object: "deployments.v1.apps". */
  readonly title: string;
  readonly resource: ResourceSchema;
  readonly object: KubeObject;
  /** Where objects of the kind are made and listed. */
  readonly collection: string;
  readonly path: string;
  /** A status to write; undefined when the kind has no status subresource. */
  readonly status: object | undefined;
}

const read = (name: string): string =>
  readFileSync(new URL(`manifests/${name}`, import.meta.url), "utf8");

/** Resources that the server stores; component statuses and metrics are computed. */
export const storedResources: readonly ResourceSchema[] = schema.resources.filter(({ verbs }) =>
  verbs.includes("watch"),
);

export const manifestFile: string = new URL("manifests/every-kind.yaml", import.meta.url).pathname;

export function readEveryKind(): EveryKind[] {
  const statuses = parse(read("every-status.yaml")) as Record<string, object>;
  const documents = parseAllDocuments(read("every-kind.yaml"), { intAsBigInt: true });
  return documents.map((document) =>
    describeObject(plain(document.toJS()) as KubeObject, statuses),
  );
}

function describeObject(object: KubeObject, statuses: Record<string, object>): EveryKind {
  const [version = "", group = ""] = (object.apiVersion ?? "").split("/").toReversed();
  const resource = storedResources.find(
    (one) => one.group === group && one.version === version && one.kind === object.kind,
  );
  if (!resource) throw new Error(`nothing stores ${object.apiVersion} ${object.kind}`);
  const root = group === "" ? "/api/v1" : `/apis/${group}/${version}`;
  const place = resource.namespaced ? `/namespaces/${object.metadata.namespace}` : "";
  const collection = `${root}${place}/${resource.resource}`;
  const title = `${resource.resource}.${version}.${group}`;
  const status = statuses[title];
  if ((status === undefined) === resource.subresources.some(({ name }) => name === "status"))
    throw new Error(`every-status.yaml and the schema disagree on ${title}`);
  return {
    title,
    resource,
    object,
    collection,
    path: `${collection}/${object.metadata.name}`,
    status,
  };
}

/** Numbers stay numbers unless only a bigint holds them. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
