import { expect, it } from "vitest";
import { PodAddresses } from "./pod-addresses.ts";

it("gives each address of the range once, and the longest free again", () => {
  const addresses = new PodAddresses({ metadata: {}, spec: { podCIDR: "10.129.7.0/24" } });
  const all = Array.from({ length: 254 }, () => addresses.take());
  expect([all[0], all[253], new Set(all).size]).toEqual(["10.129.7.1", "10.129.7.254", 254]);
  expect(addresses.take()).toBe("");
  addresses.giveBack("10.129.7.9");
  addresses.giveBack("10.129.7.3");
  expect([addresses.take(), addresses.take(), addresses.take()]).toEqual([
    "10.129.7.9",
    "10.129.7.3",
    "",
  ]);
});

it("gives no address to two that a pod has since before", () => {
  const addresses = new PodAddresses({ metadata: {}, spec: { podCIDR: "10.129.7.0/24" } });
  expect(
    ["10.129.7.1", "10.129.7.3", "10.129.7.3"].map((address) => addresses.claim(address)),
  ).toEqual([true, true, false]);
  expect([addresses.take(), addresses.take()]).toEqual(["10.129.7.2", "10.129.7.4"]);
  addresses.giveBack("10.129.7.3");
  const rest = Array.from({ length: 252 }, () => addresses.take());
  expect([new Set(rest).size, rest.at(-2), rest.at(-1)]).toEqual([252, "10.129.7.3", ""]);
});

it("keeps addresses of other ranges out of its own", () => {
  const addresses = new PodAddresses({ metadata: {}, spec: { podCIDR: "10.129.7.0/24" } });
  expect(addresses.claim("10.200.0.1")).toBe(true);
  addresses.giveBack("10.200.0.1");
  const all = Array.from({ length: 255 }, () => addresses.take());
  expect(all.at(-1)).toBe("");
});
