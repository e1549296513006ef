import { describe, expect, test } from "vitest";
import { notFound } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { type ResourceSchema, schema } from "../../api/schema/schema.ts";
import { defaultPrinter } from "./default-columns.ts";
import { printerOf } from "./printers.ts";
import { type IncludeObject, tableOf, tableOfStatus, tableRow } from "./table.ts";

const now = Date.parse("2026-01-01T01:00:00Z");

function resource(name: string, group = "", version = "v1"): ResourceSchema {
  const found = schema.resources.find(
    (each) => each.resource === name && each.group === group && each.version === version,
  );
  if (!found) throw new Error(`no resource ${name}`);
  return found;
}

function cells(of: ResourceSchema, object: Partial<KubeObject>): unknown[] {
  const metadata = { name: "x", creationTimestamp: "2026-01-01T00:00:00Z", ...object.metadata };
  return [...tableRow(of, { ...object, metadata }, { now, includeObject: "None" }).cells];
}

const defaultKinds = [
  "Binding",
  "LimitRange",
  "CustomResourceDefinition",
  "Role",
  "ClusterRole",
  "SelfSubjectReview",
  "TokenReview",
  "LocalSubjectAccessReview",
  "SelfSubjectAccessReview",
  "SelfSubjectRulesReview",
  "SubjectAccessReview",
  "NodeMetrics",
  "PodMetrics",
];

describe("every kind", () => {
  test.each(schema.resources.map((each) => [`${each.group}/${each.resource}`, each] as const))(
    "%s has a printer, or the default on purpose",
    (_name, each) => {
      expect(printerOf(each.type) !== defaultPrinter).toBe(!defaultKinds.includes(each.kind));
      const printer = printerOf(each.type);
      const bare: KubeObject = { metadata: { name: "x" }, ...bareBones(each.type) };
      const printed = printer.cells(bare, now);
      expect(printed.length).toBe(printer.definitions.length);
      expect(printed.filter((cell) => cell === undefined)).toEqual([]);
      const named = printer.definitions.findIndex(({ name }) => name === "Name");
      expect(printer.definitions[named]?.format).toBe("name");
      expect(printed[named]).toBe("x");
    },
  );
});

/** What decoding leaves of an empty object: the fields that JSON always carries, empty. */
function bareBones(typeId: string): object {
  const fields = schema.types[typeId]?.fields ?? [];
  return Object.fromEntries(
    fields
      .filter((field) => field.always && field.container === undefined && field.name !== "metadata")
      .map((field) => [field.name, field.type in schema.types ? bareBones(field.type) : ""]),
  );
}

describe("tableOf", () => {
  const pods: KubeObject[] = [
    { metadata: { name: "a", namespace: "d" }, spec: { containers: [{ name: "c" }] }, status: {} },
  ];
  const options = { now, listMeta: { resourceVersion: "7" }, withColumns: true };
  const table = (includeObject: IncludeObject) =>
    tableOf(resource("pods"), pods, { ...options, includeObject });

  test("shape of columns: format and priority always there", () => {
    expect(table("None").columnDefinitions?.slice(0, 2)).toEqual([
      {
        name: "Name",
        type: "string",
        format: "name",
        description: "Name of the object",
        priority: 0,
      },
      {
        name: "Ready",
        type: "string",
        format: "",
        description: "Ready containers of all containers",
        priority: 0,
      },
    ]);
    expect(table("None").metadata).toEqual({ resourceVersion: "7" });
  });

  test("includeObject", () => {
    expect(table("None").rows[0]?.object).toBeNull();
    expect(table("Metadata").rows[0]?.object).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "a", namespace: "d" },
    });
    expect(table("Object").rows[0]?.object).toEqual({ ...pods[0], kind: "Pod", apiVersion: "v1" });
  });

  test("tables after the first of a watch have no columns", () => {
    const later = tableOf(resource("pods"), pods, {
      ...options,
      withColumns: false,
      includeObject: "None",
    });
    expect(later.columnDefinitions).toBeNull();
  });

  test("flow schemas come in the order in which they match", () => {
    const flow = (name: string, matchingPrecedence: number): KubeObject => ({
      metadata: { name },
      spec: { matchingPrecedence },
    });
    const printed = tableOf(
      resource("flowschemas", "flowcontrol.apiserver.k8s.io"),
      [flow("z", 1), flow("b", 500), flow("a", 500)],
      { ...options, includeObject: "None" },
    );
    expect(printed.rows.map((row) => row.cells[0])).toEqual(["z", "a", "b"]);
  });
});

