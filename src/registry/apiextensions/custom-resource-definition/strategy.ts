// Every version that ever was the storage version is remembered in the status
// (upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go).
import type { KubeObject } from "../../../api/object.ts";
import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from "../../../api/types/apiextensions-v1.ts";
import { plainStrategy, type Strategy } from "../../strategy.ts";

export const customResourceDefinitionStrategy: Strategy = {
  ...plainStrategy,
  generation: "OnChange",
  statusMetadata: "FromStored",
  unconditionalUpdate: false,
  prepareForCreate: rememberStorageVersion,
  prepareForUpdate: rememberStorageVersion,
};

function rememberStorageVersion(object: KubeObject): void {
  const { versions } = (object["spec"] ?? {}) as Partial<CustomResourceDefinitionSpec>;
  const status = { ...(object["status"] as object) } as CustomResourceDefinitionStatus;
  const known = status.storedVersions ?? [];
  // The decoder leaves null for a required list that is not there.
  const current = (versions ?? []).filter(({ storage, name }) => storage && !known.includes(name));
  status.storedVersions = [...known, ...current.map(({ name }) => name)];
  object["status"] = status;
}
