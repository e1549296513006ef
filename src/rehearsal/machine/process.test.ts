import { describe, expect, it } from "vitest";
import { simulate } from "../../../test/simulation.ts";
import { Machine } from "./machine.ts";
import { type Life, Process, type SupervisorLaw, kubeletBackoff } from "./process.ts";

const law: SupervisorLaw = { ...kubeletBackoff, startMs: 1_000, baseBytes: 100 };

function bed(memoryBytes = 1_000) {
  const { host, driver } = simulate();
  const machine = new Machine(host, "m", { cores: 1, memoryBytes });
  const lives: Record<string, Life[]> = { a: [], b: [] };
  const processOf = (name: string): Process => {
    const start = (life: Life): Promise<void> => {
      lives[name]?.push(life);
      return Promise.resolve();
    };
    const process = new Process(host, machine, { name, law, program: { start, end: () => {} } });
    process.start();
    return process;
  };
  const [a, b] = [processOf("a"), processOf("b")];
  return { host, driver, machine, a, b, lives };
}

describe("a process on a machine", () => {
  it("is in service after its start, with its base memory", async () => {
    const { driver, machine, a } = bed();
    await driver.advance(999);
    expect([a.alive, machine.memory.used]).toEqual([false, 0]);
    await driver.advance(2);
    expect([a.inService, machine.memory.used]).toEqual([true, 200]);
  });

  it("dies when it has most of a memory that is full, and gives all back", async () => {
    const { driver, machine, a, b, lives } = bed();
    await driver.advance(1_001);
    const release = lives["a"]?.[0]?.hold(500);
    lives["b"]?.[0]?.hold(301);
    expect([a.alive, b.alive, machine.memory.used]).toEqual([false, true, 401]);
    expect(a.deaths.map(({ why }) => why)).toEqual(["OOMKilled"]);
    // What the dead held is gone already.
    release?.();
    expect(machine.memory.used).toBe(401);
    expect(machine.memory.peak).toBe(1_001);
  });

  it("comes back after a back-off that doubles and is forgiven", async () => {
    const { driver, a } = bed();
    await driver.advance(1_001);
    a.killed("once");
    await driver.advance(11_001);
    expect(a.alive).toBe(true);
    a.killed("twice");
    await driver.advance(20_999);
    expect(a.alive).toBe(false);
    await driver.advance(2);
    expect(a.alive).toBe(true);
    await driver.advance(600_000);
    a.killed("again");
    await driver.advance(11_001);
    expect(a.alive).toBe(true);
  });

  it("refuses work for the dead, and ends what was under way", async () => {
    const { driver, a, lives } = bed();
    await driver.advance(1_001);
    const life = lives["a"]?.[0];
    const ends: string[] = [];
    void life?.work(500).catch((error: Error) => ends.push(error.name));
    a.restart("upgrade");
    await driver.advance(1);
    void life?.work(500).catch((error: Error) => ends.push(error.name));
    await driver.advance(1_001);
    expect(ends).toEqual(["KilledError", "KilledError"]);
    expect([a.inService, lives["a"]?.length]).toEqual([true, 2]);
  });

  it("stays down when it was stopped", async () => {
    const { driver, a } = bed();
    await driver.advance(1_001);
    a.stop("maintenance");
    await driver.advance(600_000);
    expect([a.alive, a.deaths.length]).toEqual([false, 1]);
  });
});
