// How pod templates are printed.
import type { PodTemplate } from "../../../api/types/core-v1.ts";
import { labelsText } from "../../table/cell-text.ts";
import { nameColumn, type Printer, printer, text } from "../../table/column.ts";
import { containersColumn, imagesColumn } from "../../table/workload-columns.ts";

export const podTemplatePrinter: Printer = printer<PodTemplate>([
  nameColumn,
  containersColumn<PodTemplate>(({ template }) => template),
  imagesColumn<PodTemplate>(({ template }) => template),
  text("Pod Labels", "Labels of the pods made from the template", ({ template }) =>
    labelsText(template?.metadata?.labels),
  ),
]);
