import { describe, expect, it } from "vitest";
import type { Clock } from "../host/host.ts";
import { sharedTurns } from "./shared-turns.ts";

describe("sharedTurns", () => {
  it("lets one of many go on in each turn, in the order they asked", async () => {
    let turns = 0;
    const clock: Clock = {
      now: () => 0,
      monotonic: () => 0,
      after: () => () => {},
      turn: () => new Promise((resolve) => setImmediate(() => resolve(void turns++))),
    };
    const shared = sharedTurns(clock);
    const log: string[] = [];
    const work = async (name: string): Promise<void> => {
      for (let slice = 1; slice <= 2; slice++) {
        await shared.turn();
        log.push(`${name}${slice}@${turns}`);
      }
    };
    await Promise.all([work("a"), work("b"), work("c")]);
    expect(log).toEqual(["a1@1", "b1@2", "c1@3", "a2@4", "b2@5", "c2@6"]);
  });
});
