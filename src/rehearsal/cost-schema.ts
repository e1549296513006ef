// What a file may say of costs: any of the coefficients, each with where it is from. `npm run calibrate` writes such files.
import type { JsonSchema } from "../std/json-schema.ts";
import { kubeCosts } from "./cost-profiles.ts";

export const costNamePattern: RegExp = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

const coefficient: JsonSchema = {
  type: "object",
  description: "a price of work in the unit that it has in every profile",
  properties: {
    // More would be no price but an end of the world, and end the run with it.
    value: { type: "number", minimum: 0, maximum: 1e9 },
    unit: { type: "string", description: "for readers; it cannot be chosen" },
    source: {
      type: "string",
      default: "set by the user",
      description: "measured when and on what, or why you think so",
    },
  },
  required: ["value"],
  additionalProperties: false,
};

function part(description: string, of: object): JsonSchema {
  const properties = Object.fromEntries(Object.keys(of).map((name) => [name, coefficient]));
  return { type: "object", description, properties, additionalProperties: false };
}

export const costsSchema: JsonSchema = {
  type: "object",
  description: "what work costs, where it differs from the profile's coefficients",
  properties: {
    etcd: part("of an etcd member", kubeCosts.etcd),
    apiServer: part("of an API server", kubeCosts.apiServer),
    controllers: part("of kube-controller-manager", kubeCosts.controllers),
  },
  additionalProperties: false,
};

export const costFileSchema: JsonSchema = {
  title: "Wavetank cost profile",
  description: "What work costs on some server, for `wavetank rehearse --profile FILE`",
  type: "object",
  properties: {
    name: { type: "string", pattern: costNamePattern.source, examples: ["my-server"] },
    profile: {
      type: "string",
      pattern: "^(1\\.[0-9]{2}|wavetank)$",
      examples: ["1.30"],
      description: "what the server behaves as; what is not said here costs as it does there",
    },
    costs: costsSchema,
  },
  required: ["name", "profile", "costs"],
  additionalProperties: false,
};
