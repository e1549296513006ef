// `wavetank top` in a terminal: asks again and again, draws anew when there is news, a key or another size, and leaves the
// terminal as it was.
import type { LedgerReport } from "../accounting/ledger/report.ts";
import { UsageError } from "./options.ts";
import { type LiveState, footer, press } from "./top-keys.ts";
import { type Screen, type TopView, cut, picture } from "./top-table.ts";

export interface LedgerSource {
  /** Rejects with UsageError when the server cannot be asked. */
  ledger(): Promise<LedgerReport>;
  /** FlowSchema names by UID; empty where they may not be read. */
  flowNames(): Promise<ReadonlyMap<string, string>>;
}

export interface LiveOptions {
  readonly view: TopView;
  readonly intervalMs: number;
  readonly colour: boolean;
}

/** Resolves when the user has seen enough. Rejects when the first answer does not come. */
export async function drawUntilStopped(source: LedgerSource, options: LiveOptions): Promise<void> {
  const live = new LiveTop(source, options);
  const restore = takeTerminal({
    keys: (text) => live.press(text),
    resized: () => live.draw(),
    stop: () => live.stop(),
  });
  try {
    await live.run();
  } finally {
    restore();
  }
}

class LiveTop {
  readonly #source: LedgerSource;
  readonly #options: LiveOptions;
  #state: LiveState;
  #report: LedgerReport | undefined;
  /** Why there is nothing newer. */
  #trouble = "";
  #ended = false;
  #end: () => void = () => undefined;
  readonly #stopped = new Promise<void>((resolve) => (this.#end = resolve));

  constructor(source: LedgerSource, options: LiveOptions) {
    this.#source = source;
    this.#options = options;
    this.#state = { view: options.view, typing: undefined };
  }

  async run(): Promise<void> {
    while (!this.#ended) {
      await Promise.race([this.#stopped, this.#look()]);
      this.draw();
      await this.#rest();
    }
  }

  stop(): void {
    this.#ended = true;
    this.#end();
  }

  press(keys: string): void {
    const next = press(this.#state, keys);
    if (next === undefined) return this.stop();
    this.#state = next;
    if (next.view.by === "flow" && next.view.flowNames.size === 0) void this.#nameFlows();
    this.draw();
  }

  draw(): void {
    if (this.#report === undefined || this.#ended) return;
    const { columns: width, rows } = process.stdout;
    const { colour } = this.#options;
    const screen: Screen = { width, height: rows - 1, colour };
    const lines = picture(this.#report, this.#state.view, screen).slice(0, rows - 1);
    while (lines.length < rows - 1) lines.push("");
    const text = [...lines, this.#foot(width)].map((line) => `${line}\u001B[K`).join("\r\n");
    process.stdout.write(`\u001B[H${text}`);
  }

  #foot(width: number): string {
    const text = this.#trouble === "" ? footer(this.#state) : `${this.#trouble}; asking again`;
    const line = cut(text, width);
    if (!this.#options.colour) return line;
    return this.#trouble === "" ? `\u001B[2m${line}\u001B[0m` : `\u001B[31m${line}\u001B[0m`;
  }

  /** A server that was there once is waited for: this is when one looks closest. */
  async #look(): Promise<void> {
    try {
      this.#report = await this.#source.ledger();
      this.#trouble = "";
    } catch (error) {
      if (this.#ended) return;
      if (this.#report === undefined || !(error instanceof UsageError)) throw error;
      this.#trouble = error.message;
    }
  }

  async #nameFlows(): Promise<void> {
    try {
      const flowNames = await this.#source.flowNames();
      this.#state = { ...this.#state, view: { ...this.#state.view, flowNames } };
      this.draw();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.#trouble = error.message;
    }
  }

  async #rest(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const rested = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.intervalMs);
    });
    await Promise.race([this.#stopped, rested]);
    clearTimeout(timer);
  }
}

interface Listeners {
  readonly keys: (text: string) => void;
  readonly resized: () => void;
  readonly stop: () => void;
}

/** The alternate screen, without a cursor or an echo of keys: what was in the terminal comes back with the result. */
function takeTerminal({ keys, resized, stop }: Listeners): () => void {
  const { stdin, stdout } = process;
  const press = (bytes: Buffer): void => keys(bytes.toString());
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  stdout.write("\u001B[?1049h\u001B[?25l\u001B[2J");
  stdout.on("resize", resized);
  for (const signal of signals) process.on(signal, stop);
  if (stdin.isTTY) stdin.setRawMode(true).on("data", press);
  return () => {
    if (stdin.isTTY) stdin.off("data", press).setRawMode(false).pause();
    for (const signal of signals) process.off(signal, stop);
    stdout.off("resize", resized);
    stdout.write("\u001B[?25h\u001B[?1049l");
  };
}
