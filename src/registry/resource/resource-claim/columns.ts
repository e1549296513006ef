// How resource claims are printed.
import type { ResourceClaim } from "../../../api/types/resource-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const resourceClaimPrinter: Printer = printer<ResourceClaim>([
  nameColumn,
  text("State", "How far the claim is", stateText),
  ageColumn,
]);

function stateText({ metadata, status }: ResourceClaim): string {
  const isDeleting = Boolean(metadata.deletionTimestamp);
  const words = isDeleting ? ["deleted"] : [];
  if (status?.allocation) {
    words.push("allocated");
    if (status.reservedFor?.length) words.push("reserved");
  } else if (!isDeleting) words.push("pending");
  return words.join(",");
}
