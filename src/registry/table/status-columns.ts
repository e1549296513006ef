// How a Status is printed when it is asked for as a Table.
import type { Status } from "../../api/types/meta-v1.ts";
import { type Printer, printer, text } from "./column.ts";

export const statusPrinter: Printer = printer<Status>([
  text("Status", "Success or Failure", ({ status }) => status ?? ""),
  text("Reason", "Why, in one word", ({ reason }) => reason ?? ""),
  text("Message", "Why, in a sentence", ({ message }) => message ?? ""),
]);
