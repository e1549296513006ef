// A tiny shell that runs nothing of this machine: it yields what it would do (write, wait, read) and is told what came of
// it, so that the same script runs live in `kubectl exec` and on a clock of its own for `kubectl logs`.
import { decodeUtf8 } from "../../std/utf8.ts";
import {
  type Command,
  type List,
  type Word,
  ShellSyntaxError,
  parseScript,
} from "./shell-syntax.ts";
import { evaluateSum } from "./shell-sum.ts";
import { type OutputFile, openOutput, redirected } from "./redirection.ts";
import type { Running, ShellScope, ShellWorld } from "./shell-effect.ts";
import { programs } from "./shell-programs.ts";

/** Ends the shell, however deep it is. */
class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super("exit");
    this.code = code;
  }
}

/** What $(…) may gather. */
const outputMax = 65_536;
const nestedMax = 20;

export class Shell implements ShellScope {
  readonly world: ShellWorld;
  readonly variables: Map<string, string>;
  folder: string;
  readonly #depth: number;
  status = 0;

  constructor(world: ShellWorld, outer?: Shell) {
    this.world = world;
    this.variables = new Map(outer?.variables ?? world.environment);
    this.folder = outer?.folder ?? world.folder;
    this.#depth = outer === undefined ? 0 : outer.#depth + 1;
  }

  /** The exit code of the whole script. */
  *script(text: string): Running {
    try {
      yield* this.#list(parseScript(text));
      return this.status;
    } catch (error) {
      if (error instanceof Exit) return error.code;
      if (!(error instanceof ShellSyntaxError)) throw error;
      yield { is: "write", to: 2, text: `sh: ${error.message}\n` };
      return 2;
    }
  }

  /** Reads its commands from standard input, line by line, until `exit` or the end. */
  *interactive(): Running {
    for (;;) {
      if (this.world.tty) yield { is: "write", to: 2, text: `${this.folder} # ` };
      const line = yield { is: "read" };
      if (line === "") return this.status;
      try {
        yield* this.#list(parseScript(line.trimEnd()));
      } catch (error) {
        if (error instanceof Exit) return error.code;
        if (!(error instanceof ShellSyntaxError)) throw error;
        yield { is: "write", to: 2, text: `sh: ${error.message}\n` };
        this.status = 2;
      }
    }
  }

  /** A program with its arguments, as exec starts it; undefined when there is none of that name. */
  program(words: readonly string[]): Running | undefined {
    const [path = "", ...rest] = words;
    const name = path.replace(/^\/(usr\/)?(local\/)?s?bin\//, "");
    if (shells.has(name)) return this.#shell(rest);
    return programs.get(name)?.(rest, this);
  }

  *#shell(rest: readonly string[]): Running {
    if (this.#depth >= nestedMax) return 1;
    const inner = new Shell(this.world, this);
    const at = rest.findIndex((word) => !/^-[a-z]+$/.test(word));
    const asked = (at < 0 ? rest : rest.slice(0, at)).some((word) => word.includes("c"));
    if (!asked) return yield* inner.interactive();
    rest.slice(at + 1).forEach((word, index) => inner.variables.set(String(index), word));
    return yield* inner.script(at < 0 ? "" : rest[at]!);
  }

  *#list(list: List): Running<void> {
    for (const { joint, command } of list) {
      if (joint === "&&" && this.status !== 0) continue;
      if (joint === "||" && this.status === 0) continue;
      yield { is: "step" };
      yield* this.#command(command);
    }
  }

