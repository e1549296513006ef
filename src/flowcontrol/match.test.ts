import { describe, expect, test } from "vitest";
import type {
  FlowSchema,
  NonResourcePolicyRule,
  ResourcePolicyRule,
  Subject,
} from "../api/types/flowcontrol-v1.ts";
import { comesBefore, matchesFlowSchema } from "./match.ts";
import { someDigest } from "./queue-set.testbed.ts";
import type { RequestDigest } from "./request-digest.ts";

const everything: ResourcePolicyRule = {
  verbs: ["*"],
  apiGroups: ["*"],
  resources: ["*"],
  clusterScope: true,
  namespaces: ["*"],
};
const everybody: Subject = { kind: "Group", group: { name: "*" } };

const account = (namespace: string, name: string): Subject => ({
  kind: "ServiceAccount",
  serviceAccount: { namespace, name },
});

const vector = {
  name: "system:serviceaccount:logs:vector",
  uid: "",
  groups: ["system:serviceaccounts", "system:authenticated"],
  extra: {},
};

test.each<[Subject, boolean]>([
  [{ kind: "User", user: { name: vector.name } }, true],
  [{ kind: "User", user: { name: "*" } }, true],
  [{ kind: "User", user: { name: "ann" } }, false],
  [{ kind: "User" }, false],
  [{ kind: "Group", group: { name: "system:serviceaccounts" } }, true],
  [{ kind: "Group", group: { name: "*" } }, true],
  [{ kind: "Group", group: { name: "system:masters" } }, false],
  [account("logs", "vector"), true],
  [account("logs", "*"), true],
  [account("logs", "vec"), false],
  [account("log", "*"), false],
  [account("other", "vector"), false],
  [{ kind: "Robot" }, false],
])("subject %j: %s", (subject, matches) => {
  const digest = { ...someDigest, user: vector };
  const rules = [{ subjects: [subject], resourceRules: [everything] }];
  expect(matchesFlowSchema(rules, digest)).toBe(matches);
});

describe("resource rules", () => {
  test.each<[string, Partial<ResourcePolicyRule>, Partial<RequestDigest>, boolean]>([
    ["everything", {}, {}, true],
    ["another verb", { verbs: ["get"] }, {}, false],
    ["another group", { apiGroups: ["apps"] }, {}, false],
    ["its group", { apiGroups: [""] }, {}, true],
    ["the resource", { resources: ["pods"] }, {}, true],
    ["not its subresource", { resources: ["pods"] }, { subresource: "log" }, false],
    ["its subresource", { resources: ["pods/log"] }, { subresource: "log" }, true],
    ["a wildcard beside others is a word", { resources: ["*", "nodes"] }, {}, false],
    ["across namespaces without clusterScope", { clusterScope: false }, {}, false],
    ["in a namespace", { clusterScope: false }, { namespace: "ns" }, true],
    ["in another", { namespaces: ["a", "b"] }, { namespace: "ns" }, false],
    ["no namespaces", { namespaces: [] }, { namespace: "ns" }, false],
    ["a path", {}, { isResource: false }, false],
  ])("%s", (_, rule, request, matches) => {
    const rules = [{ subjects: [everybody], resourceRules: [{ ...everything, ...rule }] }];
    expect(matchesFlowSchema(rules, { ...someDigest, ...request })).toBe(matches);
  });
});

test.each<[string, string, boolean]>([
  ["/healthz", "/healthz", true],
  ["/healthz", "/healthz/etcd", true],
  ["/healthz", "/healthzy", false],
  ["/healthz/*", "/healthz/etcd", true],
  ["/healthz/*", "/healthz", false],
  ["*", "/anything", true],
  ["/a", "/b", false],
])("path rule %s on %s: %s", (url, path, matches) => {
  const rule: NonResourcePolicyRule = { verbs: ["get"], nonResourceURLs: [url] };
  const digest = { ...someDigest, isResource: false, verb: "get", path };
  const rules = [{ subjects: [everybody], nonResourceRules: [rule] }];
  expect(matchesFlowSchema(rules, digest)).toBe(matches);
  expect(matchesFlowSchema(rules, { ...digest, verb: "post" })).toBe(false);
});

test("lower precedence first, then by name", () => {
  const schema = (name: string, matchingPrecedence: number): FlowSchema => ({
    metadata: { name },
    spec: { matchingPrecedence, priorityLevelConfiguration: { name: "x" } },
  });
  const all = [schema("b", 10), schema("c", 2), schema("a", 10)];
  expect(all.sort(comesBefore).map(({ metadata }) => metadata.name)).toEqual(["c", "a", "b"]);
});
