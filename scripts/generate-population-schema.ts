// Publishes the schema of populations files for editors: schema/population.json.
import { writeFileSync } from "node:fs";
import { populationSchema } from "../src/fleet/population-schema.ts";

const document = { $schema: "https://json-schema.org/draft/2020-12/schema", ...populationSchema };
writeFileSync("schema/population.json", `${JSON.stringify(document, undefined, 2)}\n`);
