// How API services are printed.
import type { APIService } from "../../../api/types/apiregistration-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const apiServicePrinter: Printer = printer<APIService>([
  nameColumn,
  text("Service", "Service behind the API, or Local", ({ spec }) =>
    spec?.service ? `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}` : "Local",
  ),
  text("Available", "Whether the API can be used", availableText),
  ageColumn,
]);

function availableText({ status }: APIService): string {
  const available = status?.conditions?.find(({ type }) => type === "Available");
  if (!available) return "Unknown";
  return available.status === "True" ? "True" : `${available.status} (${available.reason ?? ""})`;
}
