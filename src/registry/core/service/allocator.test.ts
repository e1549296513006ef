import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNodeHost } from "../../../host/node/node-host.ts";
import type { StatusError } from "../../../api/meta/errors.ts";
import type { ServiceSpec } from "../../../api/types/core-v1.ts";
import { TestRegistries, type TestRegistry } from "../../test-registries.ts";
import { addressBand, formatAddress, parseAddress, parseAddressRange } from "./address-range.ts";

const host = createNodeHost("silent", () => undefined);
let all: TestRegistries;
let services: TestRegistry;

beforeEach(async () => {
  all = await TestRegistries.open(host, {
    serviceClusterIpRange: "10.0.0.0/28",
    serviceNodePortRange: { first: 30_000, last: 30_005 },
  });
  services = all.of("", "services");
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
