import { describe, expect, it } from "vitest";
import { changesOf } from "./node-command.ts";

describe("a deed to a node", () => {
  const now = new Date("2026-01-01T00:00:00Z");
  it.each([
    [{ do: "kill" }, { "wavetank.dev/power": "off" }],
    [{ do: "cut" }, { "wavetank.dev/network": "cut" }],
    [
      { do: "restart" },
      {
        "wavetank.dev/power": null,
        "wavetank.dev/network": null,
        "wavetank.dev/reboot": "2026-01-01T00:00:00.000Z",
      },
    ],
    [{ do: "late", seconds: 55 }, { "wavetank.dev/heartbeat-seconds": "55" }],
    [{ do: "late", seconds: 0 }, { "wavetank.dev/heartbeat-seconds": null }],
    [{ do: "skew", seconds: -30 }, { "wavetank.dev/clock-offset-seconds": "-30" }],
  ] as const)("%j is said by annotations", (deed, changes) => {
    expect(changesOf(deed, now)).toEqual(changes);
  });
});
