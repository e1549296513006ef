// From what a file calls a resource or a kind to where the server has it.
import { qualified } from "../api/meta/errors.ts";
import { schema } from "../api/schema/schema.ts";
import type { ResourceAddress } from "../client/resource-client.ts";
import { assert } from "../std/assert.ts";

const custom = /^([a-z0-9-]+)\.(v[0-9][a-z0-9]*)\.([a-z0-9.-]+)$/;

const byName: ReadonlyMap<string, ResourceAddress> = new Map(
  // The preferred version comes first, and the last entry of a Map wins.
  schema.resources.map((one) => [qualified(one.group, one.resource), one] as const).reverse(),
);

export function isKnownResource(name: string): boolean {
  return byName.has(name) || custom.test(name);
}

/** `pods`, `deployments.apps`, `widgets.v1.example.com`; the file was checked. */
export function addressOfName(name: string): ResourceAddress {
  const builtIn = byName.get(name);
  if (builtIn !== undefined) return builtIn;
  const [, resource = "", version = "", group = ""] = custom.exec(name) ?? [];
  assert(resource !== "", `${name} is no resource`);
  return { group, version, resource, kind: "", namespaced: true };
}

export function knownKind(apiVersion: string, kind: string): ResourceAddress | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  return schema.resources.find(
    (one) => one.group === group && one.version === version && one.kind === kind,
  );
}
