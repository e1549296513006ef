// Publishes the schemas of scenarios and incident records for editors: schema/<name>.json.
import { writeFileSync } from "node:fs";
import { costFileSchema } from "../src/rehearsal/cost-schema.ts";
import { incidentSchema } from "../src/rehearsal/library/incident.ts";
import { scenarioSchema } from "../src/rehearsal/scenario-schema.ts";

const schemas = {
  scenario: scenarioSchema,
  incident: incidentSchema,
  "cost-profile": costFileSchema,
};
for (const [name, schema] of Object.entries(schemas)) {
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema };
  writeFileSync(`schema/${name}.json`, `${JSON.stringify(document, undefined, 2)}\n`);
}
