import { at, type FieldTable } from "../../fields.ts";

export const replicationControllerFields: FieldTable = {
  fields: [at("status.replicas", "0")],
  aliases: {},
  indexes: [],
};
