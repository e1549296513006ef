// Drives a script of the little shell live: standard streams, the clock, and an end when nobody listens any more.
import type { ProcessStreams } from "../../api/node-streams.ts";
import { pause } from "../../client/waiting.ts";
import type { Host } from "../../host/host.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";
import type { Effect, Running } from "./shell-effect.ts";

/** A timer holds at most about 24 days. */
const sleepMsMax = 2_000_000_000;
/** Other work gets its turn after so many commands. */
const stepsPerTurn = 200;
/** A longer line is read in pieces. */
const lineBytesMax = 65_536;
const lineFeed = 10;
const carriageReturn = 13;
const interrupt = 3;
const endOfTransmission = 4;

/** Rejects with AbortedError, or as a write does, when the listener is gone. */
export async function runProcess(
  host: Host,
  script: Running,
  streams: ProcessStreams,
): Promise<number> {
  const input = new LineReader(streams);
  let steps = 0;
  let step = script.next("");
  while (step.done !== true) {
    const effect = step.value;
    if (effect.is === "step" && ++steps % stepsPerTurn === 0) await host.clock.turn();
    if (streams.signal.aborted) await pause(host.clock, 0, streams.signal);
    step = script.next(await carryOut(host, effect, { streams, input }));
  }
  return step.value;
}

interface Wiring {
  readonly streams: ProcessStreams;
  readonly input: LineReader;
}

async function carryOut(host: Host, effect: Effect, { streams, input }: Wiring): Promise<string> {
  switch (effect.is) {
    case "write":
      await write(streams, effect.to, encodeUtf8(onTerminal(streams, effect.text)));
      return "";
    case "send":
      await write(streams, effect.to, streams.tty ? shown(effect.bytes) : effect.bytes);
      return "";
    case "sleep":
      await pause(host.clock, Math.min(effect.ms, sleepMsMax), streams.signal);
      return "";
    case "now":
      return String(host.clock.now());
    case "read":
      return input.line();
    case "take":
      return latin1((await input.some()) ?? new Uint8Array(0));
    case "copy": {
      const bytes = await input.some();
      if (bytes === undefined) return "";
      // A terminal has shown it already.
      if (!streams.tty) await write(streams, effect.to, bytes);
      else await write(streams, effect.to, encodeUtf8(onTerminal(streams, decodeUtf8(bytes))));
      return "more";
    }
    default:
      return "";
  }
}

/** On a terminal. */
function shown(bytes: Uint8Array): Uint8Array {
  return encodeUtf8(decodeUtf8(bytes).replaceAll("\n", "\r\n"));
}

/** One character a byte. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  // As many arguments as a call surely takes.
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return text;
}

function write(streams: ProcessStreams, to: 1 | 2, bytes: Uint8Array): Promise<void> {
  return to === 1 ? streams.stdout(bytes) : streams.stderr(bytes);
}

function onTerminal({ tty }: ProcessStreams, text: string): string {
  return tty ? text.replaceAll("\n", "\r\n") : text;
}

/** Standard input by lines. On a terminal it echoes, as the kernel's line discipline does, and knows ^D, ^C and rubout. */
class LineReader {
  readonly #streams: ProcessStreams;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(streams: ProcessStreams) {
    this.#streams = streams;
  }

  async line(): Promise<string> {
    const bytes = await this.#lineBytes();
    return decodeUtf8(bytes);
  }

  /** What is there, a line at a time on a terminal; undefined at the end. */
  async some(): Promise<Uint8Array | undefined> {
    if (this.#streams.tty) {
      const line = await this.#lineBytes();
      return line.length === 0 ? undefined : line;
    }
    if (this.#rest.length === 0) return this.#streams.stdin?.();
    const bytes = this.#rest;
    this.#rest = new Uint8Array(0);
    return bytes;
  }

  async #lineBytes(): Promise<Uint8Array> {
    const line: number[] = [];
    while (line.length < lineBytesMax) {
      if (this.#rest.length === 0) {
        const more = await this.#streams.stdin?.();
        if (more === undefined) break;
        this.#rest = more;
      }
      const ended = this.#streams.tty ? await this.#type(line) : this.#take(line);
      if (ended) break;
    }
    return Uint8Array.from(line);
  }

  /** Whether the line is whole. */
  #take(line: number[]): boolean {
    const end = this.#rest.indexOf(lineFeed);
    const count = end < 0 ? this.#rest.length : end + 1;
    for (const byte of this.#rest.subarray(0, count)) line.push(byte);
    this.#rest = this.#rest.subarray(count);
    return end >= 0;
  }

  async #type(line: number[]): Promise<boolean> {
    const byte = this.#rest[0] ?? 0;
    this.#rest = this.#rest.subarray(1);
    if (byte === endOfTransmission) return true;
    if (byte === interrupt) {
      await this.#echo("^C\r\n");
      line.splice(0, line.length, lineFeed);
      return true;
    }
    if (byte === 127 || byte === 8) {
      if (line.pop() !== undefined) await this.#echo("\b \b");
      return false;
    }
    const ends = byte === carriageReturn || byte === lineFeed;
    line.push(ends ? lineFeed : byte);
    if (ends) await this.#echo("\r\n");
    else await this.#streams.stdout(Uint8Array.of(byte));
    return ends;
  }

  #echo(text: string): Promise<void> {
    return this.#streams.stdout(encodeUtf8(text));
  }
}
