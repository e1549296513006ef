// How runtime classes are printed.
import type { RuntimeClass } from "../../../api/types/node-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const runtimeClassPrinter: Printer = printer<RuntimeClass>([
  nameColumn,
  text("Handler", "Configuration of the container runtime", ({ handler }) => handler),
  ageColumn,
]);
