// Candidates for one Lease on the real control plane: never two leaders at once, whatever stops one of them.
import { describe, expect, it } from "vitest";
import type { Cancel, Clock, Host } from "../host/host.ts";
import { Client } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { LeaderElector, leaderTimingUsual } from "../informer/leader-election.ts";
import { engine } from "../../test/simulation.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

/** A process that can be stopped and continued as by SIGSTOP: nothing in it runs meanwhile. */
class Process {
  readonly host: Host;
  readonly client: Client;
  #paused = false;
  #held: (() => void)[] = [];

  constructor(name: string, simulated: SimulatedControlPlane) {
    const { clock } = simulated.host;
    const pausable: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, fn): Cancel => clock.after(ms, () => this.#run(fn)),
      turn: () => clock.turn(),
    };
    this.host = { ...simulated.host, clock: pausable };
    const transport: Transport = async (request) => {
      const response = await simulated.transport(request);
      await new Promise<void>((resolve) => this.#run(resolve));
      return response;
    };
    const identity = simulated.admin();
    this.client = new Client(this.host, transport, {
      userAgent: name,
      identity,
      rateLimit: undefined,
    });
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    for (const fn of this.#held.splice(0)) fn();
  }

  #run(fn: () => void): void {
    if (this.#paused) this.#held.push(fn);
    else fn();
  }
}

interface Candidate {
  readonly name: string;
  readonly process: Process;
  readonly elector: LeaderElector;
  leads: boolean;
  readonly stop: () => Promise<void>;
}

const lock = { namespace: "kube-system", name: "test-lock" };

function candidate(name: string, simulated: SimulatedControlPlane): Candidate {
  const process = new Process(name, simulated);
  const elector = new LeaderElector(process.host, {
    leases: process.client.resource("leases.coordination.k8s.io"),
    lock,
    identity: name,
    timing: leaderTimingUsual,
  });
  const controller = new AbortController();
  const self: Candidate = {
    name,
    process,
    elector,
    leads: false,
    stop: async () => {
      controller.abort();
      await simulated.driver.run(running, 60_000);
    },
  };
  const lead = (signal: AbortSignal): Promise<void> => {
    self.leads = true;
    return new Promise((resolve) =>
      signal.addEventListener("abort", () => {
        self.leads = false;
        resolve();
      }),
    );
  };
  const stand = async (): Promise<void> => {
    while (!controller.signal.aborted) await elector.run(controller.signal, lead);
  };
  const running = stand();
  return self;
}

async function bed(seed: number): Promise<{ simulated: SimulatedControlPlane; all: Candidate[] }> {
  const simulated = new SimulatedControlPlane(seed, engine);
  await simulated.start();
  const all = ["one", "two"].map((name) => candidate(name, simulated));
  return { simulated, all };
}

const leaders = (all: readonly Candidate[]): string[] =>
  all.filter(({ leads }) => leads).map(({ name }) => name);

describe.each([1, 2, 3])("leader election, seed %i", (seed) => {
  it("chooses one, and another at once when that one leaves", async () => {
    const { simulated, all } = await bed(seed);
    await simulated.driver.advance(5_000);
    expect(leaders(all)).toHaveLength(1);
    const first = all.find(({ leads }) => leads);
    const second = all.find(({ leads }) => !leads);
    expect(second!.elector.leader).toBe(first!.name);
    await first!.stop();
    await simulated.driver.advance(4_400 + 1_000);
    expect(leaders(all)).toEqual([second!.name]);
    const leases = simulated.client("t").resource("leases.coordination.k8s.io");
    const lease = await simulated.driver.run(leases.get(lock), 1_000);
    expect(lease.spec).toMatchObject({ holderIdentity: second!.name, leaseDurationSeconds: 15 });
    expect(lease.spec?.leaseTransitions).toBeGreaterThanOrEqual(1);
    expect(lease.spec?.renewTime).toMatch(/^2026-01-01T00:00:\d\d\.\d{6}Z$/);
    await second!.stop();
  });

  it("never has two while a leader stands still and goes on", async () => {
    const { simulated, all } = await bed(seed);
    const { driver } = simulated;
    await driver.until(() => leaders(all).length === 1, 10_000);
    const paused = all.find(({ leads }) => leads);
    const other = all.find(({ leads }) => !leads);
    paused!.process.pause();
    const pausedAt = simulated.host.clock.monotonic();
    await driver.until(() => other!.leads, 30_000);
    const took = simulated.host.clock.monotonic() - pausedAt;
    // It was renewed at most a retry period before, and the other looks every 2 to 4.4 s, by chance.
    expect(took).toBeGreaterThan(leaderTimingUsual.leaseDurationMs - 2_000);
    expect(took).toBeLessThan(leaderTimingUsual.leaseDurationMs + 2 * 4_400 + 100);
    paused!.process.resume();
    await driver.settle();
    expect(leaders(all)).toEqual([other!.name]);
    await driver.advance(60_000);
    expect(leaders(all)).toEqual([other!.name]);
    for (const one of all) await one.stop();
  });

  it("gives up before the lease runs out when the server is away", async () => {
    const { simulated, all } = await bed(seed);
    const { driver, host } = simulated;
    await driver.until(() => leaders(all).length === 1, 10_000);
    await driver.advance(5_000);
    await simulated.stop();
    const awayAt = host.clock.monotonic();
    await driver.until(() => leaders(all).length === 0, 30_000);
    expect(host.clock.monotonic() - awayAt).toBeLessThanOrEqual(leaderTimingUsual.renewDeadlineMs);
    await simulated.start();
    await driver.until(() => leaders(all).length === 1, 30_000);
    for (const one of all) await one.stop();
  });
});
