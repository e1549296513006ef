// How daemon sets are printed.
import type { DaemonSet } from "../../../api/types/apps-v1.ts";
import { labelsText, selectorOrNone } from "../../table/cell-text.ts";
import {
  ageColumn,
  integer,
  nameColumn,
  type Printer,
  printer,
  text,
  wide,
} from "../../table/column.ts";
import { containerColumns } from "../../table/workload-columns.ts";

export const daemonSetPrinter: Printer = printer<DaemonSet>([
  nameColumn,
  integer(
    "Desired",
    "Nodes that should run a pod",
    ({ status }) => status?.desiredNumberScheduled ?? 0,
  ),
  integer(
    "Current",
    "Nodes that run a pod as they should",
    ({ status }) => status?.currentNumberScheduled ?? 0,
  ),
  integer("Ready", "Nodes whose pod is ready", ({ status }) => status?.numberReady ?? 0),
  integer(
    "Up-to-date",
    "Nodes that run the current template",
    ({ status }) => status?.updatedNumberScheduled ?? 0,
  ),
  integer(
    "Available",
    "Nodes whose pod was ready for long enough",
    ({ status }) => status?.numberAvailable ?? 0,
  ),
  text("Node Selector", "Labels of the nodes it runs on", ({ spec }) =>
    labelsText(spec?.template?.spec?.nodeSelector),
  ),
  ageColumn,
  ...containerColumns<DaemonSet>(({ spec }) => spec?.template),
  wide(
    text("Selector", "Labels of the pods it manages", ({ spec }) => selectorOrNone(spec?.selector)),
  ),
]);
