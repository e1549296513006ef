// Writes a container's log to a listener: what was written so far, then, to who follows, what is written until the
// container ends.
import type { LogOptions } from "../../api/node-streams.ts";
import type { Container, Pod } from "../../api/types/core-v1.ts";
import type { Cancel, Clock } from "../../host/host.ts";
import { type LogLine, logOf } from "./container-log.ts";
import type { Run } from "./container-state.ts";
import { LineTape } from "./line-tape.ts";
import { LogPrinter, isWanted, lastOf } from "./log-reader.ts";

export interface LogSource {
  readonly pod: Pod;
  readonly container: Container;
  readonly run: Run;
  /** Whether that run still lasts. */
  isRunning(): boolean;
  /** `listener` is called after each change of the pod. */
  listen(listener: () => void): Cancel;
}

export interface LogListener {
  readonly options: LogOptions;
  readonly signal: AbortSignal;
  /** Chunks of one stream each. */
  write(stream: LogLine["stream"], bytes: Uint8Array): Promise<void>;
}

/** A timer holds at most about 24 days. */
const waitMsMax = 2_000_000_000;

export async function writeLog(
  clock: Clock,
  source: LogSource,
  listener: LogListener,
): Promise<void> {
  const { options, signal } = listener;
  const { run } = source;
  const tape = new LineTape(logOf(source.pod, source.container, run.startedAt));
  const printer = new LogPrinter(options);
  const past = wanted(tape.until(run.endedAt ?? clock.now()), options);
  await print(printer, options.tailLines === undefined ? past : lastOf(past, options), listener);
  if (!options.follow || run.endedAt !== undefined) return;
  while (!signal.aborted && !printer.full) {
    const running = source.isRunning();
    await print(printer, wanted(tape.until(clock.now()), options), listener);
    if (!running) return;
    await nextLineOrChange(clock, { source, signal, at: tape.next?.at });
  }
}

function* wanted(lines: Iterable<LogLine>, options: LogOptions): Generator<LogLine> {
  for (const line of lines) if (isWanted(line, options)) yield line;
}

async function print(
  printer: LogPrinter,
  lines: Iterable<LogLine>,
  listener: LogListener,
): Promise<void> {
  for (const { stream, bytes } of printer.chunks(lines)) await listener.write(stream, bytes);
}

interface Waiting {
  readonly source: LogSource;
  readonly signal: AbortSignal;
  /** When the next line is due, if there is one. */
  readonly at: number | undefined;
}

function nextLineOrChange(clock: Clock, { source, signal, at }: Waiting): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer =
      at === undefined
        ? noCancel
        : clock.after(Math.min(Math.max(0, at - clock.now()), waitMsMax), done);
    const stopListening = source.listen(done);
    signal.addEventListener("abort", done, { once: true });
    // It may have ended between the look and the listening only if this function waited, which it does not.
    function done(): void {
      cancelTimer();
      stopListening();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

const noCancel = (): void => undefined;
