// How replica sets are printed.
import type { ReplicaSet } from "../../../api/types/apps-v1.ts";
import { selectorOrNone } from "../../table/cell-text.ts";
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

export const replicaSetPrinter: Printer = printer<ReplicaSet>([
  nameColumn,
  integer("Desired", "Pods wanted", ({ spec }) => spec?.replicas ?? 0),
  integer("Current", "Pods that exist", ({ status }) => status?.replicas ?? 0),
  integer("Ready", "Pods that are ready", ({ status }) => status?.readyReplicas ?? 0),
  ageColumn,
  ...containerColumns<ReplicaSet>(({ spec }) => spec?.template),
  wide(
    text("Selector", "Labels of the pods it counts", ({ spec }) => selectorOrNone(spec?.selector)),
  ),
]);
