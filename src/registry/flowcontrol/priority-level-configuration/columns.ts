// How priority levels are printed; exempt ones have no queues to tell of.
import type { PriorityLevelConfiguration } from "../../../api/types/flowcontrol-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const priorityLevelConfigurationPrinter: Printer = printer<PriorityLevelConfiguration>([
  nameColumn,
  text("Type", "Exempt or Limited", ({ spec }) => spec?.type ?? ""),
  text(
    "NominalConcurrencyShares",
    "Share of the server's seats",
    (level) => sharesOf(level) ?? none,
  ),
  text("Queues", "Number of queues", (level) => queuing(level)?.queues ?? none),
  text("HandSize", "Queues a flow may use", (level) => queuing(level)?.handSize ?? none),
  text(
    "QueueLengthLimit",
    "Requests a queue holds",
    (level) => queuing(level)?.queueLengthLimit ?? none,
  ),
  ageColumn,
]);

const none = "<none>";

/** Until v1beta2 they had another name. */
function sharesOf({ spec }: PriorityLevelConfiguration): number | undefined {
  const limited: LimitedOfAnyVersion | undefined = spec?.limited;
  return limited?.nominalConcurrencyShares ?? limited?.assuredConcurrencyShares;
}

interface LimitedOfAnyVersion {
  readonly nominalConcurrencyShares?: number;
  readonly assuredConcurrencyShares?: number;
}

function queuing({ spec }: PriorityLevelConfiguration) {
  return spec?.limited?.limitResponse?.queuing;
}
