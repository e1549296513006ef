import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNodeHost } from "../../../host/node/node-host.ts";
import type { StatusError } from "../../../api/meta/errors.ts";
import type { ServiceSpec } from "../../../api/types/core-v1.ts";
import { TestRegistries, type TestRegistry } from "../../registries.testbed.ts";
import { encodeUtf8 } from "../../../std/utf8.ts";
import { addressBand, formatAddress, parseAddress, parseAddressRange } from "./address-range.ts";

const host = createNodeHost("silent", () => undefined);
const options = {
  serviceClusterIpRange: "10.0.0.0/28",
  serviceNodePortRange: { first: 30_000, last: 30_005 },
};
let all: TestRegistries;
let services: TestRegistry;
let addresses: TestRegistry;

beforeEach(async () => {
  all = await TestRegistries.open(host, options);
  services = all.of("", "services");
  addresses = all.of("networking.k8s.io", "ipaddresses");
});
afterEach(() => all.close());

const create = async (
  name: string,
  spec: object = {},
  namespace = "default",
): Promise<ServiceSpec> => {
  const object = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
  return (await services.create(object, { namespace }))["spec"] as ServiceSpec;
};

/** Every claim in the store: `10.0.0.9`, `30001`. */
async function claims(): Promise<string[]> {
  const ranges = await Promise.all(
    ["/registry/ipaddresses/", "/registry/ranges/servicenodeports/"].map((start) =>
      all.store.range({ start, end: `${start.slice(0, -1)}0` }),
    ),
  );
  const kvs = ranges.flatMap((range) => (range.kind === "Range" ? range.kvs : []));
  return kvs.map(({ key }) => key.split("/").at(-1)!);
}

async function message(run: Promise<unknown>): Promise<string> {
  try {
    await run;
  } catch (error) {
    return (error as StatusError).status.message ?? "";
  }
  throw new Error("nothing was thrown");
}

describe("cluster IPs", () => {
  test("are given from the range, each once, until there are no more", async () => {
    const names = Array.from({ length: 14 }, (_, i) => `s${i}`);
    const specs = await Promise.all(names.map((name) => create(name)));
    const given = new Set(specs.map(({ clusterIP }) => clusterIP));
    expect(given.size).toBe(14);
    expect(given.has("10.0.0.0") || given.has("10.0.0.15")).toBe(false);
    expect(specs[0]).toMatchObject({
      clusterIPs: [specs[0]!.clusterIP],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
    });
    expect(await message(create("late"))).toBe(
      "Internal error occurred: failed to allocate a serviceIP: range is full",
    );
    await services.delete("s3");
    expect((await create("late")).clusterIP).toBe(specs[3]!.clusterIP);
  });

  test("may be asked for, when free and in range", async () => {
    expect((await create("a", { clusterIP: "10.0.0.9" })).clusterIPs).toEqual(["10.0.0.9"]);
    expect(await message(create("b", { clusterIP: "10.0.0.9" }))).toBe(
      'Service "b" is invalid: spec.clusterIPs[0]: Invalid value: "10.0.0.9": failed to allocate IP 10.0.0.9: provided IP is already allocated',
    );
    expect(await message(create("b", { clusterIP: "10.1.0.9" }))).toBe(
      'Service "b" is invalid: spec.clusterIPs[0]: Invalid value: "10.1.0.9": failed to allocate IP 10.1.0.9: the provided IP (10.1.0.9) is not in the valid range. The range of valid IPs is 10.0.0.0/28',
    );
    expect(await message(create("a", { clusterIP: "10.0.0.9" }, "other"))).toContain(
      "already allocated",
    );
  });

  test("are free again as soon as the service is gone, and after a failed write", async () => {
    const { clusterIP } = await create("a");
    await services.delete("a");
    expect((await create("b", { clusterIP })).clusterIP).toBe(clusterIP);
    const free = "10.0.0.14" === clusterIP ? "10.0.0.13" : "10.0.0.14";
    expect(await message(create("b", { clusterIP: free }))).toContain("already exists");
    expect((await create("c", { clusterIP: free })).clusterIP).toBe(free);
  });

  test("of headless and external services are none", async () => {
    expect(await create("a", { clusterIP: "None" })).toMatchObject({
      clusterIP: "None",
      clusterIPs: ["None"],
    });
    const external = await create("b", { type: "ExternalName", externalName: "x.io", ports: [] });
    expect(external.clusterIP).toBeUndefined();
  });

  test("stay when an update leaves them out, and go with the type", async () => {
    const { clusterIP } = await create("a");
    const put = await services.put({ metadata: { name: "a" }, spec: { ports: [{ port: 81 }] } });
    expect(put["spec"]).toMatchObject({ clusterIP, clusterIPs: [clusterIP] });
    const external = await services.patch("a", (found) => {
      Object.assign(found["spec"] as ServiceSpec, { type: "ExternalName", externalName: "x.io" });
    });
    expect((external["spec"] as ServiceSpec).clusterIP).toBeUndefined();
    const back = await services.patch("a", (found) => {
      const spec = found["spec"] as ServiceSpec;
      spec.type = "ClusterIP";
      delete spec.externalName;
    });
    expect((back["spec"] as ServiceSpec).clusterIP).toMatch(/^10\.0\.0\.\d+$/);
  });

  test("are not used up by dryRun", async () => {
    const object = {
      metadata: { name: "a" },
      spec: { ports: [{ port: 80 }], clusterIP: "10.0.0.9" },
    };
    await services.create(object, { dryRun: true });
    expect((await create("b", { clusterIP: "10.0.0.9" })).clusterIP).toBe("10.0.0.9");
  });
});