  *#command(command: Command): Running<void> {
    switch (command.is) {
      case "simple":
        yield* this.#simple(command);
        break;
      case "if":
        yield* this.#list(command.test);
        yield* this.#branch(this.status === 0 ? command.body : command.otherwise);
        break;
      case "for": {
        for (const value of yield* this.#words(command.words)) {
          this.variables.set(command.name, value);
          yield* this.#list(command.body);
        }
        break;
      }
      default: {
        for (;;) {
          yield { is: "step" };
          yield* this.#list(command.test);
          if ((this.status === 0) === command.until) break;
          yield* this.#list(command.body);
        }
        this.status = 0;
      }
    }
  }

  *#branch(list: List): Running<void> {
    this.status = 0;
    yield* this.#list(list);
  }

  *#simple(command: Extract<Command, { is: "simple" }>): Running<void> {
    const words = yield* this.#words(command.words);
    const before = new Map(this.variables);
    for (const [name, value] of command.assignments)
      this.variables.set(name, (yield* this.#word(value)).join(" "));
    if (words.length === 0) {
      this.status = 0;
      return;
    }
    if (words[0] === "exit")
      throw new Exit((Number.parseInt(words[1] ?? String(this.status), 10) || 0) & 255);
    const program = this.program(words) ?? notFound(words[0]!);
    this.status = yield* this.#redirected(program, command);
    for (const [name] of command.assignments) restore(this.variables, before, name);
  }

  /** Files are written when the program has ended. */
  *#redirected(program: Running, command: Extract<Command, { is: "simple" }>): Running {
    const outputs: OutputFile[] = [];
    for (const { word, append } of command.files) {
      const name = (yield* this.#word(word)).join(" ");
      const file = openOutput(this, name, append);
      if (typeof file === "string") {
        yield { is: "write", to: 2, text: `sh: can't create ${name}: ${file}\n` };
        return 1;
      }
      outputs.push(file);
    }
    const code = yield* redirected(program, command.outputs, outputs);
    const modified = outputs.length === 0 ? 0 : Math.floor(Number(yield { is: "now" }) / 1_000);
    for (const file of outputs) {
      const refusal = file.close(modified);
      if (refusal === undefined) continue;
      yield { is: "write", to: 2, text: `sh: write error: ${refusal}\n` };
      return 1;
    }
    return code;
  }

  *#words(words: readonly Word[]): Running<string[]> {
    const all: string[] = [];
    for (const word of words) all.push(...(yield* this.#word(word)));
    return all;
  }

  /** One field, or more or none where what is not quoted is split at blanks. */
  *#word(word: Word): Running<string[]> {
    const fields: string[] = [];
    let open: string | undefined;
    for (const segment of word) {
      const text = yield* this.#segment(segment);
      if (segment.quoted || segment.is === "text") {
        open = (open ?? "") + text;
        continue;
      }
      const parts = text.split(/\s+/);
      parts.forEach((part, index) => {
        if (index > 0 && open !== undefined) {
          fields.push(open);
          open = undefined;
        }
        if (part !== "") open = (open ?? "") + part;
      });
    }
    if (open !== undefined) fields.push(open);
    return fields;
  }

  *#segment(segment: Word[number]): Running<string> {
    switch (segment.is) {
      case "text":
        return segment.text;
      case "variable":
        return this.#variable(segment.name);
      case "sum":
        return String(evaluateSum(segment.text, (name) => this.#variable(name)));
      default:
        return yield* this.#output(segment.list);
    }
  }

  #variable(name: string): string {
    if (name === "?") return String(this.status);
    if (name === "$") return "1";
    return this.variables.get(name) ?? "";
  }

  *#output(list: List): Running<string> {
    if (this.#depth >= nestedMax) return "";
    const inner = new Shell(this.world, this);
    const running = inner.#captured(list);
    let gathered = "";
    let step = running.next("");
    while (step.done !== true) {
      const effect = step.value;
      const mine = (effect.is === "write" || effect.is === "send") && effect.to === 1;
      if (mine && gathered.length < outputMax)
        gathered += effect.is === "write" ? effect.text : decodeUtf8(effect.bytes);
      step = running.next(mine ? "" : yield effect);
    }
    this.status = step.value;
    return gathered.replace(/\n+$/, "");
  }

  *#captured(list: List): Running {
    try {
      yield* this.#list(list);
      return this.status;
    } catch (error) {
      if (error instanceof Exit) return error.code;
      throw error;
    }
  }
}

const shells: ReadonlySet<string> = new Set(["sh", "bash", "ash", "dash"]);

function* notFound(name: string): Running {
  yield { is: "write", to: 2, text: `sh: ${name}: not found\n` };
  return 127;
}

function restore(
  variables: Map<string, string>,
  before: ReadonlyMap<string, string>,
  name: string,
): void {
  const value = before.get(name);
  if (value === undefined) variables.delete(name);
  else variables.set(name, value);
}
