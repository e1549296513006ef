// The audit log: a line an event.
import type { EventOutlet, LineWriter } from "./event-outlet.ts";
import type { LostEvents } from "./lost-events.ts";

export class LogOutlet implements EventOutlet {
  readonly #writer: LineWriter;
  readonly #lost: LostEvents;

  constructor(writer: LineWriter, lost: LostEvents) {
    this.#writer = writer;
    this.#lost = lost;
  }

  write(events: readonly string[]): boolean {
    try {
      this.#writer.write(`${events.join("\n")}\n`);
      return true;
    } catch (error) {
      this.#lost.add("log", events.length, String(error));
      return false;
    }
  }

  close(): void {
    this.#writer.close();
  }
}
