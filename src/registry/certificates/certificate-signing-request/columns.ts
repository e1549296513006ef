// How certificate signing requests are printed.
import type { CertificateSigningRequest } from "../../../api/types/certificates-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";
import { humanDuration } from "../../table/human-duration.ts";

export const certificateSigningRequestPrinter: Printer = printer<CertificateSigningRequest>([
  nameColumn,
  ageColumn,
  text("SignerName", "Who is asked to sign", ({ spec }) => spec.signerName || "<none>"),
  text("Requestor", "Who asks", ({ spec }) => spec.username ?? ""),
  text("RequestedDuration", "How long the certificate should last", ({ spec }) =>
    spec.expirationSeconds === undefined ? "<none>" : humanDuration(spec.expirationSeconds * 1000),
  ),
  text("Condition", "How far the request is", conditionText),
]);

function conditionText({ status }: CertificateSigningRequest): string {
  const has = (type: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type) ?? false;
  const words = [has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending"];
  if (has("Failed")) words.push("Failed");
  if (status?.certificate) words.push("Issued");
  return words.join(",");
}
