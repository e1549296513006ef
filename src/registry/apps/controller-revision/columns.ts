// How controller revisions are printed.
import type { ControllerRevision } from "../../../api/types/apps-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const controllerRevisionPrinter: Printer = printer<ControllerRevision>([
  nameColumn,
  text("Controller", "Workload whose state this is, as kind.group/name", controllerText),
  text("Revision", "Number of the revision", ({ revision }) => revision),
  ageColumn,
]);

function controllerText({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return "<none>";
  const [group, version] = owner.apiVersion.split("/");
  const kind = owner.kind.toLowerCase();
  return `${version === undefined ? kind : `${kind}.${group}`}/${owner.name}`;
}
