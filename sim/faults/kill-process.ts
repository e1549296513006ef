// A process dies right after the server has done one of its writes, before it hears so, and is back a moment later.
import type { SimProcess } from "../process.ts";
import type { SimWorld } from "../world.ts";
import { type Fault, type FaultScene, draw } from "./fault.ts";

/** Between two deaths: writes of the process. */
const writesApart = { least: 1, most: 40 };
/** Until it is back. */
const downMs = { least: 100, most: 20_000 };

function killing(name: string, processOf: (world: SimWorld) => SimProcess): Fault {
  return {
    name,
    excuses: [],
    start(scene) {
      const { world, chance, at } = scene;
      const process = processOf(world);
      // `at` counts from when the faults begin.
      const first = process.writes;
      let next = first + (at ?? draw(chance, writesApart.least, writesApart.most));
      process.onWrite = (writes) => {
        if (writes < next) return;
        next =
          at === undefined
            ? writes + draw(chance, writesApart.least, writesApart.most)
            : Number.POSITIVE_INFINITY;
        strike(scene, process);
      };
    },
    stop({ world }) {
      const process = processOf(world);
      process.onWrite = () => undefined;
      process.start();
      return Promise.resolve();
    },
  };
}

function strike({ world, chance, struck }: FaultScene, process: SimProcess): void {
  struck();
  process.kill();
  world.host.clock.after(draw(chance, downMs.least, downMs.most), () => process.start());
}

export const killControllers: Fault = killing("kill-controllers", ({ controllers }) => controllers);
export const killScheduler: Fault = killing("kill-scheduler", ({ scheduler }) => scheduler);
