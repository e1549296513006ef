import { expect, it } from "vitest";
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
