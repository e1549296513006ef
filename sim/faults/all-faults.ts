// By name, for the command line; fresh for each run.
import { type Fault, type FaultScene } from "./fault.ts";
import { killApiServer } from "./kill-api-server.ts";
import { killControllers, killScheduler } from "./kill-process.ts";
import { loseAnswers } from "./lose-answers.ts";
import { nodeTrouble } from "./node-trouble.ts";

const none: Fault = {
  name: "none",
  excuses: [],
  start: () => undefined,
  stop: () => Promise.resolve(),
};

/** All of them at once. */
function everything(): Fault {
  const parts = [killControllers, killScheduler, killApiServer, loseAnswers, nodeTrouble()];
  return {
    name: "everything",
    excuses: parts.flatMap(({ excuses }) => excuses),
    start(scene: FaultScene) {
      for (const part of parts) part.start(scene);
    },
    async stop(scene: FaultScene) {
      for (const part of parts) await part.stop(scene);
    },
  };
}

export const allFaults: Readonly<Record<string, () => Fault>> = {
  none: () => none,
  "kill-controllers": () => killControllers,
  "kill-scheduler": () => killScheduler,
  "kill-api-server": () => killApiServer,
  "lose-answers": () => loseAnswers,
  "node-trouble": nodeTrouble,
  everything,
};
