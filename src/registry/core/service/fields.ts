// Services by address and type, as kubelets and controllers ask for them.
import { at, type FieldTable } from "../../fields.ts";

export const serviceFields: FieldTable = {
  fields: [at("spec.clusterIP"), at("spec.type")],
  aliases: {},
  indexes: [
    { by: "field", field: "spec.clusterIP" },
    { by: "field", field: "spec.type" },
  ],
};
