// Slices by node and driver: what kubelets and drivers watch (upstream: resource/resourceslice/strategy.go).
import { at, type FieldTable } from "../../fields.ts";

export const resourceSliceFields: FieldTable = {
  fields: [at("spec.nodeName"), at("spec.driver")],
  aliases: {},
  indexes: [
    { by: "field", field: "spec.nodeName" },
    { by: "field", field: "spec.driver" },
  ],
};
