import { describe, expect, it } from "vitest";
import type { Container, Pod, PodSpec } from "../api/types/core-v1.ts";
import { advancePod, loseContainers, type PodStep } from "./plan.ts";
import { partsOf } from "./pod-part.ts";
import { type PodRuntime, freshRuntime, seenRuntime } from "./pod-runtime.ts";
import { phaseOf, podStatusOf } from "./pod-status.ts";
import { kubeletProfile } from "./profile.ts";

const t0 = Date.parse("2026-01-01T00:00:00Z");

function podOf(
  spec: Partial<PodSpec>,
  annotations: Record<string, string> = {},
  metadata: Partial<Pod["metadata"]> = {},
): Pod {
  const containers: Container[] = [{ name: "web", image: "nginx" }];
  return {
    metadata: {
      name: "p",
      namespace: "default",
      uid: "u",
      generation: 1,
      annotations,
      ...metadata,
    },
    spec: { containers, restartPolicy: "Always", ...spec },
  };
}

/** Steps at every time the plan asks for; a line for each state as kubectl would show it. */
function story(pod: Pod, untilMs: number, before: PodRuntime = freshRuntime(t0)): string[] {
  const lines: string[] = [];
  let runtime = before;
  let now = t0;
  for (let steps = 0; steps < 200; steps++) {
    const step: PodStep = advancePod(pod, runtime, {
      parts: partsOf(pod),
      now,
      profile: kubeletProfile,
      hasImage: () => false,
      mounted: true,
      configOf: () => ({ is: "ready" }),
      containerId: (name, run) => `${name}-${run}`,
    });
    runtime = step.runtime;
    const said = step.says.map(({ reason }) => reason).join(",");
    lines.push(`${(now - t0) / 1_000} ${stateText(pod, runtime, now)}${said && ` [${said}]`}`);
    if (step.over || step.wakeAt === undefined || step.wakeAt > t0 + untilMs) break;
    now = step.wakeAt;
  }
  return lines;
}

function stateText(pod: Pod, runtime: PodRuntime, now: number): string {
  const addresses = { hostIP: "1.1.1.1", podIP: "2.2.2.2" };
  const seen = seenRuntime(runtime, kubeletProfile.relistMs);
  const status = podStatusOf(pod, seen, { now, addresses, parts: partsOf(pod) });
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const states = all.map(({ name, state = {}, ready, restartCount }) => {
    const { waiting, running, terminated } = state;
    const word =
      waiting?.reason ?? (running ? "up" : `${terminated?.reason}(${terminated?.exitCode})`);
    return `${name}=${word}${ready ? "+" : ""}${restartCount > 0 ? `x${restartCount}` : ""}`;
  });
  return `${phaseOf(pod, seen, partsOf(pod))} ${states.join(" ")}`;
}

