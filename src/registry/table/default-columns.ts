// How kinds are printed that have no printer of their own (upstream: rest.NewDefaultTableConvertor).
import type { ObjectMeta } from "../../api/types/meta-v1.ts";
import { type Column, nameColumn, type Printer, printer, text } from "./column.ts";

/** What Go prints for a time that was never set. */
const zeroTime = "0001-01-01T00:00:00Z";

const createdAtColumn: Column<{ readonly metadata: ObjectMeta }> = {
  ...text(
    "Created At",
    "When the object was created",
    ({ metadata }) => metadata?.creationTimestamp || zeroTime,
  ),
  type: "date",
};

export const defaultPrinter: Printer = printer([nameColumn, createdAtColumn]);
