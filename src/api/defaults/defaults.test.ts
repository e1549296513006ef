import { describe, expect, test } from "vitest";
import type { KubeObject } from "../object.ts";
import { schema } from "../schema/schema.ts";
import { prepareCreated } from "./creation.ts";
import { defaulted, template, templateDefaulted } from "./defaults.testbed.ts";

describe("services", () => {
  test.each([
    [
      "cluster IP",
      { ports: [{ port: 80 }] },
      {
        type: "ClusterIP",
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      },
    ],
    [
      "client IP affinity",
      { sessionAffinity: "ClientIP" },
      {
        type: "ClusterIP",
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
        internalTrafficPolicy: "Cluster",
      },
    ],
    [
      "load balancer",
      { type: "LoadBalancer" },
      {
        type: "LoadBalancer",
        sessionAffinity: "None",
        externalTrafficPolicy: "Cluster",
        internalTrafficPolicy: "Cluster",
        allocateLoadBalancerNodePorts: true,
      },
    ],
    [
      "external name",
      { type: "ExternalName", externalName: "a.b" },
      { type: "ExternalName", externalName: "a.b", sessionAffinity: "None" },
    ],
  ])("%s", (_, spec, want) => {
    expect(defaulted("core.v1.Service", { spec })["spec"]).toEqual(want);
  });
  test.each([
    [{ type: "ClusterIP", selector: { a: "b" } }, ["IPv4"], "SingleStack"],
    [{ type: "ClusterIP", clusterIP: "fd00::1", selector: { a: "b" } }, ["IPv6"], "SingleStack"],
    [{ type: "ClusterIP", clusterIP: "None" }, ["IPv4", "IPv6"], "RequireDualStack"],
    [{ type: "ExternalName" }, undefined, undefined],
  ])("IP families of %o", (spec, families, policy) => {
    const service: KubeObject = { metadata: {}, spec };
    prepareCreated("core.v1.Service", service);
    expect(service["status"]).toEqual({ loadBalancer: {} });
    expect(service["spec"]).toMatchObject(
      families === undefined ? {} : { ipFamilies: families, ipFamilyPolicy: policy },
    );
  });
});

describe("small core kinds", () => {
  test.each<[string, object, object]>([
    [
      "core.v1.Secret",
      { stringData: { a: "hé" }, data: { b: "Yg==" } },
      { type: "Opaque", data: { a: "aMOp", b: "Yg==" } },
    ],
    [
      "core.v1.Secret",
      { type: "x", stringData: { a: "", b: "f", c: "fo", d: "foo" } },
      { type: "x", data: { a: "", b: "Zg==", c: "Zm8=", d: "Zm9v" } },
    ],
    [
      "core.v1.PersistentVolume",
      { spec: { hostPath: { path: "/" } } },
      {
        spec: {
          hostPath: { path: "/", type: "" },
          persistentVolumeReclaimPolicy: "Retain",
          volumeMode: "Filesystem",
        },
        status: { phase: "Pending" },
      },
    ],
    [
      "core.v1.PersistentVolumeClaim",
      {},
      { spec: { volumeMode: "Filesystem" }, status: { phase: "Pending" } },
    ],
    [
      "core.v1.Endpoints",
      { subsets: [{ ports: [{ port: 1 }] }] },
      { subsets: [{ ports: [{ port: 1, protocol: "TCP" }] }] },
    ],
    [
      "core.v1.Node",
      { status: { capacity: { cpu: "1" } } },
      { status: { capacity: { cpu: "1" }, allocatable: { cpu: "1" } } },
    ],
    [
      "core.v1.Node",
      { spec: { podCIDR: "10.0.1.0/24" } },
      { spec: { podCIDR: "10.0.1.0/24", podCIDRs: ["10.0.1.0/24"] } },
    ],
    [
      "core.v1.Node",
      { spec: { podCIDRs: ["10.0.1.0/24", "fd00::/64"] } },
      { spec: { podCIDR: "10.0.1.0/24", podCIDRs: ["10.0.1.0/24", "fd00::/64"] } },
    ],
    [
      "core.v1.Node",
      { spec: { podCIDR: "10.0.2.0/24", podCIDRs: ["10.0.1.0/24"] } },
      { spec: { podCIDR: "10.0.2.0/24", podCIDRs: ["10.0.2.0/24"] } },
    ],
    [
      "core.v1.LimitRange",
      {
        spec: {
          limits: [
            { type: "Container", max: { cpu: "2" }, min: { cpu: "1", memory: "1Mi" } },
            { type: "Pod", max: { cpu: "2" } },
          ],
        },
      },
      {
        spec: {
          limits: [
            {
              type: "Container",
              max: { cpu: "2" },
              min: { cpu: "1", memory: "1Mi" },
              default: { cpu: "2" },
              defaultRequest: { cpu: "2", memory: "1Mi" },
            },
            { type: "Pod", max: { cpu: "2" } },
          ],
        },
      },
    ],
    ["core.v1.ConfigMap", {}, {}],
    ["core.v1.PodTemplate", { template }, { template: templateDefaulted }],
  ])("%s", (typeId, fields, want) => {
    expect(defaulted(typeId, fields)).toEqual({ metadata: { name: "x" }, ...want });
  });
  test("a namespace is named by a label once it has a name", () => {
    expect(defaulted("core.v1.Namespace", {})).toEqual({
      metadata: { name: "x", labels: { "kubernetes.io/metadata.name": "x" } },
      status: { phase: "Active" },
    });
    expect(defaulted("core.v1.Namespace", { metadata: { generateName: "x-" } }).metadata).toEqual({
      generateName: "x-",
    });
  });
  test("a replication controller is labelled by its template", () => {
    expect(defaulted("core.v1.ReplicationController", { spec: { template } })).toEqual({
      metadata: { name: "x", labels: { a: "b" } },
      spec: { replicas: 1, selector: { a: "b" }, template: templateDefaulted },
    });
  });
});

