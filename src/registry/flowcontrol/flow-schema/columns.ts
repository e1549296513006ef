// How flow schemas are printed: in the order in which they are tried.
import type { FlowSchema } from "../../../api/types/flowcontrol-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const flowSchemaPrinter: Printer = printer<FlowSchema>(
  [
    nameColumn,
    text(
      "PriorityLevel",
      "Priority level of its requests",
      ({ spec }) => spec?.priorityLevelConfiguration?.name ?? "",
    ),
    text(
      "MatchingPrecedence",
      "Place in the order; lower is tried first",
      ({ spec }) => spec?.matchingPrecedence ?? 0,
    ),
    text(
      "DistinguisherMethod",
      "What tells its flows apart",
      ({ spec }) => spec?.distinguisherMethod?.type ?? "<none>",
    ),
    ageColumn,
    text(
      "MissingPL",
      "Whether its priority level is missing",
      ({ status }) => status?.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
    ),
  ],
  { compare: byPrecedence },
);

function byPrecedence(a: FlowSchema, b: FlowSchema): number {
  const difference = (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0);
  if (difference !== 0) return difference;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
