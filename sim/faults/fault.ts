// What goes wrong during the first phase of a run. When it is over, everything that a fault has ended must run again.
import type { RandomStream } from "../../src/host/host.ts";
import type { SimWorld } from "../world.ts";

export interface FaultScene {
  readonly world: SimWorld;
  /** Drawn from the run's seed, for faults alone. */
  readonly chance: RandomStream;
  /** The one write after which to strike; undefined: again and again, by chance. */
  readonly at: number | undefined;
  /** Counts what was done, for the report. */
  readonly struck: () => void;
}

export interface Fault {
  readonly name: string;
  /** Checkers whose complaints it explains: Kubernetes' controllers promise no more under it. */
  readonly excuses: readonly string[];
  start(scene: FaultScene): void;
  /** No more of it; what it broke is mended. */
  stop(scene: FaultScene): Promise<void>;
}

/** A whole number from `least` to `most`. */
export function draw(chance: RandomStream, least: number, most: number): number {
  return least + Math.floor(chance.unit() * (most - least + 1));
}
