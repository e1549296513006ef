// How device classes and claim templates are printed.
import { ageColumn, nameColumn, type Printer, printer } from "../../table/column.ts";

export const deviceClassPrinter: Printer = printer([nameColumn, ageColumn]);
