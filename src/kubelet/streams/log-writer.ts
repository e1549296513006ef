// Writes a container's log to a listener: what was written so far, then, to who follows, what is written until the
// container ends.
import type { ClientSignal } from "../../host/http.ts";
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
  readonly signal: ClientSignal;
  /** Chunks of one stream each. */
  write(stream: LogLine["stream"], bytes: Uint8Array): Promise<void>;
}

/** A timer holds at most about 24 days. */
const waitMsMax = 2_000_000_000;
const pieceLinesMax = 500;
const pieceMs = 10;

export async function writeLog(
  clock: Clock,
  source: LogSource,
  listener: LogListener,
): Promise<void> {
  const { options, signal } = listener;
  const { run } = source;
  const tape = new LineTape(logOf(source.pod, source.container, run.startedAt));
  const printer = new LogPrinter(options);
  const catchUp = (until: number): Promise<void> =>
    printAll(piecesOf(clock, tape.until(until)), printer, listener);
  const now = run.endedAt ?? clock.now();
  if (options.tailLines === undefined) await catchUp(now);
  else await print(printer, await lastUntil(clock, { tape, now, options }), listener);
  if (!options.follow || run.endedAt !== undefined) return;
  while (!signal.aborted && !printer.full) {
    const running = source.isRunning();
    await catchUp(clock.now());
    if (!running) return;
    // It may have ended while the lines were written: then there was nobody to hear of it.
    if (source.isRunning()) await nextLineOrChange(clock, { source, signal, at: tape.next?.at });
  }
}

/** Making lines is work: after a moment of it others get their turn. */
async function* piecesOf(clock: Clock, lines: Iterable<LogLine>): AsyncGenerator<LogLine[]> {
  let piece: LogLine[] = [];
  let began = clock.monotonic();
  for (const line of lines) {
    piece.push(line);
    if (piece.length < pieceLinesMax && clock.monotonic() - began < pieceMs) continue;
    yield piece;
    await clock.turn();
    piece = [];
    began = clock.monotonic();
  }
  yield piece;
}

async function printAll(
  pieces: AsyncIterable<LogLine[]>,
  printer: LogPrinter,
  listener: LogListener,
): Promise<void> {
  for await (const piece of pieces) {
    const lines = piece.filter((line) => isWanted(line, listener.options));
    await print(printer, lines, listener);
    if (printer.full || listener.signal.aborted) return;
  }
}

interface Past {
  readonly tape: LineTape;
  readonly now: number;
  readonly options: LogOptions;
}

async function lastUntil(clock: Clock, { tape, now, options }: Past): Promise<LogLine[]> {
  let kept: LogLine[] = [];
  for await (const piece of piecesOf(clock, tape.until(now)))
    kept = lastOf([...kept, ...piece.filter((line) => isWanted(line, options))], options);
  return kept;
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
  readonly signal: ClientSignal;
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
    function done(): void {
      cancelTimer();
      stopListening();
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}

const noCancel = (): void => undefined;
