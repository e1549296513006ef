import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Pod, Service } from "../../api/types/core-v1.ts";
import type { EndpointSlice } from "../../api/types/discovery-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { type ServiceView, type SlicePlan, planSlices } from "./plan.ts";
import { endpointSliceProfile } from "./profile.ts";

const namespace = "ns";
const { endpointsPerSliceMax } = endpointSliceProfile;
const stored = { uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

function service(spec: Service["spec"] = {}, labels: Record<string, string> = {}): Served<Service> {
  const selector = { app: "web" };
  const ports = [{ name: "http", port: 80, targetPort: "web", protocol: "TCP" }];
  return {
    metadata: { ...stored, name: "web", namespace, labels },
    spec: { selector, ports, clusterIP: "10.96.0.9", ipFamilies: ["IPv4"], ...spec },
  };
}

function pod(index: number, options: Partial<PodOptions> = {}): Served<Pod> {
  const { ready = true, port = 8080, deleted = false, ips = [ipOf(index)], phase } = options;
  const name = `p${index}`;
  const deletion = deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  return {
    metadata: { ...stored, uid: name, name, namespace, ...deletion },
    spec: {
      nodeName: options.nodeName ?? "n1",
      containers: [{ name: "c", ports: [{ name: "web", containerPort: port }] }],
    },
    status: {
      phase: phase ?? "Running",
      podIPs: ips.map((ip) => ({ ip })),
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  };
}

interface PodOptions {
  readonly ready: boolean;
  readonly port: number;
  readonly deleted: boolean;
  readonly ips: string[];
  readonly phase: string;
  readonly nodeName: string;
}

function ipOf(index: number): string {
  return `10.0.${index >> 8}.${index & 255}`;
}

function view(
  of: Served<Service>,
  pods: readonly Served<Pod>[],
  slices: readonly Served<EndpointSlice>[] = [],
): ServiceView {
  const n1 = { metadata: { name: "n1", labels: { "topology.kubernetes.io/zone": "z" } } };
  return {
    service: of,
    pods,
    slices,
    findNode: (name) => (name === "n1" ? n1 : undefined),
    triggerTime: undefined,
  };
}

let writes = 0;

/** The slices after the plan was carried out. */
function after(slices: readonly Served<EndpointSlice>[], plan: SlicePlan): Served<EndpointSlice>[] {
  const written = [...plan.create, ...plan.update].map(writtenSlice);
  const gone = new Set([...plan.delete, ...written].map(({ metadata }) => metadata.name));
  return [...slices.filter(({ metadata }) => !gone.has(metadata.name)), ...written];
}

function writtenSlice(slice: EndpointSlice): Served<EndpointSlice> {
  writes++;
  const name = slice.metadata.name ?? `web-${writes}`;
  return { ...slice, metadata: { ...slice.metadata, ...stored, name, uid: name } };
}

function conditionsOf(plan: SlicePlan): unknown[] {
  return [...plan.create, ...plan.update].flatMap(({ endpoints = [] }) =>
    endpoints.map(({ targetRef, conditions }) => [targetRef?.name, conditions]),
  );
}

describe("planSlices", () => {
  it("tells the state of each pod that has an address", () => {
    const pods = [
      pod(1),
      pod(2, { ready: false }),
      pod(3, { deleted: true }),
      pod(4, { phase: "Succeeded" }),
      pod(5, { ips: [] }),
      pod(6, { nodeName: "gone" }),
    ];
    expect(conditionsOf(planSlices(view(service(), pods)))).toEqual([
      ["p1", { ready: true, serving: true, terminating: false }],
      ["p2", { ready: false, serving: false, terminating: false }],
      ["p3", { ready: false, serving: true, terminating: true }],
    ]);
    const tolerant = service({ publishNotReadyAddresses: true });
    expect(conditionsOf(planSlices(view(tolerant, [pods[1]!, pods[2]!, pods[5]!])))).toEqual([
      ["p2", { ready: true, serving: false, terminating: false }],
      ["p3", { ready: true, serving: true, terminating: true }],
      ["p6", { ready: true, serving: true, terminating: false }],
    ]);
  });

  it("makes a slice that says whose it is and where its endpoints are", () => {
    const of = service({ clusterIP: "None" }, { team: "x" });
    expect(planSlices(view(of, [pod(1)])).create).toEqual([
      {
        metadata: {
          generateName: "web-",
          namespace,
          labels: {
            team: "x",
            "service.kubernetes.io/headless": "",
            "kubernetes.io/service-name": "web",
            "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
          },
          ownerReferences: [
            {
              apiVersion: "v1",
              kind: "Service",
              name: "web",
              uid: "u",
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        addressType: "IPv4",
        endpoints: [
          {
            addresses: ["10.0.0.1"],
            conditions: { ready: true, serving: true, terminating: false },
            targetRef: { kind: "Pod", namespace, name: "p1", uid: "p1" },
            nodeName: "n1",
            zone: "z",
          },
        ],
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      },
    ]);
  });

  it.each([
    ["one for each number that a named port means", [pod(1), pod(2, { port: 9090 })], {}, 2],
    [
      "one for each family",
      [pod(1, { ips: ["10.0.0.1", "fd00::1"] })],
      { ipFamilies: ["IPv4", "IPv6"] },
      2,
    ],
    ["one without endpoints for no pods", [], {}, 1],
  ])("makes slices: %s", (_, pods, spec, count) => {
    expect(planSlices(view(service(spec), pods)).create).toHaveLength(count);
  });

  it("turns the slice that says there is nothing into the first that says something", () => {
    const empty = after([], planSlices(view(service(), [])));
    expect(planSlices(view(service(), [], empty))).toEqual({ create: [], update: [], delete: [] });
    const plan = planSlices(view(service(), [pod(1)], empty));
    expect([plan.create, plan.delete]).toEqual([[], []]);
    expect(plan.update.map(({ metadata }) => metadata.name)).toEqual([empty[0]!.metadata.name]);
  });

  it("fills a slice that has room before it makes another", () => {
    const many = Array.from({ length: 150 }, (_, i) => pod(i));
    const slices = after([], planSlices(view(service(), many)));
    expect(slices.map(({ endpoints }) => endpoints?.length)).toEqual([100, 50]);
    const plan = planSlices(view(service(), [...many, pod(150)], slices));
    expect([plan.create, plan.delete]).toEqual([[], []]);
    expect(plan.update.map(({ endpoints }) => endpoints?.length)).toEqual([51]);
  });

  it("comes to rest with every pod in just one slice, none too large", () => {
    const podSet = fc.uniqueArray(
      fc.record({
        index: fc.nat(400),
        ready: fc.boolean(),
        port: fc.constantFrom(8080, 8080, 8080, 9090),
      }),
      { selector: ({ index }) => index, maxLength: 300, size: "max" },
    );
    fc.assert(
      fc.property(fc.array(podSet, { minLength: 1, maxLength: 5 }), (rounds) => {
        let slices: Served<EndpointSlice>[] = [];
        for (const round of rounds) {
          const pods = round.map(({ index, ...options }) => pod(index, options));
          slices = after(slices, planSlices(view(service(), pods, slices)));
          const names = slices.flatMap(({ endpoints = [] }) =>
            endpoints.map(({ targetRef }) => targetRef?.name),
          );
          expect(names.toSorted()).toEqual(pods.map(({ metadata }) => metadata.name).toSorted());
          for (const { endpoints = [] } of slices)
            expect(endpoints.length).toBeLessThanOrEqual(endpointsPerSliceMax);
          const again = planSlices(view(service(), pods, slices));
          expect(again).toEqual({ create: [], update: [], delete: [] });
        }
      }),
      { numRuns: 50 },
    );
  });
});
