// How volume attachments are printed.
import type { VolumeAttachment } from "../../../api/types/storage-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text, truth } from "../../table/column.ts";

export const volumeAttachmentPrinter: Printer = printer<VolumeAttachment>([
  nameColumn,
  {
    ...text<VolumeAttachment>("Attacher", "Driver that attaches", ({ spec }) => spec.attacher),
    format: "name",
  },
  text("PV", "Volume to attach", ({ spec }) => spec.source?.persistentVolumeName ?? ""),
  text("Node", "Node to attach it to", ({ spec }) => spec.nodeName),
  truth("Attached", "Whether it is attached", ({ status }) => status?.attached ?? false),
  ageColumn,
]);
