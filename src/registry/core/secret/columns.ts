// How secrets are printed: never their values.
import type { Secret } from "../../../api/types/core-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const secretPrinter: Printer = printer<Secret>([
  nameColumn,
  text("Type", "What the secret is for", ({ type }) => type ?? ""),
  text("Data", "Number of keys", ({ data }) => Object.keys(data ?? {}).length),
  ageColumn,
]);
