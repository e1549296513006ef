import { describe, expect, it } from "vitest";
import { SlotSeries } from "./slot-series.ts";

describe("a series of slots", () => {
  const series = (): SlotSeries<"bytes" | "open"> =>
    new SlotSeries({ bytes: "sum", open: "peak" }, 100, 4);

  it("adds sums and keeps peaks, slot by slot", () => {
    const one = series();
    one.record("bytes", 0, 1);
    one.record("bytes", 99, 2);
    one.record("open", 250, 7);
    one.record("open", 260, 3);
    expect(one.values("bytes")).toEqual([3, 0, 0]);
    expect(one.values("open")).toEqual([0, 0, 7]);
  });

  it("merges neighbours when time outgrows it, and loses nothing", () => {
    const one = series();
    for (const at of [0, 100, 200, 300]) {
      one.record("bytes", at, 1);
      one.record("open", at, at);
    }
    one.record("bytes", 1_599, 5);
    expect(one.slotMs).toBe(400);
    expect(one.values("bytes")).toEqual([4, 0, 0, 5]);
    expect(one.values("open")).toEqual([300, 0, 0, 0]);
  });
});
