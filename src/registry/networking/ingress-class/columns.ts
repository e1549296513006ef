// How ingress classes are printed.
import type { IngressClass } from "../../../api/types/networking-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const ingressClassPrinter: Printer = printer<IngressClass>([
  nameColumn,
  text("Controller", "Controller that serves the class", ({ spec }) => spec?.controller ?? ""),
  text("Parameters", "Object that configures the class", parametersText),
  ageColumn,
]);

function parametersText({ spec }: IngressClass): string {
  const parameters = spec?.parameters;
  if (!parameters) return "<none>";
  const { kind, apiGroup, name } = parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}
