// Publishes the schemas of scenarios and incident records for editors: schema/scenario.json, schema/incident.json.
import { writeFileSync } from "node:fs";
import { incidentSchema } from "../src/rehearsal/library/incident.ts";
import { scenarioSchema } from "../src/rehearsal/scenario-schema.ts";

const schemas = { scenario: scenarioSchema, incident: incidentSchema };
for (const [name, schema] of Object.entries(schemas)) {
  const document = { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema };
  writeFileSync(`schema/${name}.json`, `${JSON.stringify(document, undefined, 2)}\n`);
}
