import { describe, expect, it } from "vitest";
import type { ContainerStatus, PodStatus } from "../../api/types/core-v1.ts";
import { courseAtEnd, courseByPhase } from "./pod-course.ts";

const container = (rest: Partial<ContainerStatus>): ContainerStatus => ({
  name: "c",
  ready: false,
  restartCount: 0,
  image: "i",
  imageID: "",
  ...rest,
});

describe("the course of a pod", () => {
  it.each([
    ["Pending", false, "Waiting"],
    ["", false, "Waiting"],
    ["Unknown", false, "Waiting"],
    ["Running", false, "Ran"],
    ["Running", true, "Ran"],
    ["Succeeded", false, "Ran"],
    ["Pending", true, undefined],
    ["Failed", false, undefined],
  ])("phase %j, going %j: %j", (phase, isGoing, course) => {
    expect(courseByPhase(phase, isGoing)).toBe(course);
  });

  const startedAt = "2026-01-01T00:00:00Z";
  it.each<[string, PodStatus | undefined, string]>([
    ["no status", undefined, "Ended"],
    ["bound, never started", { conditions: [{ type: "PodScheduled", status: "True" }] }, "Ended"],
    ["refused by the kubelet", { phase: "Failed", reason: "OutOfcpu" }, "Ended"],
    [
      "image not pulled",
      { containerStatuses: [container({ state: { waiting: { reason: "ImagePullBackOff" } } })] },
      "Ended",
    ],
    [
      "a container nobody knows",
      {
        containerStatuses: [
          container({
            state: { terminated: { exitCode: 137, startedAt: null, finishedAt: null } },
          }),
        ],
      },
      "Ended",
    ],
    [
      "failed",
      { containerStatuses: [container({ state: { terminated: { exitCode: 1, startedAt } } })] },
      "Ran",
    ],
    ["restarted", { containerStatuses: [container({ restartCount: 1 })] }, "Ran"],
    [
      "an init container runs",
      { initContainerStatuses: [container({ state: { running: { startedAt } } })] },
      "Ran",
    ],
    ["ready", { conditions: [{ type: "Ready", status: "True" }] }, "Ran"],
  ])("at its end, %s", (_, status, course) => {
    expect(courseAtEnd(status)).toBe(course);
  });
});
