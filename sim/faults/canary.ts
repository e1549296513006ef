// What must make checkers complain: somebody takes the mark off a Job's pods before they were counted, and binds pods
// past the scheduler. A run with it that ends well proves that the checkers see nothing.
import type { Pod } from "../../src/api/types/core-v1.ts";
import type { Fault } from "./fault.ts";

const everyMs = 500;
const victimsMax = 10;

export function canary(): Fault {
  let isOver = false;
  let victims = 0;
  return {
    name: "canary",
    excuses: [],
    start({ world, struck }) {
      const pods = world.admin.resource("pods");
      const vandalise = async (): Promise<void> => {
        for (const pod of world.state.list("pods") as Pod[]) {
          const { name = "", namespace, finalizers = [] } = pod.metadata;
          if (finalizers.length === 0 || pod.status?.phase === "Succeeded") continue;
          if (++victims > victimsMax) return;
          struck();
          const patch = { metadata: { finalizers: null } };
          await pods.patch({ name, namespace }, { type: "merge", patch });
          await pods.delete({ name, namespace }, { gracePeriodSeconds: 0 });
        }
      };
      const again = (): void => {
        if (isOver) return;
        void vandalise().catch(() => undefined);
        world.host.clock.after(everyMs, again);
      };
      again();
    },
    stop() {
      isOver = true;
      return Promise.resolve();
    },
  };
}
