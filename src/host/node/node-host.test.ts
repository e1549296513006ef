import { expect, it, vi } from "vitest";
import { hostContract } from "../host.contract.ts";
import { createNodeHost } from "./node-host.ts";

hostContract("node", () => {
  const host = createNodeHost("silent", () => {});
  // Its own timers do not keep a process alive, so the test must.
  const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  return { host, pass };
});

it("writes lines from its level on", () => {
  const lines: string[] = [];
  const { log } = createNodeHost("warn", (line) => lines.push(line));
  log.info("quiet");
  log.warn("loud", { n: 1, name: 'a "b"', none: undefined });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z warn loud n=1 name="a \\"b\\""$/);
});

it("waits longer than Node's timers can", () => {
  vi.useFakeTimers();
  try {
    const { clock } = createNodeHost("silent", () => {});
    const called: string[] = [];
    const yearMs = 365 * 86_400_000;
    clock.after(yearMs, () => called.push("a year"));
    const cancel = clock.after(yearMs, () => called.push("never"));
    vi.advanceTimersByTime(yearMs - 1);
    expect(called).toEqual([]);
    cancel();
    vi.advanceTimersByTime(1);
    expect(called).toEqual(["a year"]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
