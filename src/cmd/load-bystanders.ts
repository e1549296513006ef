// Bystanders run in a process of their own: what they wait for is then the server, and not the storm's own reading beside
// them. The child is this command once more, with one more flag; it reports when it is told to stop.
import { fork } from "node:child_process";
import type { Fleet } from "../fleet/fleet.ts";
import type { FleetReport } from "../fleet/report.ts";

export interface Bystanders {
  /** Ends them; undefined when the process has died. */
  stop(): Promise<FleetReport | undefined>;
}

/** As this process was called. Resolves when they are about to begin, or cannot. */
export async function startBystanders(): Promise<Bystanders> {
  const [, script = "", ...args] = process.argv;
  const child = fork(script, [...args, "--bystanders"], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const gone = new Promise<undefined>((resolve) => child.once("exit", () => resolve(undefined)));
  const next = (): Promise<unknown> =>
    Promise.race([new Promise((resolve) => child.once("message", resolve)), gone]);
  await next();
  return {
    async stop() {
      const report = next();
      // One that has died meanwhile hears nothing; `gone` tells.
      if (child.connected) child.send("stop", () => undefined);
      return (await report) as FleetReport | undefined;
    },
  };
}

/** Longer than any run: the parent, or its end, is what ends them. */
export const bystanderMs = 0x7fff_ffff;

/** In the child: runs until the parent says stop, or is gone. A signal of the terminal is the parent's to act on. */
export async function runForParent(fleet: Fleet): Promise<void> {
  process.once("message", () => fleet.stop());
  process.once("disconnect", () => fleet.stop());
  process.send?.("ready");
  const report = await fleet.run();
  if (!process.connected) return;
  await new Promise<void>((resolve) => process.send?.(report, () => resolve()));
  process.disconnect();
}
