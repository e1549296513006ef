// Nodes die and come back, are cut off, and reboot, under load.
import { type Fault, type FaultScene, draw } from "./fault.ts";
import { nodesCount } from "../world.ts";

const apartMs = { least: 10_000, most: 60_000 };
const troubleMs = { least: 5_000, most: 120_000 };
const kinds = [
  { annotation: "wavetank.dev/power", value: "off" },
  { annotation: "wavetank.dev/network", value: "cut" },
  { annotation: "wavetank.dev/reboot", value: "" },
] as const;

class Trouble {
  readonly #scene: FaultScene;
  #over = false;

  constructor(scene: FaultScene) {
    this.#scene = scene;
  }

  next(): void {
    const { world, chance } = this.#scene;
    world.host.clock.after(draw(chance, apartMs.least, apartMs.most), () => {
      if (this.#over) return;
      this.#strike();
      this.next();
    });
  }

  async end(): Promise<void> {
    this.#over = true;
    for (let index = 1; index <= nodesCount; index++)
      for (const { annotation } of kinds.slice(0, 2))
        await this.#annotate(`node-${index}`, annotation, null);
  }

  #strike(): void {
    const { world, chance, struck } = this.#scene;
    const name = `node-${draw(chance, 1, nodesCount)}`;
    const kind = kinds[draw(chance, 0, kinds.length - 1)] ?? kinds[0];
    struck();
    const value = kind.value === "" ? String(world.host.clock.monotonic()) : kind.value;
    void this.#annotate(name, kind.annotation, value);
    if (kind.value === "") return;
    world.host.clock.after(draw(chance, troubleMs.least, troubleMs.most), () => {
      void this.#annotate(name, kind.annotation, null);
    });
  }

  /** Where the server is down just then, the node is spared. */
  async #annotate(name: string, annotation: string, value: string | null): Promise<void> {
    const patch = { metadata: { annotations: { [annotation]: value } } };
    const nodes = this.#scene.world.admin.resource("nodes");
    await nodes.patch({ name }, { type: "merge", patch }).catch(() => undefined);
  }
}

export function nodeTrouble(): Fault {
  let trouble: Trouble | undefined;
  return {
    name: "node-trouble",
    excuses: [],
    start(scene) {
      trouble = new Trouble(scene);
      trouble.next();
    },
    async stop() {
      await trouble?.end();
    },
  };
}
