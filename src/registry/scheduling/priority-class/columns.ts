// How priority classes are printed.
import type { PriorityClass } from "../../../api/types/scheduling-v1.ts";
import {
  ageColumn,
  integer,
  nameColumn,
  type Printer,
  printer,
  text,
  truth,
} from "../../table/column.ts";

export const priorityClassPrinter: Printer = printer<PriorityClass>([
  nameColumn,
  integer("Value", "Priority of its pods", ({ value }) => value),
  truth(
    "Global-Default",
    "Whether pods without a class get it",
    ({ globalDefault }) => globalDefault ?? false,
  ),
  ageColumn,
  text(
    "PreemptionPolicy",
    "Whether its pods drive others out",
    ({ preemptionPolicy }) => preemptionPolicy ?? "",
  ),
]);
