// Where rendered audit events go, some at a time: a log or a webhook. Whoever writes to one decides whether the request
// waits for it.

export interface EventOutlet {
  /** False: they are lost, and counted. Never rejects. */
  write(events: readonly string[]): boolean | Promise<boolean>;
  /** Ends what is under way. */
  close(): void | Promise<void>;
}

/** A file, or standard output. Throws when lines cannot be kept. */
export interface LineWriter {
  write(lines: string): void;
  close(): void;
}
