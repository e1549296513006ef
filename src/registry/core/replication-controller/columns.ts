// How replication controllers are printed.
import type { ReplicationController } from "../../../api/types/core-v1.ts";
import { labelsText } from "../../table/cell-text.ts";
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

export const replicationControllerPrinter: Printer = printer<ReplicationController>([
  nameColumn,
  integer("Desired", "Pods wanted", ({ spec }) => spec?.replicas ?? 0),
  integer("Current", "Pods that exist", ({ status }) => status?.replicas ?? 0),
  integer("Ready", "Pods that are ready", ({ status }) => status?.readyReplicas ?? 0),
  ageColumn,
  ...containerColumns<ReplicationController>(({ spec }) => spec?.template),
  wide(text("Selector", "Labels of the pods it counts", ({ spec }) => labelsText(spec?.selector))),
]);
