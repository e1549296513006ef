import { describe, expect, it } from "vitest";
import { changesOf } from "./node-command.ts";

describe("a deed to a node", () => {
  const now = new Date("2026-01-01T00:00:00Z");
  it.each([
    ["kill", { "wavetank.dev/power": "off" }],
    ["cut", { "wavetank.dev/network": "cut" }],
    [
      "restart",
      {
        "wavetank.dev/power": null,
        "wavetank.dev/network": null,
        "wavetank.dev/reboot": "2026-01-01T00:00:00.000Z",
      },
    ],
  ] as const)("%s is said by annotations", (deed, changes) => {
    expect(changesOf(deed, now)).toEqual(changes);
  });
});
