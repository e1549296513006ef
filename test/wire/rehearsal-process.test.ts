// A rehearsal runs in a process of its own, which must not outlive the one that was asked for it.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { bin } from "./server.ts";

function childOf(pid: number | undefined): number {
  return Number(execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).trim());
}

it("ends with the process that began it, also when that is killed", async () => {
  // Many runs, so that it would go on for minutes.
  const args = [bin, "rehearse", "daemonset-list-storm", "--runs", "100"];
  const parent = spawn(process.execPath, args, { stdio: "ignore" });
  const child = await vi.waitFor(() => childOf(parent.pid), { timeout: 10_000 });
  // So that it is at work.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(process.kill(child, 0)).toBe(true);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  await vi.waitFor(() => expect(() => process.kill(child, 0)).toThrow("ESRCH"), {
    timeout: 10_000,
    interval: 100,
  });
}, 30_000);
