import { describe, expect, it } from "vitest";
import { AuditPolicyError, parsePolicy } from "./policy.ts";

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

describe("an audit policy", () => {
  it("is read with its defaults", () => {
    const text = `${head}omitStages: [RequestReceived]\nrules:\n- level: Request\n  omitStages: [Panic]\n  resources:\n  - resources: [pods]\n- level: None\n  omitManagedFields: true\n`;
    expect(parsePolicy(text)).toMatchObject({
      omitManagedFields: false,
      rules: [
        {
          level: "Request",
          omitStages: ["RequestReceived", "Panic"],
          resources: [{ group: "", resources: ["pods"], resourceNames: [] }],
          omitManagedFields: false,
        },
        { level: "None", omitManagedFields: true },
      ],
    });
  });

  it.each([
    ["", "failed decoding: the file holds no object"],
    ["rules: []", "failed decoding: Object 'Kind' is missing in 'rules: []'"],
    [
      "apiVersion: audit.k8s.io/v1beta1\nkind: Policy",
      'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" in scheme "k8s.io/apiserver/pkg/audit/scheme.go:30"',
    ],
    [head, "loaded illegal policy with 0 rules"],
    [`${head}rules: [{}]`, "rules[0].level: Required value"],
    [
      `${head}rules: [{level: All}]`,
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      `${head}rules: [{level: None, nonResourceURLs: [healthz, "/a*b"]}]`,
      `[rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a '/' character, rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule]`,
    ],
    [
      `${head}rules: [{level: None, nonResourceURLs: ["*"], namespaces: [a]}]`,
      'rules[0].nonResourceURLs: Invalid value: ["*"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      `${head}rules: [{level: None, resources: [{resourceNames: [a]}]}]`,
      'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
    ],
    [
      `${head}omitStages: [Never]\nrules: [{level: None}]`,
      'omitStages[0]: Invalid value: "Never": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      `${head}rules: [{level: None, users: bob}]`,
      "failed decoding: rules[0].users must be a list of texts",
    ],
  ])("%j is refused in kube-apiserver's words", (text, message) => {
    expect(() => parsePolicy(text)).toThrow(new AuditPolicyError(message));
  });

  it("refuses a group with a version in it", () => {
    const text = `${head}rules: [{level: None, resources: [{group: "apps/v1"}]}]`;
    expect(() => parsePolicy(text)).toThrow(
      /^rules\[0\]\.resources\.group: Invalid value: "apps\/v1"/,
    );
  });
});
