// A simulated control plane with some components beside it, for their integration tests: what a user would see, on
// virtual time.
import type { Client } from "../client/client.ts";
import type { ComponentFactory } from "../informer/component.ts";
import type { Driver } from "../host/simulated/driver.ts";
import type { ControlPlaneOptions } from "./control-plane.ts";
import { type ControllerManager, startControllerManager } from "./controller-manager.ts";
import { newestProfile } from "./kubernetes-profile.ts";
import { type Engine, SimulatedControlPlane } from "./simulated-control-plane.ts";

const runMsMax = 3_600_000;

export class ComponentTestbed {
  readonly simulated: SimulatedControlPlane;
  /** An administrator. */
  readonly client: Client;
  readonly manager: ControllerManager;

  private constructor(simulated: SimulatedControlPlane, manager: ControllerManager) {
    this.simulated = simulated;
    this.client = simulated.client("kubectl");
    this.manager = manager;
  }

  static async start(
    seed: number,
    engine: Engine,
    factories: Readonly<Record<string, ComponentFactory>>,
    options: Partial<ControlPlaneOptions> = {},
  ): Promise<ComponentTestbed> {
    const simulated = new SimulatedControlPlane(seed, engine, options);
    await simulated.start();
    const components = Object.entries(factories);
    const manager = startControllerManager(simulated.host, simulated.transport, {
      components,
      reflector: (options.profile ?? newestProfile).reflector,
      freeze: true,
    });
    return new ComponentTestbed(simulated, manager);
  }

  get driver(): Driver {
    return this.simulated.driver;
  }

  run<T>(promise: Promise<T>): Promise<T> {
    return this.driver.run(promise, runMsMax);
  }

  /** Asks again each 100 ms of simulated time until it holds. */
  async until(holds: () => Promise<boolean>, limitMs: number): Promise<void> {
    const { clock } = this.simulated.host;
    const end = clock.monotonic() + limitMs;
    while (!(await this.run(holds()))) {
      if (clock.monotonic() > end) throw new Error(`it did not come about within ${limitMs} ms`);
      await this.driver.advance(100);
    }
  }

  /** Words that a healthy component does not say. */
  get complaints(): string[] {
    return this.simulated.host.lines
      .filter(({ level }) => level === "error")
      .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`);
  }

  async stop(): Promise<void> {
    await this.run(this.manager.stop());
    await this.simulated.stop();
  }
}
