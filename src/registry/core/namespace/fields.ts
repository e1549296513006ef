// Namespaces by phase (upstream: core/namespace/strategy.go).
import { at, type FieldTable } from "../../fields.ts";

/** `name` is an old spelling that upstream still takes. */
export const namespaceFields: FieldTable = {
  fields: [at("status.phase")],
  aliases: { name: "metadata.name" },
  indexes: [],
};
