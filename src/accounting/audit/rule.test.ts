import { describe, expect, it } from "vitest";
import { digest } from "../accounting.testbed.ts";
import { parsePolicy } from "./policy.ts";
import { treatmentOf } from "./rule.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

/** Whether the one rule is the request's. */
function hits(rule: string, request: Parameters<typeof digest>[0]): boolean {
  const policy = parsePolicy(`${head}rules: [{level: Metadata, ${rule}}]`);
  return treatmentOf(policy, digest(request)).level === "Metadata";
}

const log = { verb: "get", subresource: "log", namespace: "n", name: "p" };
const path = { isResource: false, resource: "", verb: "get", path: "/healthz/ping" };

describe("a rule", () => {
  it.each<[string, Parameters<typeof digest>[0], boolean]>([
    ["users: [ann]", {}, true],
    ["users: [bob]", {}, false],
    ['userGroups: ["system:authenticated", x]', {}, true],
    ["userGroups: [x]", {}, false],
    ["verbs: [get, list]", {}, true],
    ["verbs: [watch]", {}, false],
    ['namespaces: [""]', {}, true],
    ["namespaces: [ns1]", {}, false],
    ["namespaces: [ns1]", { namespace: "ns1" }, true],
    ["namespaces: [ns1]", path, false],
    ['resources: [{group: ""}]', {}, true],
    ["resources: [{group: apps}]", {}, false],
    ['resources: [{group: "*"}]', { group: "apps" }, true],
    ["resources: [{resources: [pods]}]", {}, true],
    ["resources: [{resources: [pods]}]", log, false],
    ["resources: [{resources: [pods/log]}]", log, true],
    ['resources: [{resources: ["pods/*"]}]', log, true],
    ['resources: [{resources: ["pods/*"]}]', {}, true],
    ['resources: [{resources: ["*/log"]}]', log, true],
    ['resources: [{resources: ["*/log"]}]', {}, false],
    ['resources: [{resources: ["*"]}]', log, true],
    ["resources: [{resources: [pods/log], resourceNames: [p]}]", log, true],
    ["resources: [{resources: [pods/log], resourceNames: [q]}]", log, false],
    ['nonResourceURLs: ["/healthz*"]', path, true],
    ['nonResourceURLs: ["/healthz"]', path, false],
    ['nonResourceURLs: ["*"]', path, true],
    ['nonResourceURLs: ["*"]', {}, false],
  ])("%s of %j: %s", (rule, request, expected) => expect(hits(rule, request)).toBe(expected));

  it("that comes first decides, and none means None", () => {
    const policy = parsePolicy(
      `${head}omitStages: [Panic]\nrules: [{level: Request, verbs: [get]}, {level: Metadata, verbs: [get, list]}]`,
    );
    expect(treatmentOf(policy, digest({ verb: "get" })).level).toBe("Request");
    expect(treatmentOf(policy, digest()).level).toBe("Metadata");
    expect(treatmentOf(policy, digest({ verb: "watch" }))).toEqual({
      level: "None",
      omitStages: ["Panic"],
      omitManagedFields: false,
    });
  });
});
