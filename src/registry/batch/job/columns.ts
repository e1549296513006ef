// How jobs are printed.
import type { Job } from "../../../api/types/batch-v1.ts";
import { selectorOrNone } from "../../table/cell-text.ts";
import { ageColumn, nameColumn, type Printer, printer, text, wide } from "../../table/column.ts";
import { humanDuration } from "../../table/human-duration.ts";
import { containerColumns } from "../../table/workload-columns.ts";

export const jobPrinter: Printer = printer<Job>([
  nameColumn,
  text("Status", "State of the job, in one word", statusText),
  text("Completions", "Succeeded pods of the completions wanted", completionsText),
  text("Duration", "Time from start to completion, or until now", durationText),
  ageColumn,
  ...containerColumns<Job>(({ spec }) => spec?.template),
  wide(text("Selector", "Labels of the job's pods", ({ spec }) => selectorOrNone(spec?.selector))),
]);

/** The first that holds names the job's state. */
function statusText({ metadata, status }: Job): string {
  const holds = (type: string): boolean =>
    status?.conditions?.some(
      (condition) => condition.type === type && condition.status === "True",
    ) ?? false;
  if (holds("Complete")) return "Complete";
  if (holds("Failed")) return "Failed";
  if (metadata.deletionTimestamp) return "Terminating";
  const states = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
  return states.find((state) => holds(state)) ?? "Running";
}

function completionsText({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status }: Job, now: number): string {
  if (!status?.startTime) return "";
  const end = status.completionTime ? Date.parse(status.completionTime) : now;
  return humanDuration(end - Date.parse(status.startTime));
}
