// Controllers by how many pods they have (upstream: core/replicationcontroller/strategy.go).
import { at, type FieldTable } from "../../fields.ts";

export const replicationControllerFields: FieldTable = {
  fields: [at("status.replicas", "0")],
  aliases: {},
  indexes: [],
};
