// The kubelet's liveness probe of an API server: too many late answers in a row, and it kills what was only overloaded
// (kubernetes#57405).
import type { Host } from "../../host/host.ts";
import type { HttpRequest } from "../../host/http.ts";
import type { ApiServerProcess } from "./api-server.ts";

export interface ProbeLaw {
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly failuresMax: number;
  /** After the process started. */
  readonly initialDelayMs: number;
}

/** kubeadm's manifest of kube-apiserver; its startup probe (24 failures of 10 s) stands in for the initial delay. */
export const kubeadmProbe: ProbeLaw = {
  periodMs: 10_000,
  timeoutMs: 15_000,
  failuresMax: 8,
  initialDelayMs: 10_000,
};

/** Runs until the host's time ends. */
export function startLivenessProbe(host: Host, server: ApiServerProcess, law: ProbeLaw): void {
  let failures = 0;
  const probe = async (): Promise<void> => {
    host.clock.after(law.periodMs, () => void probe());
    if (!server.process.inService) {
      failures = 0;
      return;
    }
    failures = (await isLive(host, server, law.timeoutMs)) ? 0 : failures + 1;
    if (failures < law.failuresMax) return;
    failures = 0;
    server.process.killed("failed liveness probe");
  };
  host.clock.after(law.initialDelayMs, () => void probe());
}

function isLive(host: Host, server: ApiServerProcess, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = host.clock.after(timeoutMs, () => resolve(false));
    const answered = (live: boolean): void => {
      cancel();
      resolve(live);
    };
    server.handle(probeRequest(new AbortController().signal)).then(
      ({ status }) => answered(status === 200),
      () => answered(false),
    );
  });
}

function probeRequest(signal: AbortSignal): HttpRequest {
  return {
    method: "GET",
    target: "/livez",
    headers: { "user-agent": "kube-probe/1.36" },
    repeated: () => [],
    body: { read: () => Promise.resolve(new Uint8Array(0)) },
    peer: { address: "127.0.0.1" },
    signal,
  };
}