test("a Status as Table", () => {
  const error = notFound({ group: "", resource: "pods" }, "p");
  const table = tableOfStatus(error.status);
  expect(table.columnDefinitions?.map(({ name }) => name)).toEqual(["Status", "Reason", "Message"]);
  expect(table.rows[0]?.cells).toEqual(["Failure", "NotFound", 'pods "p" not found']);
});

describe("cells of kinds with rules of their own", () => {
  test.each<[string, ResourceSchema, Partial<KubeObject>, unknown[]]>([
    [
      "deployment",
      resource("deployments", "apps"),
      {
        spec: {
          replicas: 3,
          selector: { matchLabels: { app: "web" } },
          template: {
            spec: {
              containers: [
                { name: "a", image: "i1" },
                { name: "b", image: "i2" },
              ],
            },
          },
        },
        status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 2 },
      },
      ["x", "2/3", 3, 2, "60m", "a,b", "i1,i2", "app=web"],
    ],
    [
      "suspended job",
      resource("jobs", "batch"),
      {
        spec: { parallelism: 4 },
        status: {
          succeeded: 1,
          startTime: "2026-01-01T00:58:00Z",
          conditions: [{ type: "Suspended", status: "True" }],
        },
      },
      ["x", "Suspended", "1/1 of 4", "2m", "60m", "", "", "<none>"],
    ],
    [
      "service of type LoadBalancer",
      resource("services"),
      {
        spec: {
          type: "LoadBalancer",
          clusterIPs: ["10.0.0.1"],
          selector: { b: "2", a: "1" },
          externalIPs: ["9.9.9.9"],
          ports: [
            { port: 80, nodePort: 30080, protocol: "TCP" },
            { port: 53, protocol: "UDP" },
          ],
        },
        status: { loadBalancer: { ingress: [{ hostname: "z" }, { ip: "1.2.3.4" }] } },
      },
      [
        "x",
        "LoadBalancer",
        "10.0.0.1",
        "1.2.3.4,z,9.9.9.9",
        "80:30080/TCP,53/UDP",
        "60m",
        "a=1,b=2",
      ],
    ],
    [
      "pending load balancer",
      resource("services"),
      { spec: { type: "LoadBalancer" } },
      ["x", "LoadBalancer", "<none>", "<pending>", "<none>", "60m", "<none>"],
    ],
    [
      "ingress",
      resource("ingresses", "networking.k8s.io"),
      {
        spec: {
          tls: [{}],
          rules: [{ host: "a" }, {}, { host: "b" }, { host: "c" }, { host: "d" }],
        },
      },
      ["x", "<none>", "a,b,c + 2 more...", "", "80, 443", "60m"],
    ],
    [
      "endpoints",
      resource("endpoints"),
      {
        subsets: [
          { addresses: [{ ip: "1.1.1.1" }, { ip: "::1" }], ports: [{ port: 80 }, { port: 81 }] },
        ],
      },
      ["x", "1.1.1.1:80,[::1]:80,1.1.1.1:81 + 1 more...", "60m"],
    ],
    [
      "endpoint slice",
      resource("endpointslices", "discovery.k8s.io"),
      { addressType: "IPv4", ports: [{}, { port: 80 }], endpoints: [] },
      ["x", "IPv4", "*,80", "<unset>", "60m"],
    ],
    [
      "node",
      resource("nodes"),
      {
        metadata: {
          labels: {
            "node-role.kubernetes.io/worker": "",
            "node-role.kubernetes.io/control-plane": "",
            "kubernetes.io/role": "worker",
          },
        },
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: "Ready", status: "Unknown" }],
          nodeInfo: { kubeletVersion: "v1.36.0", osImage: "Debian" },
          addresses: [{ type: "InternalIP", address: "10.1.1.1" }],
        },
      },
      [
        "x",
        "NotReady,SchedulingDisabled",
        "control-plane,worker",
        "60m",
        "v1.36.0",
        "10.1.1.1",
        "<none>",
        "Debian",
        "<unknown>",
        "<unknown>",
      ],
    ],
    [
      "event of the core group",
      resource("events"),
      {
        involvedObject: { kind: "Pod", name: "p", fieldPath: "spec.containers{c}" },
        reason: "Started",
        type: "Normal",
        message: " Started it\n",
        source: { component: "kubelet", host: "n1" },
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:59:00Z",
        count: 5,
      },
      [
        "60s",
        "Normal",
        "Started",
        "pod/p",
        "spec.containers{c}",
        "kubelet, n1",
        "Started it",
        "60m",
        5,
        "x",
      ],
    ],
    [
      "event of events.k8s.io",
      resource("events", "events.k8s.io"),
      {
        regarding: { kind: "Node", name: "n" },
        reason: "R",
        type: "Warning",
        note: "n",
        reportingController: "me",
        eventTime: "2026-01-01T00:30:00.000000Z",
        series: { count: 9, lastObservedTime: "2026-01-01T00:59:30.000000Z" },
      },
      ["30s", "Warning", "R", "node/n", "", "me", "n", "30m", 9, "x"],
    ],
    [
      "bound claim",
      resource("persistentvolumeclaims"),
      {
        spec: { volumeName: "pv1", storageClassName: "fast", volumeMode: "Block" },
        status: {
          phase: "Bound",
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteMany", "ReadWriteOnce"],
        },
      },
      ["x", "Bound", "pv1", "1Gi", "RWO,RWX", "fast", "<unset>", "60m", "Block"],
    ],
    [
      "pending claim",
      resource("persistentvolumeclaims"),
      { status: { phase: "Pending", accessModes: ["ReadWriteOnce"] } },
      ["x", "Pending", "", "", "", "", "<unset>", "60m", "<unset>"],
    ],
    [
      "autoscaler v2",
      resource("horizontalpodautoscalers", "autoscaling", "v2"),
      {
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "web" },
          maxReplicas: 9,
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { averageUtilization: 80 } } },
            { type: "Resource", resource: { name: "memory", target: { averageValue: "200Mi" } } },
            { type: "Pods", pods: { target: { averageValue: "5" } } },
          ],
        },
        status: {
          currentReplicas: 2,
          currentMetrics: [
            { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 10 } } },
          ],
        },
      },
      [
        "x",
        "Deployment/web",
        "cpu: 10%/80%, memory: <unknown>/200Mi + 1 more...",
        "<unset>",
        9,
        2,
        "60m",
      ],
    ],
    [
      "autoscaler v1",
      resource("horizontalpodautoscalers", "autoscaling", "v1"),
      {
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "web" },
          minReplicas: 1,
          maxReplicas: 2,
          targetCPUUtilizationPercentage: 80,
        },
      },
      ["x", "Deployment/web", "cpu: <unknown>/80%", "1", 2, 0, "60m"],
    ],
    [
      "quota",
      resource("resourcequotas"),
      { status: { hard: { pods: "10", "limits.cpu": "4", cpu: "2" }, used: { pods: "1" } } },
      ["x", "cpu: 0/2, pods: 1/10", "limits.cpu: 0/4", "60m"],
    ],
    [
      "role binding",
      resource("rolebindings", "rbac.authorization.k8s.io"),
      {
        roleRef: { kind: "ClusterRole", name: "view" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "ServiceAccount", name: "s", namespace: "n" },
          { kind: "User", name: "v" },
        ],
      },
      ["x", "ClusterRole/view", "60m", "u, v", "", "n/s"],
    ],
    [
      "role, by the default columns",
      resource("roles", "rbac.authorization.k8s.io"),
      { rules: [] },
      ["x", "2026-01-01T00:00:00Z"],
    ],
    [
      "controller revision",
      resource("controllerrevisions", "apps"),
      {
        metadata: {
          ownerReferences: [
            { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "u", controller: true },
          ],
        },
        revision: 4,
      },
      ["x", "statefulset.apps/web", 4, "60m"],
    ],
    [
      "signing request",
      resource("certificatesigningrequests", "certificates.k8s.io"),
      {
        spec: { signerName: "s", username: "u", expirationSeconds: 3600 },
        status: { conditions: [{ type: "Approved", status: "True" }], certificate: "Yg==" },
      },
      ["x", "60m", "s", "u", "60m", "Approved,Issued"],
    ],
    [
      "default storage class",
      resource("storageclasses", "storage.k8s.io"),
      {
        metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        provisioner: "p",
      },
      ["x (default)", "p", "Delete", "Immediate", false, "60m"],
    ],
    [
      "disruption budget",
      resource("poddisruptionbudgets", "policy"),
      { spec: { minAvailable: 0 }, status: { disruptionsAllowed: 2 } },
      ["x", "0", "N/A", 2, "60m"],
    ],
  ])("%s", (_name, of, object, expected) => {
    expect(cells(of, object)).toEqual(expected);
  });
});
