// Who lives in a world besides its servers: controllers and scheduler, kubelets, and the populations of the script.
import { componentsOf } from "../../cluster/component-list.ts";
import { startControllerManager } from "../../cluster/controller-manager.ts";
import type { KubernetesProfile } from "../../cluster/kubernetes-profile.ts";
import { type ImpersonatedUser, userIdentity } from "../../client/identity.ts";
import type { RateLimit } from "../../client/rate-limiter.ts";
import { Fixtures } from "../../fleet/fixtures.ts";
import { Fleet } from "../../fleet/fleet.ts";
import type { FleetWorld } from "../../fleet/world.ts";
import { nodeFleet } from "../../kubelet/fleet.ts";
import type { CostProfile } from "../cost-profile.ts";
import type { KubeletScript, Scenario } from "../scenario.ts";
import { startControllerLabour } from "../world/controller-labour.ts";
import type { World } from "../world/world.ts";

const requestsMax = 10_000_000;

/** Resolves when all that the script prepares is there. Rejects with the first refusal. */
export async function prepare(
  world: World,
  scenario: Scenario,
  signal: AbortSignal,
): Promise<void> {
  const fixtures = new Fixtures(fleetWorld(world), scenario.prepare, () => undefined);
  await fixtures.create(signal);
  fixtures.close();
}

export function fleetOf(world: World, scenario: Scenario): Fleet {
  const { name, summary: description, populations, durationSeconds } = scenario;
  const file = { name, description, prepare: [], populations };
  const limits = { durationMs: durationSeconds * 1_000, requestsMax };
  return new Fleet(fleetWorld(world), file, limits);
}

/** Nodes and controllers, each with clients of their own behind the load balancer. */
export function startInhabitants(
  world: World,
  scenario: Scenario,
  { profile, costs }: { readonly profile: KubernetesProfile; readonly costs: CostProfile },
): void {
  const { host, network, machines } = world;
  const { reflector } = profile;
  const { nodes, kubelet } = scenario;
  if (nodes > 0) {
    const kubelets = nodeFleet({
      nodes,
      profile: { ...profile.kubelet, rateLimit: rateLimitOf(profile, kubelet) },
      podsMax: kubelet.podsMax,
      lead: () => undefined,
    });
    startControllerManager(host, network.transport("kubelet", kubelet.streamsMax), {
      components: [["kubelet", kubelets]],
      reflector,
      freeze: false,
    });
  }
  const [machine] = machines;
  if (!scenario.controllers || machine === undefined) return;
  const { meter } = startControllerManager(host, network.transport("kube-controller-manager"), {
    components: componentsOf(profile),
    reflector,
    freeze: false,
  });
  startControllerLabour(host, machine, { meter, ...costs.controllers });
}

function rateLimitOf(profile: KubernetesProfile, { qps, burst }: KubeletScript): RateLimit {
  const own = profile.kubelet.rateLimit;
  return { qps: qps ?? own.qps, burst: burst ?? own.burst };
}

/** Each member has a connection of its own, and so may end up at a server of its own. */
function fleetWorld({ host, network, administrator }: World): FleetWorld {
  let connections = 0;
  return {
    host,
    connect: () => ({
      transport: network.transport(`fleet-${connections++}`),
      close: () => undefined,
    }),
    identify: (user: ImpersonatedUser | undefined) =>
      user === undefined ? administrator : userIdentity(host.digest, user.name, user.groups),
  };
}