describe("other groups", () => {
  test.each<[string, object, object]>([
    [
      "autoscaling.v2.HorizontalPodAutoscaler",
      { spec: { maxReplicas: 3, behavior: {} } },
      {
        spec: {
          minReplicas: 1,
          maxReplicas: 3,
          metrics: [
            {
              type: "Resource",
              resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
            },
          ],
          behavior: {
            scaleUp: {
              stabilizationWindowSeconds: 0,
              selectPolicy: "Max",
              policies: [
                { type: "Pods", value: 4, periodSeconds: 15 },
                { type: "Percent", value: 100, periodSeconds: 15 },
              ],
            },
            scaleDown: {
              selectPolicy: "Max",
              policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
            },
          },
        },
      },
    ],
    [
      "autoscaling.v1.HorizontalPodAutoscaler",
      { spec: { maxReplicas: 3 } },
      { spec: { minReplicas: 1, maxReplicas: 3, targetCPUUtilizationPercentage: 80 } },
    ],
    [
      "networking.v1.NetworkPolicy",
      { spec: { podSelector: {}, egress: [{ ports: [{ port: 1 }] }] } },
      {
        spec: {
          podSelector: {},
          policyTypes: ["Ingress", "Egress"],
          egress: [{ ports: [{ port: 1, protocol: "TCP" }] }],
        },
      },
    ],
    ["networking.v1.NetworkPolicy", {}, { spec: { podSelector: {}, policyTypes: ["Ingress"] } }],
    [
      "networking.v1.IngressClass",
      { spec: { parameters: { kind: "K", name: "n" } } },
      { spec: { parameters: { kind: "K", name: "n", scope: "Cluster" } } },
    ],
    [
      "discovery.v1.EndpointSlice",
      { addressType: "IPv4", ports: [{ port: 80 }] },
      { addressType: "IPv4", ports: [{ port: 80, name: "", protocol: "TCP" }] },
    ],
    [
      "rbac.v1.RoleBinding",
      {
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "ServiceAccount", name: "s" },
        ],
      },
      {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
        subjects: [
          { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" },
          { kind: "ServiceAccount", name: "s" },
        ],
      },
    ],
    ["storage.v1.StorageClass", {}, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }],
    [
      "storage.v1.CSIDriver",
      {},
      {
        spec: {
          attachRequired: true,
          podInfoOnMount: false,
          storageCapacity: false,
          fsGroupPolicy: "ReadWriteOnceWithFSType",
          volumeLifecycleModes: ["Persistent"],
          requiresRepublish: false,
          seLinuxMount: false,
        },
      },
    ],
    [
      "scheduling.v1.PriorityClass",
      { value: 1 },
      { value: 1, preemptionPolicy: "PreemptLowerPriority" },
    ],
    [
      "admissionregistration.v1.MutatingWebhookConfiguration",
      { webhooks: [{ name: "w", clientConfig: { service: {} }, rules: [{}] }] },
      {
        webhooks: [
          {
            name: "w",
            clientConfig: { service: { port: 443 } },
            rules: [{ scope: "*" }],
            failurePolicy: "Fail",
            matchPolicy: "Equivalent",
            namespaceSelector: {},
            objectSelector: {},
            timeoutSeconds: 10,
            reinvocationPolicy: "Never",
          },
        ],
      },
    ],
    [
      "admissionregistration.v1.ValidatingAdmissionPolicy",
      { spec: { matchConstraints: { resourceRules: [{}] } } },
      {
        spec: {
          failurePolicy: "Fail",
          matchConstraints: {
            resourceRules: [{ scope: "*" }],
            matchPolicy: "Equivalent",
            namespaceSelector: {},
            objectSelector: {},
          },
        },
      },
    ],
    ["flowcontrol.v1.FlowSchema", { spec: {} }, { spec: { matchingPrecedence: 1000 } }],
    [
      "flowcontrol.v1.PriorityLevelConfiguration",
      { spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } } },
      {
        spec: {
          type: "Limited",
          limited: {
            nominalConcurrencyShares: 30,
            lendablePercent: 0,
            limitResponse: {
              type: "Queue",
              queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 },
            },
          },
        },
      },
    ],
    [
      "apiextensions.v1.CustomResourceDefinition",
      { spec: { names: { plural: "foos", kind: "Foo" } } },
      {
        spec: {
          names: { plural: "foos", kind: "Foo", singular: "foo", listKind: "FooList" },
          conversion: { strategy: "None" },
        },
      },
    ],
    [
      "resource.v1.ResourceClaim",
      { spec: { devices: { requests: [{ name: "r", exactly: { tolerations: [{}] } }] } } },
      {
        spec: {
          devices: {
            requests: [
              {
                name: "r",
                exactly: {
                  tolerations: [{ operator: "Equal" }],
                  allocationMode: "ExactCount",
                  count: 1,
                },
              },
            ],
          },
        },
      },
    ],
  ])("%s", (typeId, fields, want) => {
    expect(defaulted(typeId, fields)).toEqual({ metadata: { name: "x" }, ...want });
  });
  test("no kind trips over an object that says nothing", () => {
    for (const resource of schema.resources) {
      expect(() => defaulted(resource.type, {}), resource.type).not.toThrow();
      expect(() => defaulted(resource.type, { spec: {}, status: {} }), resource.type).not.toThrow();
    }
  });
});
