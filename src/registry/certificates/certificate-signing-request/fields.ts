import { at, type FieldTable } from "../../fields.ts";

export const certificateSigningRequestFields: FieldTable = {
  fields: [at("spec.signerName")],
  aliases: {},
  indexes: [],
};
