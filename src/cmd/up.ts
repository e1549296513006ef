// `wavetank up`: starts a control plane, says what to do next, and ends cleanly on SIGTERM and SIGINT.
import { relative, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { scavengeAloneOnFewCores } from "../host/node/garbage-collection.ts";
import { type RunningControlPlane, startControlPlane } from "./control-plane.ts";
import type { StartOptions } from "./options.ts";

const aliveMs = 60_000;

export async function up(options: StartOptions, asJson: boolean): Promise<void> {
  scavengeAloneOnFewCores();
  // Timers of the Host do not keep the process alive; until the listener does, this one must.
  const alive = setInterval(() => {}, aliveMs);
  const running = await startControlPlane(options).finally(() => clearInterval(alive));
  // performance.now() counts from the start of the process: what the user waited for.
  const ready = Math.round(performance.now());
  console.log(asJson ? summaryJson(running, options) : welcome(running, options, ready));
  await endOfService(running);
  if (!asJson) console.log(`\nStopped. Objects were ${running.storeDescription}.`);
}

function summaryJson(running: RunningControlPlane, options: StartOptions): string {
  return JSON.stringify({
    url: running.url,
    kubeconfig: running.kubeconfigPath,
    dataDir: options.dataDir === undefined ? undefined : resolve(options.dataDir),
    pid: process.pid,
  });
}

function welcome(running: RunningControlPlane, options: StartOptions, readyMs: number): string {
  const kubeconfig = running.kubeconfigPath ?? "";
  return [
    `Kubernetes v1.36${behaviour(options)} is up (${readyMs} ms).`,
    "",
    `  server      ${running.url}`,
    `  kubeconfig  ${shortPath(kubeconfig)}`,
    `  objects     ${running.storeDescription}`,
    "",
    "Next, in another terminal:",
    `  export KUBECONFIG=${resolve(kubeconfig)}`,
    "  kubectl get namespaces",
    "",
    "Ctrl-C stops it.",
  ].join("\n");
}

function behaviour({ kubernetesVersion = "1.36" }: StartOptions): string {
  const version = kubernetesVersion.replace(/^v/, "");
  return version === "1.36" ? "" : `, behaving as v${version},`;
}

function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith("..") ? path : short;
}

/** Resolves after a clean stop; a second signal ends the process at once. */
function endOfService(running: RunningControlPlane): Promise<void> {
  return new Promise((done, failed) => {
    let stopping = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (stopping) process.exit(signal === "SIGINT" ? 130 : 143);
      stopping = true;
      running.stop().then(done, failed);
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
  });
}
