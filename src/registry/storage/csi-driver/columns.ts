// How CSI drivers are printed.
import type { CSIDriver } from "../../../api/types/storage-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text, truth } from "../../table/column.ts";

export const csiDriverPrinter: Printer = printer<CSIDriver>([
  nameColumn,
  truth(
    "AttachRequired",
    "Whether volumes must be attached",
    ({ spec }) => spec.attachRequired ?? true,
  ),
  truth(
    "PodInfoOnMount",
    "Whether mounts tell of the pod",
    ({ spec }) => spec.podInfoOnMount ?? false,
  ),
  truth(
    "StorageCapacity",
    "Whether free capacity is published",
    ({ spec }) => spec.storageCapacity ?? false,
  ),
  text(
    "TokenRequests",
    "Audiences of the tokens mounts receive",
    ({ spec }) => (spec.tokenRequests ?? []).map(({ audience }) => audience).join(",") || "<unset>",
  ),
  truth(
    "RequiresRepublish",
    "Whether mounts are refreshed",
    ({ spec }) => spec.requiresRepublish ?? false,
  ),
  text(
    "Modes",
    "Lifecycles of volumes it knows",
    ({ spec }) => spec.volumeLifecycleModes?.join(",") || "<none>",
  ),
  ageColumn,
]);
