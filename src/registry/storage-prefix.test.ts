import { expect, test } from "vitest";
import { resourcePrefix } from "./storage-prefix.ts";

test.each([
  ["", "pods", "pods"],
  ["", "nodes", "minions"],
  ["", "services", "services/specs"],
  ["", "endpoints", "services/endpoints"],
  ["", "replicationcontrollers", "controllers"],
  ["apps", "deployments", "deployments"],
  ["networking.k8s.io", "ingresses", "ingress"],
  [
    "apiextensions.k8s.io",
    "customresourcedefinitions",
    "apiextensions.k8s.io/customresourcedefinitions",
  ],
  ["apiregistration.k8s.io", "apiservices", "apiregistration.k8s.io/apiservices"],
])("%s %s is kept under %s", (group, resource, prefix) => {
  expect(resourcePrefix(group, resource)).toBe(prefix);
});
