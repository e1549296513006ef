// How resource quotas are printed.
import type { ResourceQuota } from "../../../api/types/core-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const resourceQuotaPrinter: Printer = printer<ResourceQuota>([
  nameColumn,
  text("Request", "Counts and requests used, of what is allowed", (quota) =>
    usageText(quota, (resource) => !isLimit(resource)),
  ),
  text("Limit", "Limits used, of what is allowed", (quota) => usageText(quota, isLimit)),
  ageColumn,
]);

function isLimit(resource: string): boolean {
  return resource.startsWith("limits.");
}

function usageText({ status }: ResourceQuota, chosen: (resource: string) => boolean): string {
  return Object.keys(status?.hard ?? {})
    .filter(chosen)
    .sort()
    .map((key) => `${key}: ${status?.used?.[key] ?? "0"}/${status?.hard?.[key] ?? "0"}`)
    .join(", ");
}
