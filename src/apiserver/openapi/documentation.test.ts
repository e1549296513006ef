import { expect, test } from "vitest";
import { schema } from "../../api/schema/schema.ts";
import {
  defaultOf,
  describeField,
  describeType,
  requiredFields,
  valuesOf,
} from "./documentation.ts";

test("every kind says what it is", () => {
  const silent = schema.resources.filter(({ type }) => describeType(type) === undefined);
  expect(silent.map(({ type }) => type)).toEqual([]);
});

test("a field has its own text, or that of its name, or none", () => {
  expect(describeField("core.v1.ObjectReference", "fieldPath")).toBeUndefined();
  expect(describeField("core.v1.Pod", "spec")).toBe("What is wanted.");
  expect(describeField("core.v1.Event", "metadata")).toBe(describeField("core.v1.Pod", "metadata"));
  expect(describeField("apps.v1.DeploymentSpec", "replicas")).toBe("Pods wanted; 1 when unset.");
});

test("required fields, values and defaults", () => {
  expect(requiredFields("apps.v1.DeploymentSpec")).toEqual(["selector", "template"]);
  expect(requiredFields("core.v1.Pod")).toEqual([]);
  expect(valuesOf("core.v1.PodSpec", "restartPolicy")).toEqual(["Always", "Never", "OnFailure"]);
  expect(defaultOf("core.v1.ServicePort", "protocol")).toBe("TCP");
  expect(defaultOf("core.v1.ServicePort", "name")).toBeUndefined();
});
