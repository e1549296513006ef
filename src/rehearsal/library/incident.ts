// A record of the incident library: what happened to whom, by which mechanism, in numbers, with its sources.
import { readCheckedYaml } from "../../api/codec/checked-yaml.ts";
import type { JsonSchema } from "../../std/json-schema.ts";

export interface Incident {
  readonly title: string;
  /** `2021`, `2021-03` or `2021-03-11`. */
  readonly date: string;
  readonly where: string;
  readonly trigger: string;
  readonly mechanism: string;
  readonly rootCause: RootCause;
  readonly components: readonly string[];
  readonly harm: string;
  readonly numbers: readonly { readonly what: string; readonly value: string }[];
  readonly fixes: readonly string[];
  readonly sources: readonly string[];
}

export const rootCauses = {
  "cost-grows-with-cluster": "a request costs what the cluster holds, not what it returns",
  "clients-in-step": "many clients do the same at the same moment",
  "creation-without-end": "a controller creates without end",
  "storage-without-end": "objects pile up and nobody removes them",
  "retry-without-back-off": "clients that failed try again at once",
  "throttled-client": "a client's own limit keeps it from what it must do",
  "overload-kills-servers": "servers are killed for being overloaded, and come back worse",
} as const;

export type RootCause = keyof typeof rootCauses;

const text: JsonSchema = { type: "string" };
const list = (items: JsonSchema): JsonSchema => ({ type: "array", items });

export const incidentSchema: JsonSchema = {
  title: "Wavetank incident",
  type: "object",
  properties: {
    title: text,
    date: { type: "string", pattern: "^\\d{4}(-\\d{2}(-\\d{2})?)?$", examples: ["2021-03-11"] },
    where: text,
    trigger: text,
    mechanism: text,
    rootCause: { type: "string", enum: Object.keys(rootCauses) },
    components: { ...list(text), minItems: 1 },
    harm: text,
    numbers: list({
      type: "object",
      properties: { what: text, value: text },
      required: ["what", "value"],
      additionalProperties: false,
    }),
    fixes: { ...list(text), minItems: 1 },
    sources: { ...list(text), minItems: 1 },
  },
  required: [
    "title",
    "date",
    "where",
    "trigger",
    "mechanism",
    "rootCause",
    "components",
    "harm",
    "numbers",
    "fixes",
    "sources",
  ],
  additionalProperties: false,
};

/** `source`: how errors call the file. Throws CheckedYamlError. */
export function parseIncident(text: string, source: string): Incident {
  const rules = { schema: incidentSchema, set: [], meaning: () => [] };
  return readCheckedYaml(text, source, rules) as Incident;
}
