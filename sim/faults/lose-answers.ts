// Some writes of every process are done, and their answers get lost.
import type { Fault } from "./fault.ts";

const share = 0.05;

export const loseAnswers: Fault = {
  name: "lose-answers",
  excuses: [],
  start({ world, chance, struck }) {
    for (const process of world.processes)
      process.losesAnswer = () => {
        const isLost = chance.unit() < share;
        if (isLost) struck();
        return isLost;
      };
  },
  stop({ world }) {
    for (const process of world.processes) process.losesAnswer = () => false;
    return Promise.resolve();
  },
};
