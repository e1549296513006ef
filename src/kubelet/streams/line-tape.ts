// Lines of a log read one by one, the next of them visible before it is taken.
import type { LogLine } from "./container-log.ts";

export class LineTape {
  readonly #lines: Iterator<LogLine>;
  #next: LogLine | undefined;

  constructor(lines: Iterable<LogLine>) {
    this.#lines = lines[Symbol.iterator]();
    this.#advance();
  }

  get next(): LogLine | undefined {
    return this.#next;
  }

  /** Takes all that were written until then. */
  *until(at: number): Generator<LogLine> {
    while (this.#next !== undefined && this.#next.at <= at) {
      yield this.#next;
      this.#advance();
    }
  }

  #advance(): void {
    const step = this.#lines.next();
    this.#next = step.done === true ? undefined : step.value;
  }
}
