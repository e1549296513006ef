// What controllers look through in memory costs cores of the master that they run on: syncs that list everything are work
// in the square of what there is (seed runaway-job: the load alarm of kube-controller-manager).
import type { Host } from "../../host/host.ts";
import type { WorkMeter } from "../../informer/work-meter.ts";
import type { Coefficient } from "../cost-profile.ts";
import type { Machine } from "../machine/machine.ts";

const owner = "kube-controller-manager";
const everyMs = 1_000;
/** Work that waits; a controller cannot run ahead of itself for longer. */
const backlogMsMax = 10_000;

/** Runs until the host's time ends. */
export function startControllerLabour(
  host: Host,
  machine: Machine,
  { meter, scanPerObject }: { readonly meter: WorkMeter; readonly scanPerObject: Coefficient },
): void {
  let counted = 0;
  let backlogMs = 0;
  const charge = (): void => {
    host.clock.after(everyMs, charge);
    const scanned = meter.objectsScanned;
    const ms = Math.min((scanned - counted) * scanPerObject.value, backlogMsMax - backlogMs);
    counted = scanned;
    if (ms <= 0) return;
    backlogMs += ms;
    void machine.processor.run(owner, ms).then(() => {
      backlogMs -= ms;
    });
  };
  charge();
}
