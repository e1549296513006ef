import { at, type FieldTable } from "../../fields.ts";

export const nodeFields: FieldTable = {
  fields: [at("spec.unschedulable", "false")],
  aliases: {},
  indexes: [],
};
