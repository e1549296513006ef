import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../api/object.ts";
import type {
  ContainerState,
  ContainerStatus,
  PodSpec,
  PodStatus,
} from "../../../api/types/core-v1.ts";
import { podPrinter } from "./columns.ts";

const now = Date.parse("2026-01-01T01:00:00Z");

function pod(spec: Partial<PodSpec>, status: PodStatus, metadata = {}): KubeObject {
  return {
    metadata: { name: "p", creationTimestamp: "2026-01-01T00:00:00Z", ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
    status,
  };
}

function container(state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state, ...more };
}

function shown(object: KubeObject): string {
  return podPrinter.cells(object, now).slice(1, 4).join(" | ");
}

const running = { running: { startedAt: "2026-01-01T00:00:00Z" } };
const two = { containers: [{ name: "c" }, { name: "d" }] };
const done = { terminated: { exitCode: 0, reason: "Completed" } };
const init = { initContainers: [{ name: "i0" }, { name: "i1" }] };
const sidecar = { initContainers: [{ name: "s", restartPolicy: "Always" }] };

describe("ready, status and restarts", () => {
  test.each<[string, KubeObject, string]>([
    ["new", pod({}, { phase: "Pending" }), "0/1 | Pending | 0"],
    [
      "gated",
      pod(
        {},
        {
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
        },
      ),
      "0/1 | SchedulingGated | 0",
    ],
    ["evicted", pod({}, { phase: "Failed", reason: "Evicted" }), "0/1 | Evicted | 0"],
    [
      "running",
      pod({}, { phase: "Running", containerStatuses: [container(running, { ready: true })] }),
      "1/1 | Running | 0",
    ],
    [
      "waiting",
      pod(
        {},
        {
          phase: "Pending",
          containerStatuses: [container({ waiting: { reason: "ImagePullBackOff" } })],
        },
      ),
      "0/1 | ImagePullBackOff | 0",
    ],
    [
      "crashing, with the time of the last crash",
      pod(
        {},
        {
          phase: "Running",
          containerStatuses: [
            container(
              { waiting: { reason: "CrashLoopBackOff" } },
              {
                restartCount: 3,
                lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T00:55:00Z" } },
              },
            ),
          ],
        },
      ),
      "0/1 | CrashLoopBackOff | 3 (5m ago)",
    ],
    [
      "killed by a signal",
      pod(
        {},
        {
          phase: "Failed",
          containerStatuses: [container({ terminated: { exitCode: 137, signal: 9 } })],
        },
      ),
      "0/1 | Signal:9 | 0",
    ],
    [
      "exited without a reason",
      pod({}, { phase: "Failed", containerStatuses: [container({ terminated: { exitCode: 2 } })] }),
      "0/1 | ExitCode:2 | 0",
    ],
    [
      "the first container has the last word",
      pod(two, {
        phase: "Running",
        containerStatuses: [
          container({ waiting: { reason: "First" } }),
          container({ waiting: { reason: "Second" } }, { name: "d" }),
        ],
      }),
      "0/2 | First | 0",
    ],
    [
      "one container completed, the other runs and the pod is not ready",
      pod(two, {
        phase: "Running",
        containerStatuses: [container(done), container(running, { name: "d", ready: true })],
      }),
      "1/2 | NotReady | 0",
    ],
    [
      "one container completed, the pod is ready",
      pod(two, {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [container(done), container(running, { name: "d", ready: true })],
      }),
      "1/2 | Running | 0",
    ],
    [
      "second init container waits its turn",
      pod(init, {
        phase: "Pending",
        initContainerStatuses: [
          container(done, { name: "i0", restartCount: 2 }),
          container({ waiting: { reason: "PodInitializing" } }, { name: "i1" }),
        ],
      }),
      "0/1 | Init:1/2 | 2",
    ],
    [
      "init container failed",
      pod(init, {
        phase: "Pending",
        initContainerStatuses: [container({ terminated: { exitCode: 3 } }, { name: "i0" })],
      }),
      "0/1 | Init:ExitCode:3 | 0",
    ],
    [
      "init container cannot be pulled",
      pod(init, {
        phase: "Pending",
        initContainerStatuses: [container({ waiting: { reason: "ErrImagePull" } }, { name: "i0" })],
      }),
      "0/1 | Init:ErrImagePull | 0",
    ],
    [
      "sidecar counts as a container; init restarts are forgotten, a sidecar's are not",
      pod(
        { initContainers: [{ name: "i0" }, ...sidecar.initContainers] },
        {
          phase: "Running",
          initContainerStatuses: [
            container(done, { name: "i0", restartCount: 5 }),
            container(running, { name: "s", ready: true, started: true, restartCount: 1 }),
          ],
          containerStatuses: [container(running, { ready: true, restartCount: 1 })],
        },
      ),
      "2/2 | Running | 2",
    ],
    [
      "sidecar not started yet",
      pod(sidecar, {
        phase: "Pending",
        initContainerStatuses: [container(running, { name: "s", started: false })],
      }),
      "0/2 | Init:0/1 | 0",
    ],
    [
      "deleting",
      pod({}, { phase: "Running" }, { deletionTimestamp: "2026-01-01T01:00:00Z" }),
      "0/1 | Terminating | 0",
    ],
    [
      "deleting but finished",
      pod({}, { phase: "Succeeded" }, { deletionTimestamp: "2026-01-01T01:00:00Z" }),
      "0/1 | Succeeded | 0",
    ],
    [
      "deleting on a lost node",
      pod(
        {},
        { phase: "Running", reason: "NodeLost" },
        { deletionTimestamp: "2026-01-01T01:00:00Z" },
      ),
      "0/1 | Unknown | 0",
    ],
  ])("%s", (_name, object, text) => {
    expect(shown(object)).toBe(text);
  });
});

test("wide columns", () => {
  const object = pod(
    { nodeName: "n1", readinessGates: [{ conditionType: "g1" }, { conditionType: "g2" }] },
    {
      podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
      conditions: [{ type: "g1", status: "True" }],
    },
  );
  expect(podPrinter.cells(object, now).slice(4)).toEqual([
    "60m",
    "10.0.0.1",
    "n1",
    "<none>",
    "1/2",
  ]);
  expect(podPrinter.definitions.map(({ priority }) => priority)).toEqual([
    0, 0, 0, 0, 0, 1, 1, 1, 1,
  ]);
});

test("finished pods say so to the printer", () => {
  expect(podPrinter.conditions?.(pod({}, { phase: "Running" }))).toBeUndefined();
  expect(podPrinter.conditions?.(pod({}, { phase: "Succeeded" }))).toEqual([
    {
      type: "Completed",
      status: "True",
      reason: "Succeeded",
      message: "The pod has completed successfully.",
    },
  ]);
  expect(podPrinter.conditions?.(pod({}, { phase: "Failed" }))?.[0]?.message).toBe(
    "The pod failed.",
  );
});
