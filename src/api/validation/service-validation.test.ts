import { refusalTests, updateRefusalTests } from "./refusal.testbed.ts";

const service = (spec: object): object => ({
  spec: { ports: [{ port: 80 }], ...spec },
});
const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

refusalTests("core.v1.Service", [
  ["good", service({ selector: { a: "b" } })],
  ["headless without ports", { spec: { clusterIP: "None" } }],
  [
    "name",
    { ...service({}), metadata: { name: "Bad Value!" } },
    `metadata.name: Invalid value: "Bad Value!": ${label}`,
  ],
  ["no ports", { spec: {} }, "spec.ports: Required value"],
  [
    "ports",
    {
      spec: {
        ports: [{ port: 80 }, { port: 80, name: "a" }, { port: 0, name: "a", targetPort: "x!" }],
      },
    },
    "spec.ports[0].name: Required value",
    'spec.ports[2].name: Duplicate value: "a"',
    "spec.ports[2].port: Invalid value: 0: must be between 1 and 65535, inclusive",
    'spec.ports[2].targetPort: Invalid value: "x!": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    'spec.ports[1]: Duplicate value: {"protocol":"TCP","port":80,"targetPort":0}',
  ],
  [
    "type",
    service({ type: "x" }),
    'spec.type: Unsupported value: "x": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ],
  [
    "affinity",
    service({ sessionAffinity: "x" }),
    'spec.sessionAffinity: Unsupported value: "x": supported values: "ClientIP", "None"',
  ],
  [
    "affinity for too long",
    service({
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 86_401 } },
    }),
    "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400",
  ],
  [
    "node port of a cluster IP",
    { spec: { ports: [{ port: 80, nodePort: 30_000 }] } },
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ],
  [
    "node ports",
    {
      spec: {
        type: "NodePort",
        ports: [
          { port: 80, name: "a", nodePort: 30_000 },
          { port: 81, name: "b", nodePort: 30_000 },
        ],
      },
    },
    "spec.ports[1].nodePort: Duplicate value: 30000",
  ],
  [
    "headless load balancer",
    service({ type: "LoadBalancer", clusterIP: "None" }),
    "spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for LoadBalancer services",
  ],
  [
    "external name",
    { spec: { type: "ExternalName", clusterIP: "10.0.0.1" } },
    "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
    "spec.externalName: Required value",
  ],
  ["external name with a dot", { spec: { type: "ExternalName", externalName: "a.b." } }],
  [
    "addresses",
    service({ clusterIP: "x", externalIPs: ["0.0.0.0"] }),
    'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'spec.externalIPs[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
  ],
  [
    "families",
    service({ ipFamilies: ["IPv4", "IPv4", "IPv5"], ipFamilyPolicy: "x" }),
    'spec.ipFamilies[1]: Duplicate value: "IPv4"',
    'spec.ipFamilies[2]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
    'spec.ipFamilyPolicy: Unsupported value: "x": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
  ],
  [
    "for load balancers",
    service({
      loadBalancerSourceRanges: ["x"],
      allocateLoadBalancerNodePorts: true,
      loadBalancerClass: "a/b",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 30_000,
    }),
    "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    'spec.LoadBalancerSourceRanges[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
    "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
    'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
    "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
  ],
  [
    "traffic",
    service({ internalTrafficPolicy: "x", trafficDistribution: "y" }),
    'spec.internalTrafficPolicy: Unsupported value: "x": supported values: "Cluster", "Local"',
    'spec.trafficDistribution: Unsupported value: "y": supported values: "PreferClose", "PreferSameNode", "PreferSameZone"',
  ],
]);

const placed = service({ clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"], ipFamilies: ["IPv4"] });
updateRefusalTests("core.v1.Service", [
  ["a port", placed, { spec: { ...(placed as { spec: object }).spec, ports: [{ port: 81 }] } }],
  [
    "another address",
    placed,
    service({ clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9"], ipFamilies: ["IPv4"] }),
    'spec.clusterIPs[0]: Invalid value: ["10.0.0.9"]: may not change once set',
  ],
  ["to an external name", placed, { spec: { type: "ExternalName", externalName: "a.b" } }],
]);
