import { describe, expect, test } from "vitest";
import { canonicalIP, cidrFamily, ipFamily } from "./ip-rules.ts";
import { dns1123Subdomain } from "./names.ts";
import { refusalTests, updateRefusalTests } from "./refusal.testbed.ts";

const backend = { service: { name: "s", port: { number: 80 } } };
const onePath = (more: object): object => ({
  spec: { rules: [{ http: { paths: [{ path: "/", pathType: "Prefix", backend, ...more }] } }] },
});
const at = "spec.rules[0].http.paths[0]";

describe("ingress", () => {
  refusalTests("networking.v1.Ingress", [
    ["good", onePath({})],
    ["a backend alone", { spec: { defaultBackend: backend } }],
    [
      "nothing",
      {},
      "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified",
    ],
    [
      "no path type",
      onePath({ pathType: undefined }),
      `${at}.pathType: Required value: pathType must be specified`,
    ],
    [
      "path type",
      onePath({ pathType: "x" }),
      `${at}.pathType: Unsupported value: "x": supported values: "Exact", "ImplementationSpecific", "Prefix"`,
    ],
    [
      "relative path",
      onePath({ path: "a" }),
      `${at}.path: Invalid value: "a": must be an absolute path`,
    ],
    [
      "winding path",
      onePath({ path: "/a//b/.." }),
      `${at}.path: Invalid value: "/a//b/..": must not contain '//'`,
      `${at}.path: Invalid value: "/a//b/..": cannot end with '/..'`,
    ],
    [
      "no backend",
      onePath({ backend: {} }),
      `${at}.backend: Invalid value: "": resource or service backend is required`,
    ],
    [
      "two backends",
      onePath({ backend: { ...backend, resource: { kind: "K", name: "n" } } }),
      `${at}.backend: Invalid value: "": cannot set both resource and service backends`,
    ],
    [
      "no port",
      onePath({ backend: { service: { name: "s" } } }),
      `${at}.backend: Required value: port name or number is required`,
    ],
    [
      "two ports",
      onePath({ backend: { service: { name: "s", port: { name: "p", number: 1 } } } }),
      `${at}.backend: Invalid value: "": cannot set both port name & port number`,
    ],
    [
      "hosts",
      {
        spec: {
          defaultBackend: backend,
          rules: [{ host: "10.0.0.1" }, { host: "*.a.b" }, { http: {} }],
        },
      },
      'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
      "spec.rules[2].http.paths: Required value",
    ],
    [
      "class said twice",
      {
        metadata: { annotations: { "kubernetes.io/ingress.class": "a" } },
        spec: { defaultBackend: backend, ingressClassName: "b" },
      },
      'annotations.kubernetes.io/ingress.class: Invalid value: "a": can not be set when the class field is also set',
    ],
  ]);
  refusalTests("networking.v1.IngressClass", [
    ["good", { spec: { controller: "a.b/c" } }],
    ["none", {}, "spec.controller: Required value"],
    [
      "controller",
      { spec: { controller: "a" } },
      'spec.controller: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      "parameters",
      { spec: { controller: "a.b/c", parameters: { kind: "K", name: "n", scope: "Namespace" } } },
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ],
  ]);
  updateRefusalTests("networking.v1.IngressClass", [
    [
      "another controller",
      { spec: { controller: "a.b/c" } },
      { spec: { controller: "a.b/d" } },
      'spec.controller: Invalid value: "a.b/d": field is immutable',
    ],
  ]);
});

