// What Kubernetes' built-in types and resources are, as plain data. The data itself is v1.36.json, made by
// scripts/generate-schema.ts from the tables in schema/v1.36; nothing else in the product lists fields or kinds.
// Decoding, encoding, OpenAPI, discovery, patching and validation of shapes all read it through this file.
import { oldFlowControlTypes } from "./old-flow-control-types.ts";
import data from "./v1.36.json" with { type: "json" };

/** How lists merge under strategic merge patch (upstream: `patchStrategy`, `patchMergeKey` tags). */
export interface PatchStrategy {
  readonly merge: boolean;
  readonly retainKeys: boolean;
  readonly mergeKey?: string;
}

/** `listType` and `listMapKeys` of server-side apply (upstream: `+listType`, `+mapType` markers). */
export interface Topology {
  readonly type: "atomic" | "set" | "map" | "granular";
  readonly keys?: readonly string[];
}

export interface FieldSchema {
  /** JSON name. */
  readonly name: string;
  /** Protobuf field number. */
  readonly number: number;
  /**
   * A message type's id, like `core.v1.PodSpec`, or a word: string, bool, int32, int64, uint32, double, bytes, time,
   * microTime, duration, quantity, intOrString; json (any JSON value), rawExtension (any object), stringList (a wrapper
   * message that JSON shows as an array of strings), schemaOrArray, schemaOrBool, schemaOrStringArray.
   */
  readonly type: string;
  /** Absent: a single value. `map` is always keyed by string. */
  readonly container?: "list" | "map";
  /** A Go pointer: presence matters, so zero, false and "" are kept. */
  readonly pointer?: true;
  /** JSON always carries the key, also when empty (null for an empty list or map). */
  readonly always?: true;
  /** The message's fields belong to the parent in JSON. */
  readonly inline?: true;
  /** Go's name of the field's type, where that has a name of its own: `v1.ResourceList`, `[]v1.FinalizerName`. */
  readonly goType?: string;
  readonly patch?: PatchStrategy;
  readonly topology?: Topology;
}

export interface TypeSchema {
  /** In the order in which Go prints them. */
  readonly fields: readonly FieldSchema[];
  /** The whole value is owned and replaced as one under server-side apply. */
  readonly atomic?: true;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface SubresourceSchema {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

export interface ResourceSchema {
  /** "" is the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, as in URLs. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Sorted. */
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceSchema[];
  /** Id of the kind's message type. */
  readonly type: string;
  readonly storageVersionHash: string;
}

export interface Schema {
  /** `major.minor`. */
  readonly version: string;
  readonly types: Readonly<Record<string, TypeSchema>>;
  /** In discovery order: groups by priority, then versions, then resource names. */
  readonly resources: readonly ResourceSchema[];
}

const generated = data as unknown as Schema;

export const schema: Schema = {
  ...generated,
  types: { ...generated.types, ...oldFlowControlTypes(generated.types) },
};

/** Type id of a kind, also of kinds that are no resource (`DeleteOptions`, `Scale`); undefined when unknown. */
export function findKindType(kind: GroupVersionKind): string | undefined {
  const id = `${packageOf(kind.group)}.${kind.version}.${kind.kind}`;
  if (id in schema.types) return id;
  // meta kinds may be posted under any group version (DeleteOptions under apps/v1, Status under v1).
  const meta = `meta.v1.${kind.kind}`;
  return meta in schema.types ? meta : undefined;
}

/** "apps" for apps, "rbac" for rbac.authorization.k8s.io, "core" for the core group. */
export function packageOf(group: string): string {
  return group === "" ? "core" : (group.split(".")[0] ?? group);
}

/** The name under which OpenAPI documents publish a type, e.g. `io.k8s.api.core.v1.Pod`. */
export function openApiName(typeId: string): string {
  const [pkg, version, name] = typeId.split(".") as [string, string, string];
  if (pkg === "meta") return `io.k8s.apimachinery.pkg.apis.meta.${version}.${name}`;
  if (pkg === "apiextensions")
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${name}`;
  if (pkg === "apiregistration")
    return `io.k8s.kube-aggregator.pkg.apis.apiregistration.${version}.${name}`;
  return `io.k8s.api.${pkg}.${version}.${name}`;
}
