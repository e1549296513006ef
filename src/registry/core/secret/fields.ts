// Secrets by type: what token and certificate controllers watch (upstream: core/secret/strategy.go).
import { at, type FieldTable } from "../../fields.ts";

export const secretFields: FieldTable = {
  fields: [at("type")],
  aliases: {},
  indexes: [{ by: "field", field: "type" }],
};
