// Where audit lines go. Blocking: written before the request goes on. Batch: kept in a bounded buffer and written soon;
// what does not fit is dropped and counted.
import type { Cancel, Clock, Log } from "../../host/host.ts";

/** A file, or standard output. Throws when a line cannot be kept. */
export interface LineWriter {
  write(lines: string): void;
  close(): void;
}

export type AuditMode = "batch" | "blocking" | "blocking-strict";

export interface AuditSink {
  /** False: the line is lost. */
  put(line: string): boolean;
  /** Writes what is waiting. */
  close(): void;
  /** Lines lost so far, by the part that lost them. */
  readonly lost: Readonly<Record<"log" | "buffered", number>>;
}

/** Upstream: --audit-log-batch-buffer-size. */
const bufferLinesMax = 10_000;
const bufferBytesMax = 64 * 1_048_576;
const flushMs = 100;
/** Errors that are logged, in a row. */
const errorLogsMax = 5;

export function createAuditSink(
  host: { readonly clock: Clock; readonly log: Log },
  writer: LineWriter,
  mode: AuditMode,
): AuditSink {
  return mode === "batch" ? new BatchSink(host, writer) : new BlockingSink(host.log, writer);
}

class BlockingSink implements AuditSink {
  readonly lost = { log: 0, buffered: 0 };
  readonly #log: Log;
  readonly #writer: LineWriter;

  constructor(log: Log, writer: LineWriter) {
    this.#log = log;
    this.#writer = writer;
  }

  put(line: string): boolean {
    try {
      this.#writer.write(line);
      return true;
    } catch (error) {
      this.lost.log += 1;
      if (this.lost.log <= errorLogsMax)
        this.#log.error("audit line lost", { error: String(error) });
      return false;
    }
  }

  close(): void {
    this.#writer.close();
  }
}

class BatchSink implements AuditSink {
  readonly lost = { log: 0, buffered: 0 };
  readonly #host: { readonly clock: Clock; readonly log: Log };
  readonly #writer: LineWriter;
  #waiting: string[] = [];
  #bytes = 0;
  #timer: Cancel | undefined;

  constructor(host: { readonly clock: Clock; readonly log: Log }, writer: LineWriter) {
    this.#host = host;
    this.#writer = writer;
  }

  put(line: string): boolean {
    if (this.#waiting.length >= bufferLinesMax || this.#bytes + line.length > bufferBytesMax) {
      this.lost.buffered += 1;
      return false;
    }
    this.#waiting.push(line);
    this.#bytes += line.length;
    this.#timer ??= this.#host.clock.after(flushMs, () => this.#flush());
    return true;
  }

  close(): void {
    this.#timer?.();
    this.#flush();
    this.#writer.close();
  }

  #flush(): void {
    this.#timer = undefined;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    if (lines.length === 0) return;
    try {
      this.#writer.write(lines.join(""));
    } catch (error) {
      this.lost.log += lines.length;
      this.#host.log.error("audit lines lost", { lines: lines.length, error: String(error) });
    }
  }
}
