import { at, type FieldTable } from "../../fields.ts";

export const secretFields: FieldTable = {
  fields: [at("type")],
  aliases: {},
  indexes: [{ by: "field", field: "type" }],
};
