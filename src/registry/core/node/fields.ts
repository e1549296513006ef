// Nodes by whether pods may be put on them (upstream: core/node/strategy.go).
import { at, type FieldTable } from "../../fields.ts";

export const nodeFields: FieldTable = {
  fields: [at("spec.unschedulable", "false")],
  aliases: {},
  indexes: [],
};
