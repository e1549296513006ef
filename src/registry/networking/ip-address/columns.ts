// How IP addresses are printed.
import type { IPAddress } from "../../../api/types/networking-v1.ts";
import { nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const ipAddressPrinter: Printer = printer<IPAddress>([
  nameColumn,
  text("ParentRef", "Object that holds the address", parentText),
]);

function parentText({ spec }: IPAddress): string {
  const parent = spec?.parentRef;
  if (!parent) return "<none>";
  const { group, resource, namespace, name } = parent;
  const owner = group ? `${resource ?? ""}.${group}` : (resource ?? "");
  return [owner, namespace, name].filter((part) => part).join("/");
}
