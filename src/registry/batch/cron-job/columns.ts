// How cron jobs are printed.
import type { CronJob } from "../../../api/types/batch-v1.ts";
import { selectorOrNone, truthText } from "../../table/cell-text.ts";
import {
  ageColumn,
  integer,
  nameColumn,
  type Printer,
  printer,
  text,
  truth,
  wide,
} from "../../table/column.ts";
import { ageOf } from "../../table/human-duration.ts";
import { containerColumns } from "../../table/workload-columns.ts";

export const cronJobPrinter: Printer = printer<CronJob>([
  nameColumn,
  text("Schedule", "When jobs start, in cron format", ({ spec }) => spec?.schedule ?? ""),
  text("Timezone", "Time zone of the schedule", ({ spec }) => spec?.timeZone ?? "<none>"),
  truth("Suspend", "Whether no more jobs are started", ({ spec }) => truthText(spec?.suspend)),
  integer("Active", "Jobs running now", ({ status }) => status?.active?.length ?? 0),
  text("Last Schedule", "Time since a job was last started", ({ status }, now) =>
    status?.lastScheduleTime ? ageOf(status.lastScheduleTime, now) : "<none>",
  ),
  ageColumn,
  ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template),
  wide(
    text("Selector", "Labels of the jobs' pods", ({ spec }) =>
      selectorOrNone(spec?.jobTemplate?.spec?.selector),
    ),
  ),
]);
