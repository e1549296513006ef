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
