// The beta versions of flowcontrol.apiserver.k8s.io as served resources. Their types are always known
// (old-flow-control-types.ts); whether they are served is a matter of the Kubernetes version that the server behaves as.
import type { ResourceSchema, Schema } from "./schema.ts";

const group = "flowcontrol.apiserver.k8s.io";

/** The schema with the group's old versions served behind v1. */
export function withOldFlowControl(schema: Schema, versions: readonly string[]): Schema {
  const resources = [...schema.resources];
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
