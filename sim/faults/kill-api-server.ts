// The API server dies right after one of its writes to the store, before anybody hears of it, and is back a moment later.
import { type Fault, type FaultScene, draw } from "./fault.ts";

const writesApart = { least: 5, most: 150 };
const downMs = { least: 100, most: 20_000 };

export const killApiServer: Fault = {
  name: "kill-api-server",
  // A create whose answer is lost counts as failed, and views come back late: for a while there may be one pod too many.
  excuses: ["surge"],
  start(scene) {
    const { world, chance, at } = scene;
    let left = at ?? draw(chance, writesApart.least, writesApart.most);
    world.server.onWrite = () => {
      if (--left > 0) return;
      left =
        at === undefined
          ? draw(chance, writesApart.least, writesApart.most)
          : Number.POSITIVE_INFINITY;
      strike(scene);
    };
  },
  async stop({ world }) {
    world.server.onWrite = () => undefined;
    if (!world.server.isUp) await world.server.start();
  },
};

function strike({ world, chance, struck }: FaultScene): void {
  struck();
  world.server.crash();
  world.host.clock.after(draw(chance, downMs.least, downMs.most), () => {
    if (!world.server.isUp) void world.server.start();
  });
}