describe("a pod on its node", () => {
  it.each<[string, Pod, number, string[]]>([
    [
      "starts and stays",
      podOf({}),
      600_000,
      [
        "0 Pending web=ContainerCreating [Pulling]",
        "0.3 Pending web=ContainerCreating [Pulled,Created]",
        "0.5 Running web=up+ [Started]",
      ],
    ],
    [
      "gets ready late",
      podOf({}, { "wavetank.dev/ready-seconds": "5" }),
      600_000,
      [
        "0 Pending web=ContainerCreating [Pulling]",
        "0.3 Pending web=ContainerCreating [Pulled,Created]",
        "0.5 Running web=up [Started]",
        "5.5 Running web=up+",
      ],
    ],
    [
      "completes",
      podOf({ restartPolicy: "Never" }, { "wavetank.dev/run-seconds": "2" }),
      600_000,
      [
        "0 Pending web=ContainerCreating [Pulling]",
        "0.3 Pending web=ContainerCreating [Pulled,Created]",
        "0.5 Running web=up+ [Started]",
        "2.5 Succeeded web=Completed(0)",
      ],
    ],
    [
      "is not seen to run when it ends at once",
      podOf({
        restartPolicy: "Never",
        containers: [{ name: "web", image: "busybox", command: ["echo", "hi"] }],
      }),
      600_000,
      [
        "0 Pending web=ContainerCreating [Pulling]",
        "0.3 Pending web=ContainerCreating [Pulled,Created]",
        "0.5 Pending web=ContainerCreating [Started]",
        "0.6 Succeeded web=Completed(0)",
      ],
    ],
    [
      "fails for good",
      podOf(
        { restartPolicy: "Never" },
        { "wavetank.dev/oom": "true", "wavetank.dev/run-seconds": "1" },
      ),
      600_000,
      [
        "0 Pending web=ContainerCreating [Pulling]",
        "0.3 Pending web=ContainerCreating [Pulled,Created]",
        "0.5 Running web=up+ [Started]",
        "1.5 Failed web=OOMKilled(137)",
      ],
    ],
    [
      "succeeds at the second try",
      podOf({ restartPolicy: "OnFailure" }, { "wavetank.dev/exit-code": "3,0" }),
      600_000,
      [
        "0 Pending web=ContainerCreating [Pulling]",
        "0.3 Pending web=ContainerCreating [Pulled,Created]",
        "0.5 Running web=up+ [Started]",
        "1.5 Running web=Error(3)",
        "2.5 Running web=Error(3)x1 [Pulled,Created]",
        "2.7 Running web=up+x1 [Started]",
        "3.7 Succeeded web=Completed(0)x1",
      ],
    ],
    [
      "backs off",
      podOf({}, { "wavetank.dev/exit-code": "1" }),
      20_000,
      [
        "0 Pending web=ContainerCreating [Pulling]",
        "0.3 Pending web=ContainerCreating [Pulled,Created]",
        "0.5 Running web=up+ [Started]",
        "1.5 Running web=Error(1)",
        "2.5 Running web=Error(1)x1 [Pulled,Created]",
        "2.7 Running web=up+x1 [Started]",
        "3.7 Running web=Error(1)x1",
        "4.7 Running web=CrashLoopBackOffx1 [BackOff]",
        "13.7 Running web=Error(1)x2 [Pulled,Created]",
        "13.9 Running web=up+x2 [Started]",
        "14.9 Running web=Error(1)x2",
        "15.9 Running web=CrashLoopBackOffx2 [BackOff]",
      ],
    ],
    [
      "does not get its image",
      podOf({}, { "wavetank.dev/pull-error": "not found" }),
      12_000,
      [
        "0 Pending web=ContainerCreating [Pulling]",
        "0.3 Pending web=ErrImagePull [Failed,Failed]",
        "1.3 Pending web=ImagePullBackOff [BackOff,Failed]",
        "11.3 Pending web=ContainerCreating [Pulling]",
        "11.6 Pending web=ErrImagePull [Failed,Failed]",
      ],
    ],
    [
      "initializes, with a sidecar",
      podOf({
        restartPolicy: "Never",
        initContainers: [
          { name: "side", image: "e", restartPolicy: "Always" },
          { name: "init", image: "b" },
        ],
        containers: [{ name: "web", image: "b", command: ["sleep", "2"] }],
      }),
      600_000,
      [
        "0 Pending side=PodInitializing init=PodInitializing web=PodInitializing [Pulling]",
        "0.3 Pending side=PodInitializing init=PodInitializing web=PodInitializing [Pulled,Created]",
        "0.5 Pending side=up+ init=PodInitializing web=PodInitializing [Started,Pulling]",
        "0.8 Pending side=up+ init=PodInitializing web=PodInitializing [Pulled,Created]",
        "1 Pending side=up+ init=PodInitializing web=PodInitializing [Started]",
        "1.3 Pending side=up+ init=Completed(0)+ web=ContainerCreating [Pulling]",
        "1.6 Pending side=up+ init=Completed(0)+ web=ContainerCreating [Pulled,Created]",
        "1.8 Running side=up+ init=Completed(0)+ web=up+ [Started]",
        "3.9 Succeeded side=Completed(0) init=Completed(0)+ web=Completed(0) [Killing]",
      ],
    ],
    [
      "is over its deadline",
      podOf({ activeDeadlineSeconds: 3 }),
      600_000,
      [
        "0 Pending web=ContainerCreating [Pulling]",
        "0.3 Pending web=ContainerCreating [Pulled,Created]",
        "0.5 Running web=up+ [Started]",
        "3 Failed web=Completed(0) [DeadlineExceeded,Killing]",
      ],
    ],
  ])("%s", (_name, pod, untilMs, lines) => {
    expect(story(pod, untilMs)).toEqual(lines);
  });

  const running = (pod: Pod): PodRuntime => {
    let runtime = freshRuntime(t0);
    for (const now of [t0, t0 + 300, t0 + 500])
      ({ runtime } = advancePod(pod, runtime, {
        parts: partsOf(pod),
        now,
        profile: kubeletProfile,
        hasImage: () => false,
        mounted: true,
        configOf: () => ({ is: "ready" }),
        containerId: () => "id",
      }));
    return runtime;
  };
  const deleted = (graceSeconds: number): Partial<Pod["metadata"]> => ({
    deletionGracePeriodSeconds: graceSeconds,
    deletionTimestamp: new Date(t0 + graceSeconds * 1_000).toISOString().replace(".000", ""),
  });

  it.each([
    ["at once", {}, 30, ["0 Succeeded web=Completed(0) [Killing]"]],
    [
      "in its own time",
      { "wavetank.dev/stop-seconds": "4", "wavetank.dev/stop-exit-code": "143" },
      30,
      ["0 Running web=up [Killing]", "0.5 Running web=up+", "4 Failed web=Error(143)"],
    ],
    [
      "killed after its grace",
      { "wavetank.dev/stop-seconds": "99" },
      2,
      ["0 Running web=up [Killing]", "0.5 Running web=up+", "2 Failed web=Error(137)"],
    ],
  ])("stops %s when deleted", (_name, annotations, grace, lines) => {
    const before = running(podOf({}, annotations));
    expect(story(podOf({}, annotations, deleted(grace)), 600_000, before)).toEqual(lines);
  });

  it("starts anew after the machine did", () => {
    const pod = podOf({});
    const lost = loseContainers(running(pod), t0);
    expect(lost.networked).toBe(false);
    expect(story(pod, 600_000, lost)).toEqual([
      "0 Running web=Unknown(255)x1 [Pulled,Created]",
      "0.2 Running web=up+x1 [Started]",
    ]);
  });
});

