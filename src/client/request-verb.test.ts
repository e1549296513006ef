import { expect, it } from "vitest";
import { verbOf } from "./request-verb.ts";

it.each([
  ["GET", "/api/v1/pods?limit=500", "LIST"],
  ["GET", "/api/v1/namespaces", "LIST"],
  ["GET", "/api/v1/namespaces/a", "GET"],
  ["GET", "/api/v1/namespaces/a/pods", "LIST"],
  ["GET", "/api/v1/namespaces/a/pods/b", "GET"],
  ["GET", "/api/v1/namespaces/a/pods/b/log", "GET"],
  ["GET", "/apis/apps/v1/deployments", "LIST"],
  ["GET", "/apis/apps/v1/namespaces/a/deployments/b", "GET"],
  ["GET", "/api/v1/pods?resourceVersion=1&watch=true", "WATCH"],
  ["GET", "/readyz", "GET"],
  ["POST", "/api/v1/namespaces/a/pods", "CREATE"],
  ["PUT", "/api/v1/namespaces/a/pods/b", "UPDATE"],
  ["PATCH", "/api/v1/namespaces/a/pods/b", "PATCH"],
  ["DELETE", "/api/v1/namespaces/a/pods/b", "DELETE"],
  ["DELETE", "/api/v1/namespaces/a/pods", "DELETECOLLECTION"],
])("%s %s is a %s", (method, target, verb) => {
  expect(verbOf(method, target)).toBe(verb);
});
