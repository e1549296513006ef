import { describe, expect, it } from "vitest";
import { SeededStream } from "../host/simulated/seeded-random.ts";
import { startDelays } from "./start-law.ts";

const chance = (): SeededStream => new SeededStream(1, "start");

describe("members begin", () => {
  it("all at once", () => {
    expect(startDelays({ kind: "together", afterSeconds: 2 }, 3, chance())).toEqual([
      2_000, 2_000, 2_000,
    ]);
  });

  it("one after another", () => {
    const law = { kind: "staggered", afterSeconds: 1, everySeconds: 0.5 } as const;
    expect(startDelays(law, 3, chance())).toEqual([1_000, 1_500, 2_000]);
  });

  it("each at a moment of its own", () => {
    const law = { kind: "jitter", afterSeconds: 1, overSeconds: 10 } as const;
    const delays = startDelays(law, 200, chance());
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...delays)).toBeLessThan(11_000);
    expect(new Set(delays).size).toBe(200);
  });
});
