// The beta versions of flowcontrol.apiserver.k8s.io, made from v1: they differ from it in the names of shares alone
// (upstream: k8s.io/api/flowcontrol/v1beta1 to v1beta3). Their types are always known; whether they are served is a
// matter of the Kubernetes version that the server behaves as.
import type { FieldSchema, ResourceSchema, Schema, TypeSchema } from "./schema.ts";

/** Newest first. */
const oldVersions = ["v1beta3", "v1beta2", "v1beta1"] as const;
const group = "flowcontrol.apiserver.k8s.io";
const prefix = "flowcontrol.v1.";

/** Types that lead to the shares, or are named by a version's kind; all others are v1's own. */
const renewed: readonly string[] = [
  "FlowSchema",
  "PriorityLevelConfiguration",
  "PriorityLevelConfigurationSpec",
  "LimitedPriorityLevelConfiguration",
];

export function withOldFlowControlTypes(
  types: Readonly<Record<string, TypeSchema>>,
): Readonly<Record<string, TypeSchema>> {
  const all: Record<string, TypeSchema> = { ...types };
  for (const version of oldVersions) {
    for (const name of renewed) {
      const type = types[prefix + name];
      if (type === undefined) continue;
      const fields = type.fields.map((field) => oldField(field, version));
      all[`flowcontrol.${version}.${name}`] = { ...type, fields };
    }
  }
  return all;
}

function oldField(field: FieldSchema, version: (typeof oldVersions)[number]): FieldSchema {
  const own = field.type.startsWith(prefix) ? field.type.slice(prefix.length) : "";
  if (renewed.includes(own)) return { ...field, type: `flowcontrol.${version}.${own}` };
  const isShares = field.name === "nominalConcurrencyShares" && field.number === 1;
  if (!isShares || version === "v1beta3") return field;
  return { name: "assuredConcurrencyShares", number: field.number, type: "int32", always: true };
}

/** The schema with the group's old versions served behind v1. */
export function withOldFlowControl(schema: Schema, versions: readonly string[]): Schema {
  const resources = schema.resources.flatMap((resource) => [resource]);
  const own = resources.filter((resource) => resource.group === group);
  const last = own.at(-1);
  if (last === undefined || versions.length === 0) return schema;
  const old = versions.flatMap((version) => own.map((resource) => oldResource(resource, version)));
  resources.splice(resources.indexOf(last) + 1, 0, ...old);
  return { ...schema, resources };
}

function oldResource(resource: ResourceSchema, version: string): ResourceSchema {
  return {
    ...resource,
    version,
    type: `flowcontrol.${version}.${resource.kind}`,
    subresources: resource.subresources.map((subresource) => ({
      ...subresource,
      kind: { ...subresource.kind, version },
    })),
  };
}