describe("policies, slices, addresses", () => {
  refusalTests("networking.v1.NetworkPolicy", [
    [
      "good",
      { spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] } },
    ],
    [
      "bad",
      {
        spec: {
          podSelector: { matchExpressions: [{ key: "k", operator: "x" }] },
          ingress: [
            {
              ports: [{ port: 0, protocol: "x" }, { endPort: 5 }, { port: 5, endPort: 1 }],
              from: [{}, { ipBlock: { cidr: "x" }, podSelector: {} }],
            },
          ],
          policyTypes: ["Ingress", "x"],
        },
      },
      'spec.podSelector.matchExpressions[0].operator: Invalid value: "x": not a valid selector operator',
      'spec.ingress[0].ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      "spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      "spec.ingress[0].ports[1].port: Required value: must be specified when `endPort` is set",
      "spec.ingress[0].ports[2].endPort: Invalid value: 1: must be greater than or equal to `port`",
      "spec.ingress[0].from[0]: Required value: must specify a peer",
      'spec.ingress[0].from[1].ipBlock.cidr: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      "spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer",
      'spec.policyTypes[1]: Unsupported value: "x": supported values: "Egress", "Ingress"',
    ],
  ]);
  refusalTests("discovery.v1.EndpointSlice", [
    [
      "good",
      { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [{ port: 80 }] },
    ],
    [
      "bad",
      {
        addressType: "IPv6",
        endpoints: [
          { addresses: [] },
          { addresses: ["10.0.0.1", "Bad Value!"] },
          { addresses: ["fd00::1"], nodeName: "" },
        ],
        ports: [{ port: -1 }, { protocol: "x" }],
      },
      'ports[1].name: Duplicate value: ""',
      'ports[1].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      "endpoints[0].addresses: Required value: must contain at least 1 address",
      'endpoints[1].addresses: Invalid value: "10.0.0.1": must be an IPv6 address',
      'endpoints[1].addresses[1]: Invalid value: "Bad Value!": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      `endpoints[2].nodeName: Invalid value: "": ${dns1123Subdomain("")[0]}`,
    ],
    ["type", { addressType: "" }, "addressType: Required value"],
    [
      "too many",
      {
        addressType: "IPv4",
        endpoints: Array.from({ length: 1001 }, () => ({ addresses: ["10.0.0.1"] })),
      },
      "endpoints: Too many: 1001: must have at most 1000 items",
    ],
  ]);
  updateRefusalTests("discovery.v1.EndpointSlice", [
    [
      "another type",
      { addressType: "IPv4" },
      { addressType: "IPv6" },
      'addressType: Invalid value: "IPv6": field is immutable',
    ],
  ]);
  const parentRef = { resource: "services", name: "s" };
  refusalTests("networking.v1.IPAddress", [
    ["good", { metadata: { name: "10.0.0.1" }, spec: { parentRef } }],
    [
      "name",
      { spec: { parentRef } },
      'metadata.name: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
    [
      "spelling",
      { metadata: { name: "2001:DB8::0:1" }, spec: { parentRef } },
      'metadata.name: Invalid value: "2001:DB8::0:1": must be in canonical form ("2001:db8::1")',
    ],
    ["no parent", { metadata: { name: "10.0.0.1" } }, "spec.parentRef: Required value"],
  ]);
  updateRefusalTests("networking.v1.IPAddress", [
    [
      "another parent",
      { metadata: { name: "10.0.0.1" }, spec: { parentRef } },
      { metadata: { name: "10.0.0.1" }, spec: { parentRef: { ...parentRef, name: "other" } } },
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"","Name":"other"}: field is immutable',
    ],
  ]);
  refusalTests("networking.v1.ServiceCIDR", [
    ["good", { spec: { cidrs: ["10.0.0.0/24", "fd00::/64"] } }],
    ["none", {}, "spec.cidrs: Required value: at least one CIDR required"],
  ]);
  updateRefusalTests("networking.v1.ServiceCIDR", [
    [
      "another",
      { spec: { cidrs: ["10.0.0.0/24"] } },
      { spec: { cidrs: ["10.0.1.0/24"] } },
      'spec.cidrs: Invalid value: ["10.0.1.0/24"]: field is immutable',
    ],
  ]);
});

describe("IP texts", () => {
  test.each([
    ["10.0.0.1", "IPv4", "10.0.0.1"],
    ["010.0.0.1", "IPv4", "10.0.0.1"],
    ["10.0.0.256", undefined, undefined],
    ["10.0.0", undefined, undefined],
    ["::", "IPv6", "::"],
    ["::1", "IPv6", "::1"],
    ["1::", "IPv6", "1::"],
    ["2001:DB8:0:0:1:0:0:1", "IPv6", "2001:db8::1:0:0:1"],
    ["1:2:3:4:5:6:7:8", "IPv6", "1:2:3:4:5:6:7:8"],
    ["1:0:3:4:5:6:7:8", "IPv6", "1:0:3:4:5:6:7:8"],
    ["::ffff:10.0.0.1", "IPv6", "::ffff:a00:1"],
    ["1:2:3:4:5:6:7", undefined, undefined],
    ["1::2::3", undefined, undefined],
    ["1:2:3:4:5:6:7::8", undefined, undefined],
    [":::", undefined, undefined],
    ["", undefined, undefined],
    ["g::", undefined, undefined],
  ])("%s", (text, family, canonical) => {
    expect(ipFamily(text)).toBe(family);
    expect(canonicalIP(text)).toBe(canonical);
  });
  test.each([
    ["10.0.0.0/8", "IPv4"],
    ["10.0.0.0/33", undefined],
    ["fd00::/128", "IPv6"],
    ["10.0.0.0", undefined],
    ["10.0.0.0/", undefined],
  ])("%s", (text, family) => {
    expect(cidrFamily(text)).toBe(family);
  });
});