describe("probes that fail", () => {
  const probed = (probes: Partial<Container>): Partial<PodSpec> => ({
    containers: [{ name: "web", image: "nginx", ...probes }],
    terminationGracePeriodSeconds: 30,
  });
  const httpGet = { httpGet: { path: "/", port: 80 }, periodSeconds: 5 };

  it.each<[string, Pod, number, string[]]>([
    [
      "make it unready for a while",
      podOf(probed({ readinessProbe: httpGet }), { "wavetank.dev/readiness-fails": "10-25" }),
      36_000,
      [
        "0.5 Running web=up+ [Started]",
        "5.5 Running web=up+",
        "10.5 Running web=up+ [Unhealthy]",
        "15.5 Running web=up+ [Unhealthy]",
        "20.5 Running web=up [Unhealthy]",
        "25.5 Running web=up+",
        "30.5 Running web=up+",
        "35.5 Running web=up+",
      ],
    ],
    [
      "restart it",
      podOf(probed({ livenessProbe: httpGet }), { "wavetank.dev/liveness-fails": "5-" }),
      18_000,
      [
        "0.5 Running web=up+ [Started]",
        "5.5 Running web=up+ [Unhealthy]",
        "10.5 Running web=up+ [Unhealthy]",
        "15.5 Running web=Completed(0) [Unhealthy,Killing]",
        "16.5 Running web=Completed(0)x1 [Pulled,Created]",
        "16.7 Running web=up+x1 [Started]",
      ],
    ],
    [
      "end it where nothing is restarted",
      podOf(
        {
          ...probed({ livenessProbe: { ...httpGet, failureThreshold: 1 } }),
          restartPolicy: "Never",
        },
        { "wavetank.dev/liveness-fails": "5-", "wavetank.dev/stop-seconds": "60" },
      ),
      60_000,
      [
        "0.5 Running web=up+ [Started]",
        "5.5 Running web=up+ [Unhealthy,Killing]",
        "35.5 Failed web=Error(137)",
      ],
    ],
    [
      "keep it from having started",
      podOf(probed({ startupProbe: httpGet, readinessProbe: httpGet }), {
        "wavetank.dev/startup-fails": "0-8",
        "wavetank.dev/readiness-fails": "0-12",
      }),
      17_000,
      [
        "0.5 Running web=up [Started,Unhealthy]",
        "5.5 Running web=up [Unhealthy]",
        "10.5 Running web=up [Unhealthy]",
        "15.5 Running web=up+",
      ],
    ],
    [
      "kill what never starts",
      podOf(probed({ startupProbe: { ...httpGet, failureThreshold: 2 } }), {
        "wavetank.dev/startup-fails": "0-",
      }),
      6_000,
      [
        "0.5 Running web=up [Started,Unhealthy]",
        "5.5 Running web=Completed(0) [Unhealthy,Killing]",
      ],
    ],
    [
      "need a probe",
      podOf(probed({}), { "wavetank.dev/liveness-fails": "0-" }),
      60_000,
      ["0.5 Running web=up+ [Started]"],
    ],
  ])("%s", (_, pod, untilMs, lines) => {
    expect(story(pod, untilMs).slice(2)).toEqual(lines);
  });

  it("say what was seen", () => {
    const pod = podOf(
      probed({ livenessProbe: { tcpSocket: { port: 80 } }, readinessProbe: httpGet }),
      { "wavetank.dev/liveness-fails": "0-", "wavetank.dev/readiness-fails": "0-" },
    );
    pod.status = { podIP: "10.0.0.1" };
    let runtime: PodRuntime = freshRuntime(t0);
    const said: string[] = [];
    for (const now of [t0, t0 + 300, t0 + 500]) {
      const step = advancePod(pod, runtime, {
        parts: partsOf(pod),
        now,
        profile: kubeletProfile,
        hasImage: () => false,
        mounted: true,
        configOf: () => ({ is: "ready" }),
        containerId: (name, run) => `${name}-${run}`,
      });
      runtime = step.runtime;
      said.push(
        ...step.says.filter(({ reason }) => reason === "Unhealthy").map(({ message }) => message),
      );
    }
    expect(said).toEqual([
      "Readiness probe failed: HTTP probe failed with statuscode: 500",
      "Liveness probe failed: dial tcp 10.0.0.1:80: connect: connection refused",
    ]);
  });
});
