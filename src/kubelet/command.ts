// What the few commands would do that people write into examples: true, false, sleep N, exit N and echo, alone or in
// `sh -c` one after another. Anything else is a program that this node does not know, and says nothing.
import type { Container } from "../api/types/core-v1.ts";

export interface CommandOutcome {
  /** Undefined: runs for ever. */
  readonly runMs: number | undefined;
  readonly exitCode: number;
}

const shells = ["sh", "bash", "/bin/sh", "/bin/bash", "/bin/ash"];
/** A process that was started and has ended at once was seen for so long. */
const instantMs = 100;

export function commandOutcome(container: Container): CommandOutcome | undefined {
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  const [program = "", ...rest] = words;
  if (shells.includes(program)) {
    const script = rest.findLast((word) => !/^-[a-z]+$/.test(word));
    return rest.some((word) => /^-[a-z]*c$/.test(word)) && script !== undefined
      ? scriptOutcome(script)
      : undefined;
  }
  return words.length === 0 ? undefined : scriptOutcome(words.join(" "));
}

/** Undefined as soon as one step is not understood. */
function scriptOutcome(script: string): CommandOutcome | undefined {
  let runMs = instantMs;
  let exitCode = 0;
  for (const { joint, text } of stepsOf(script)) {
    if (joint === "&&" && exitCode !== 0) continue;
    if (joint === "||" && exitCode === 0) continue;
    const step = stepOutcome(text);
    if (step === undefined) return undefined;
    if (step.forMs === Number.POSITIVE_INFINITY) return { runMs: undefined, exitCode: 0 };
    runMs += step.forMs;
    exitCode = step.exitCode;
    if (step.ends) break;
  }
  return { runMs, exitCode };
}

interface Step {
  readonly joint: string;
  readonly text: string;
}

function stepsOf(script: string): Step[] {
  const parts = script.split(/(&&|\|\||;|\n)/);
  const steps: Step[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const text = parts[at]!.trim();
    if (text !== "") steps.push({ joint: at === 0 ? ";" : parts[at - 1]!, text });
  }
  return steps;
}

interface StepOutcome {
  readonly forMs: number;
  readonly exitCode: number;
  readonly ends?: true;
}

const units: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3_600, d: 86_400 };

function stepOutcome(text: string): StepOutcome | undefined {
  const [program = "", argument = ""] = text.split(/\s+/);
  switch (program.replace(/^\/(usr\/)?bin\//, "")) {
    case "true":
    case "echo":
    case "date":
    case "printf":
      return { forMs: 0, exitCode: 0 };
    case "false":
      return { forMs: 0, exitCode: 1 };
    case "exit":
      return { forMs: 0, exitCode: Number(argument) || 0, ends: true };
    case "sleep": {
      const [, amount = "", unit = ""] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(argument) ?? [];
      if (argument === "infinity") return { forMs: Number.POSITIVE_INFINITY, exitCode: 0 };
      return amount === ""
        ? undefined
        : { forMs: Number(amount) * (units[unit] ?? 1) * 1_000, exitCode: 0 };
    }
    default:
      return undefined;
  }
}
