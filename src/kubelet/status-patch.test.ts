import { describe, expect, test } from "vitest";
import type { PodStatus } from "../api/types/core-v1.ts";
import { isSameOutline } from "./status-patch.ts";

const creating: PodStatus = {
  phase: "Pending",
  startTime: "2026-01-01T00:00:00Z",
  conditions: [{ type: "Ready", status: "False" }],
  containerStatuses: [
    {
      name: "app",
      image: "app",
      imageID: "",
      ready: false,
      restartCount: 0,
      state: { waiting: { reason: "ContainerCreating" } },
    },
  ],
};
const [container] = creating.containerStatuses!;

describe("two statuses have one outline", () => {
  test.each<[string, boolean, Partial<PodStatus>]>([
    ["when nothing differs", true, {}],
    ["when the pod has its address", true, { podIP: "10.1.0.1", podIPs: [{ ip: "10.1.0.1" }] }],
    ["when the image is there", true, { containerStatuses: [{ ...container!, imageID: "x" }] }],
    ["not when it runs", false, { phase: "Running" }],
    ["not when it failed for a reason", false, { reason: "Evicted" }],
    ["not when it is ready", false, { conditions: [{ type: "Ready", status: "True" }] }],
    [
      "not when a container is ready",
      false,
      { containerStatuses: [{ ...container!, ready: true }] },
    ],
    [
      "not when a container waits for something else",
      false,
      {
        containerStatuses: [
          { ...container!, state: { waiting: { reason: "ErrImagePull", message: "no" } } },
        ],
      },
    ],
    [
      "not when it was restarted",
      false,
      { containerStatuses: [{ ...container!, restartCount: 1 }] },
    ],
  ])("%s", (_, same, difference) => {
    expect(isSameOutline(creating, { ...creating, ...difference })).toBe(same);
  });

  test("not when nothing was told yet", () => {
    expect(isSameOutline({}, creating)).toBe(false);
    expect(isSameOutline(undefined, creating)).toBe(false);
  });
});
