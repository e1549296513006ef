import { describe, expect, it } from "vitest";
import type { EndpointSubset } from "../../api/types/core-v1.ts";
import { type Reached, repack, truncate } from "./repack.ts";

const port = (number: number, name = "") => ({ name, port: number, protocol: "TCP" });

function reached(ip: string, ready: boolean, ...ports: number[]): Reached {
  return { address: { ip }, ready, ports: ports.map((one) => port(one, `p${one}`)) };
}

describe("repack", () => {
  it("puts addresses with the same ports together, sorted", () => {
    const subsets = repack([
      reached("10.0.0.2", true, 80, 81),
      reached("10.0.0.1", true, 81, 80),
      reached("10.0.0.3", false, 80, 81),
      reached("10.0.0.4", true, 90),
    ]);
    expect(subsets).toEqual([
      {
        addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }],
        notReadyAddresses: [{ ip: "10.0.0.3" }],
        ports: [port(80, "p80"), port(81, "p81")],
      },
      { addresses: [{ ip: "10.0.0.4" }], ports: [port(90, "p90")] },
    ]);
  });

  it("leaves out the name of the only port, and ports where there are none", () => {
    const address = { ip: "10.0.0.1" };
    expect(repack([{ address, ready: true, ports: [port(80)] }])).toEqual([
      { addresses: [address], ports: [{ port: 80, protocol: "TCP" }] },
    ]);
    expect(repack([{ address, ready: true, ports: [] }])).toEqual([{ addresses: [address] }]);
  });
});

describe("truncate", () => {
  const subset = (ready: number, unready: number): EndpointSubset => ({
    addresses: Array.from({ length: ready }, (_, i) => ({ ip: `10.0.0.${i}` })),
    notReadyAddresses: Array.from({ length: unready }, (_, i) => ({ ip: `10.0.1.${i}` })),
  });
  const sizes = (subsets: EndpointSubset[] | undefined) =>
    subsets?.map(({ addresses = [], notReadyAddresses = [] }) => [
      addresses.length,
      notReadyAddresses.length,
    ]);

  it.each<[string, EndpointSubset[], number[][] | undefined]>([
    ["nothing when all fit", [subset(6, 4)], undefined],
    ["first those that are not ready", [subset(6, 6)], [[6, 4]]],
    [
      "each subset's share",
      [subset(2, 12), subset(2, 4)],
      [
        [2, 5],
        [2, 1],
      ],
    ],
    [
      "all that are not ready, then ready ones",
      [subset(8, 3), subset(8, 3)],
      [
        [5, 0],
        [5, 0],
      ],
    ],
    ["subsets that have nothing left", [subset(10, 0), subset(0, 5)], [[10, 0]]],
  ])("cuts off %s", (_, subsets, expected) => {
    expect(sizes(truncate(subsets, 10))).toEqual(expected);
  });
});
