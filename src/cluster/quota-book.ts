// Where admission finds and charges the quotas of a namespace: read from the watch cache, written by the registry.
import type { ObjectReader } from "../access/object-reader.ts";
import type { QuotaBook } from "../access/quota/quota-accountant.ts";
import type { RegistryWriter } from "./registry-writer.ts";

const resource = "resourcequotas";

export function createQuotaBook(reader: ObjectReader, writer: RegistryWriter): QuotaBook {
  return {
    list: (namespace) => reader.list(resource, namespace),
    async changeStatus(quota, change) {
      await writer.changeStatus(resource, quota, (current) => change(current));
    },
  };
}
