// Several processes may serve one store; their controllers must not act side by side. Whoever holds the Lease
// kube-system/kube-controller-manager runs them, the others stand by.
import { Client } from "../client/client.ts";
import { userIdentity } from "../client/identity.ts";
import type { Transport } from "../client/transport.ts";
import type { Host } from "../host/host.ts";
import type { Component } from "../informer/component.ts";
import { LeaderElector, leaderTimingUsual } from "../informer/leader-election.ts";
import { kubernetesVersion } from "../api/kubernetes-version.ts";

const lock = { namespace: "kube-system", name: "kube-controller-manager" };

export interface ElectedOptions {
  /** Unlike any other process's. */
  readonly identity: string;
  /** Called each time this process begins to lead. */
  readonly start: () => Component;
}

export function startElected(
  host: Host,
  transport: Transport,
  { identity, start }: ElectedOptions,
): Component {
  const client = new Client(host, transport, {
    userAgent: `kube-controller-manager/${kubernetesVersion} leader-election`,
    identity: userIdentity(host.digest, "system:kube-controller-manager", []),
    rateLimit: undefined,
  });
  const leases = client.resource("leases.coordination.k8s.io");
  const elector = new LeaderElector(host, { leases, lock, identity, timing: leaderTimingUsual });
  const stopping = new AbortController();
  const standing = standForEver(elector, stopping.signal, start);
  return {
    start: () => {},
    async stop() {
      stopping.abort();
      await standing;
    },
  };
}

/** A leader that lost the lease stands again. */
async function standForEver(
  elector: LeaderElector,
  signal: AbortSignal,
  start: () => Component,
): Promise<void> {
  while (!signal.aborted) await elector.run(signal, (leading) => leadUntil(leading, start()));
}

async function leadUntil(leading: AbortSignal, component: Component): Promise<void> {
  await new Promise<void>((resolve) => {
    if (leading.aborted) resolve();
    else leading.addEventListener("abort", () => resolve(), { once: true });
  });
  await component.stop();
}
