// Jobs by how many of their pods succeeded (upstream: batch/job/strategy.go).
import type { FieldTable } from "../../fields.ts";

export const jobFields: FieldTable = {
  fields: [{ name: "status.successful", paths: ["status.succeeded"], absent: "0" }],
  aliases: {},
  indexes: [],
};