describe("node ports", () => {
  const ports = ({ ports: list = [] }: ServiceSpec): (number | undefined)[] =>
    list.map(({ nodePort }) => nodePort);

  test("are given from the range, each once, until there are no more", async () => {
    const given: (number | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      given.push(
        ...ports(
          await create(`s${i}`, {
            type: "NodePort",
            ports: [
              { port: 1, name: "a" },
              { port: 2, name: "b" },
            ],
          }),
        ),
      );
    }
    expect(new Set(given)).toEqual(new Set([30_000, 30_001, 30_002, 30_003, 30_004, 30_005]));
    expect(await message(create("late", { type: "NodePort" }))).toBe(
      "Internal error occurred: failed to allocate a nodePort: range is full",
    );
  });

  test("may be asked for, when free and in range", async () => {
    const asking = (nodePort: number): object => ({
      type: "NodePort",
      ports: [{ port: 80, nodePort }],
    });
    expect(ports(await create("a", asking(30_003)))).toEqual([30_003]);
    expect(await message(create("b", asking(30_003)))).toBe(
      'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30003: provided port is already allocated',
    );
    expect(await message(create("b", asking(80)))).toBe(
      'Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-30005',
    );
  });

  test("are shared by two protocols of one port", async () => {
    const both = [
      { port: 53, protocol: "TCP", name: "t" },
      { port: 53, protocol: "UDP", name: "u" },
    ];
    const [tcp, udp] = ports(await create("dns", { type: "NodePort", ports: both }));
    expect(tcp).toBe(udp);
  });

  test("stay by name when an update leaves them out, and go with the type", async () => {
    const before = ports(await create("a", { type: "NodePort", ports: [{ port: 80, name: "x" }] }));
    const put = await services.put({
      metadata: { name: "a" },
      spec: { type: "NodePort", ports: [{ port: 81, name: "x" }] },
    });
    expect(ports(put["spec"] as ServiceSpec)).toEqual(before);
    const plain = await services.patch("a", (found) => {
      (found["spec"] as ServiceSpec).type = "ClusterIP";
    });
    expect(ports(plain["spec"] as ServiceSpec)).toEqual([undefined]);
    expect(plain["spec"]).not.toHaveProperty("externalTrafficPolicy");
  });

  test("serve health checks of load balancers with local traffic", async () => {
    const spec = await create("a", { type: "LoadBalancer", externalTrafficPolicy: "Local" });
    expect(spec.healthCheckNodePort).toBeGreaterThanOrEqual(30_000);
    expect(spec.healthCheckNodePort).not.toBe(ports(spec)[0]);
  });
});

