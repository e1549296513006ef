// How component statuses are printed.
import type { ComponentStatus } from "../../../api/types/core-v1.ts";
import { nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const componentStatusPrinter: Printer = printer<ComponentStatus>([
  nameColumn,
  text("Status", "Whether the component is healthy", (component) => {
    const health = healthy(component);
    if (health === undefined) return "Unknown";
    return health.status === "True" ? "Healthy" : "Unhealthy";
  }),
  text("Message", "What the component said", (component) => healthy(component)?.message ?? ""),
  text("Error", "Why it could not be asked", (component) => healthy(component)?.error ?? ""),
]);

function healthy({ conditions }: ComponentStatus) {
  return conditions?.find(({ type }) => type === "Healthy");
}
