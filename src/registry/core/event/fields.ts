// Events by the object they are about. The same objects are served by two groups under two sets of names.
import { at, type FieldTable, type SelectableField } from "../../fields.ts";

const referenceParts = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
];

const references = (field: string): SelectableField[] =>
  referenceParts.map((part) => at(`${field}.${part}`));

export const eventFields: FieldTable = {
  fields: [
    ...references("involvedObject"),
    at("reason"),
    at("reportingComponent"),
    { name: "source", paths: ["source.component", "reportingComponent"], absent: "" },
    at("type"),
  ],
  aliases: {},
  indexes: [
    { by: "field", field: "involvedObject.name" },
    { by: "field", field: "involvedObject.uid" },
  ],
};

/** Of events.k8s.io; the values are found under the stored names. */
export const servedEventFields: FieldTable = {
  fields: [...references("regarding"), at("reportingController"), at("reason"), at("type")],
  aliases: {},
  indexes: [],
};