describe("claims", () => {
  const nodePort = {
    type: "NodePort",
    clusterIP: "10.0.0.9",
    ports: [{ port: 80, nodePort: 30_001 }],
  };

  test("stand at the Service's own revision, and look as upstream's", async () => {
    await create("web", nodePort);
    const service = await all.stored("/registry/services/specs/default/web");
    const port = await all.stored("/registry/ranges/servicenodeports/30001");
    const address = await all.stored("/registry/ipaddresses/10.0.0.9");
    expect(new TextDecoder().decode(port?.value)).toBe("default/web");
    expect([port?.modRevision, address?.modRevision]).toEqual(Array(2).fill(service?.modRevision));
    expect(await addresses.get("10.0.0.9")).toEqual({
      kind: "IPAddress",
      apiVersion: "networking.k8s.io/v1",
      metadata: {
        name: "10.0.0.9",
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: String(service?.modRevision),
        creationTimestamp: "2026-01-02T03:04:05Z",
        labels: {
          "ipaddress.kubernetes.io/ip-family": "IPv4",
          "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
        },
      },
      spec: { parentRef: { resource: "services", namespace: "default", name: "web" } },
    });
  });

  test("follow the type and go with the Service, also when a finalizer kept it", async () => {
    await create("web", nodePort);
    await services.patch("web", (found) => {
      found.metadata.finalizers = ["example.com/balancer"];
      (found["spec"] as ServiceSpec).type = "ClusterIP";
    });
    expect(await claims()).toEqual(["10.0.0.9"]);
    await services.patch("web", (found) => {
      Object.assign(found["spec"] as ServiceSpec, { type: "ExternalName", externalName: "x.io" });
    });
    expect(await claims()).toEqual([]);
    await services.put({
      metadata: { name: "web", finalizers: ["example.com/a"] },
      spec: nodePort,
    });
    expect(await claims()).toEqual(["10.0.0.9", "30001"]);
    await services.delete("web");
    expect(await claims()).toEqual(["10.0.0.9", "30001"]);
    await services.patch("web", (found) => delete found.metadata.finalizers);
    expect(await claims()).toEqual([]);
  });

  test("are not made by dryRun or a refused write, nor given back by them", async () => {
    const object = { metadata: { name: "web" }, spec: { type: "NodePort", ports: [{ port: 80 }] } };
    await services.create(object, { dryRun: true });
    expect(await claims()).toEqual([]);
    await create("web", nodePort);
    await services.delete("web", {}, { dryRun: true });
    expect(await message(create("web", { type: "NodePort" }))).toContain("already exists");
    const taken = create("two", { ...nodePort, clusterIP: "10.0.0.10" });
    expect(await message(taken)).toContain("provided port is already allocated");
    expect(await claims()).toEqual(["10.0.0.9", "30001"]);
  });

  test("of others stay, whoever believed to have them", async () => {
    await create("old", { clusterIP: "10.0.0.9" });
    await addresses.delete("10.0.0.9");
    await create("new", { clusterIP: "10.0.0.9" });
    await services.delete("old");
    expect((await addresses.get("10.0.0.9"))["spec"]).toMatchObject({ parentRef: { name: "new" } });
  });

  test("are made at the start for Services that have none", async () => {
    const value = (name: string, clusterIP: string): Uint8Array =>
      encodeUtf8(
        JSON.stringify({
          kind: "Service",
          apiVersion: "v1",
          metadata: { name, namespace: "default", uid: `uid-${name}` },
          spec: {
            type: "NodePort",
            clusterIP,
            clusterIPs: [clusterIP],
            ports: [{ nodePort: 30_002 }],
          },
        }),
      );
    const put = (name: string, clusterIP: string) =>
      ({
        kind: "Put",
        key: `/registry/services/specs/default/${name}`,
        value: value(name, clusterIP),
      }) as const;
    await all.store.transact({
      compare: [],
      success: [put("a", "10.0.0.5"), put("b", "10.0.0.6")],
      failure: [],
    });
    await services.get("b");
    await all.registries.repair();
    expect(await claims()).toEqual(["10.0.0.5", "10.0.0.6", "30002"]);
    const { store } = all;
    const revision = await store.currentRevision();
    await all.registries.repair();
    expect(await store.currentRevision()).toBe(revision);
  });
});

