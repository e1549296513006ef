// How endpoint slices are printed.
import type { EndpointSlice } from "../../../api/types/discovery-v1.ts";
import { someOf } from "../../table/cell-text.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const endpointSlicePrinter: Printer = printer<EndpointSlice>([
  nameColumn,
  text("AddressType", "Kind of the addresses", ({ addressType }) => addressType),
  text("Ports", "Ports of every endpoint", ({ ports }) =>
    someOf(
      (ports ?? []).map(({ port }) => (port === undefined ? "*" : `${port}`)),
      "<unset>",
    ),
  ),
  text("Endpoints", "Addresses of the endpoints", ({ endpoints }) =>
    someOf(
      (endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
      "<unset>",
    ),
  ),
  ageColumn,
]);
