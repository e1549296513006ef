// What the process of a container has written, and when: a function of the pod and the start of the run, so that nothing
// is kept. Annotations say it (docs/streams.md), else the container's own command, else a line at the start and one
// every while. Pure.
import type { Container, Pod } from "../../api/types/core-v1.ts";
import { saidOf } from "../behaviour.ts";
import { decodeUtf8 } from "../../std/utf8.ts";
import { imageFiles } from "./container-files.ts";
import { shellOf } from "./container-shell.ts";
import { FileBudget } from "./file-tree.ts";
import type { Running } from "./shell-effect.ts";

export interface LogLine {
  /** Wall clock ms. */
  readonly at: number;
  /** Without its line feed. */
  readonly text: string;
  readonly stream: "Stdout" | "Stderr";
}

/** How many lines of one run can be read; what comes later is not told. */
export const linesMax = 100_000;
const periodMsUsual = 10_000;
/** What a script may write to files, which last as long as its log is read. */
const scriptBytesMax = 262_144;
/** How many commands may run without a line or a pause between them. */
const quietStepsMax = 1_000;

export function* logOf(pod: Pod, container: Container, startedAt: number): Generator<LogLine> {
  let left = linesMax;
  for (const line of linesOf(pod, container, startedAt)) {
    yield line;
    if (--left === 0) return;
  }
}

function linesOf(pod: Pod, container: Container, startedAt: number): Iterable<LogLine> {
  const said = saidOf(pod, container.name, "log");
  if (said !== undefined) return saidLines(pod, container, { text: said, startedAt });
  const script = shellOf(
    pod,
    container,
    imageFiles(pod, container, new FileBudget(scriptBytesMax)),
  ).command([...(container.command ?? []), ...(container.args ?? [])]);
  return script === undefined
    ? usualLines(pod, container, startedAt)
    : scriptLines(script, startedAt);
}

interface Said {
  readonly text: string;
  readonly startedAt: number;
}

/** Once, or again every `log-period-seconds`. */
function* saidLines(pod: Pod, container: Container, { text, startedAt }: Said): Generator<LogLine> {
  const periodMs = Number(saidOf(pod, container.name, "log-period-seconds") ?? 0) * 1_000;
  for (let at = startedAt; ; at += periodMs) {
    for (const line of text.split("\n")) yield { at, text: line, stream: "Stdout" };
    if (!(periodMs > 0)) return;
  }
}

function* usualLines(pod: Pod, { name, image }: Container, startedAt: number): Generator<LogLine> {
  const { name: podName = "" } = pod.metadata;
  yield {
    at: startedAt,
    text: `${name} started in pod ${podName} (${image ?? ""})`,
    stream: "Stdout",
  };
  for (let at = startedAt + periodMsUsual; ; at += periodMsUsual) {
    const seconds = (at - startedAt) / 1_000;
    yield { at, text: `${name} has been running for ${seconds} s`, stream: "Stdout" };
  }
}

/** Runs the script on a clock of its own. It reads an empty standard input. */
function* scriptLines(script: Running, startedAt: number): Generator<LogLine> {
  const open = { 1: "", 2: "" };
  let at = startedAt;
  let quiet = 0;
  let step = script.next("");
  while (step.done !== true && quiet < quietStepsMax) {
    const effect = step.value;
    let answer = "";
    quiet++;
    if (effect.is === "sleep") at += effect.ms;
    if (effect.is === "sleep" && effect.ms > 0) quiet = 0;
    if (effect.is === "now") answer = String(at);
    if (effect.is === "write" || effect.is === "send") {
      quiet = 0;
      const told = effect.is === "write" ? effect.text : decodeUtf8(effect.bytes);
      const parts = (open[effect.to] + told).split("\n");
      open[effect.to] = parts.pop() ?? "";
      for (const text of parts) yield { at, text, stream: effect.to === 1 ? "Stdout" : "Stderr" };
    }
    if (!Number.isFinite(at)) return;
    step = script.next(answer);
  }
  if (open[1] !== "") yield { at, text: open[1], stream: "Stdout" };
  if (open[2] !== "") yield { at, text: open[2], stream: "Stderr" };
}