describe("two servers on one store", () => {
  let other: TestRegistries;

  beforeEach(async () => {
    other = await TestRegistries.open(host, options, () => all.store);
  });
  afterEach(() => other.close());

  const createOn = async (
    server: TestRegistries,
    name: string,
    spec: object,
  ): Promise<ServiceSpec> =>
    (
      await server.of("", "services").create({
        metadata: { name },
        spec: { ports: [{ port: 80 }], ...spec },
      })
    )["spec"] as ServiceSpec;

  test("share the whole range without giving anything twice", async () => {
    const specs = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        createOn(i % 2 ? all : other, `s${i}`, i < 6 ? { type: "NodePort" } : {}),
      ),
    );
    expect(new Set(specs.map(({ clusterIP }) => clusterIP)).size).toBe(14);
    expect(new Set(specs.slice(0, 6).map(({ ports }) => ports?.[0]?.nodePort)).size).toBe(6);
    expect(await claims()).toHaveLength(20);
  });

  test.each([
    [
      { clusterIP: "10.0.0.9" },
      'spec.clusterIPs[0]: Invalid value: "10.0.0.9": failed to allocate IP 10.0.0.9: provided IP is already allocated',
    ],
    [
      { type: "NodePort", ports: [{ port: 80, nodePort: 30_003 }] },
      "spec.ports[0].nodePort: Invalid value: 30003: provided port is already allocated",
    ],
  ])("give what both are asked for to one: %o", async (spec, refusal) => {
    const both = await Promise.allSettled([createOn(all, "a", spec), createOn(other, "b", spec)]);
    const refusals = both.flatMap((one) =>
      one.status === "rejected" ? [(one.reason as StatusError).status.message] : [],
    );
    expect(refusals).toHaveLength(1);
    expect(refusals[0]).toMatch(/^Service "[ab]" is invalid: /);
    expect(refusals[0]).toContain(refusal);
  });

  test("judge updates that race by what the store holds", async () => {
    await createOn(all, "a", { type: "NodePort" });
    await createOn(all, "b", { type: "NodePort" });
    const taken = new Set(await claims());
    const nodePort = [30_000, 30_001, 30_002].find((port) => !taken.has(String(port)))!;
    const move = (server: TestRegistries, name: string): Promise<unknown> =>
      server.of("", "services").patch(name, (found) => {
        (found["spec"] as ServiceSpec).ports![0]!.nodePort = nodePort;
      });
    const both = await Promise.allSettled([move(all, "a"), move(other, "b")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await claims()).toHaveLength(4);
    expect(await claims()).toContain(String(nodePort));
  });
});

test("addresses are numbers and text", () => {
  expect(parseAddress("10.96.0.1")).toBe(174_063_617);
  expect(formatAddress(174_063_617)).toBe("10.96.0.1");
  for (const bad of ["10.0.0", "10.0.0.256", "010.0.0.1", "a", "::1"])
    expect(parseAddress(bad)).toBeUndefined();
  expect(parseAddressRange("10.96.5.0/16")).toEqual({
    cidr: "10.96.5.0/16",
    first: 174_063_617,
    size: 65_534,
  });
  expect(() => parseAddressRange("10.0.0.0/31")).toThrow("not an IPv4 network: 10.0.0.0/31");
  expect([14, 254, 65_534].map((size) => addressBand(size))).toEqual([0, 16, 256]);
});
