// Requests by the signer they are meant for: what each signer watches (upstream: certificates/v1/conversion.go).
import { at, type FieldTable } from "../../fields.ts";

export const certificateSigningRequestFields: FieldTable = {
  fields: [at("spec.signerName")],
  aliases: {},
  indexes: [],
};
