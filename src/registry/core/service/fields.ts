// Services by address and type; the indexes also answer which cluster IPs and node ports are taken.
import { at, type FieldTable } from "../../fields.ts";

export const serviceFields: FieldTable = {
  fields: [at("spec.clusterIP"), at("spec.type")],
  aliases: {},
  indexes: [
    { by: "field", field: "spec.clusterIP" },
    { by: "field", field: "spec.type" },
  ],
};
