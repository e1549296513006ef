// The grammar of the little shell: lists with ; && ||, while, until, for, if, quotes, $variables, $(commands), $((sums)), and
// redirections of outputs to files, to each other or to nowhere. Pipes, input from files and functions it does not know.
// Pure.

export type Segment =
  | { readonly is: "text"; readonly text: string; readonly quoted: boolean }
  | { readonly is: "variable"; readonly name: string; readonly quoted: boolean }
  | { readonly is: "output"; readonly list: List; readonly quoted: boolean }
  | { readonly is: "sum"; readonly text: string; readonly quoted: boolean };

export type Word = readonly Segment[];

export type Command =
  | {
      readonly is: "simple";
      readonly assignments: readonly (readonly [name: string, value: Word])[];
      readonly words: readonly Word[];
      readonly outputs: Outputs;
      /** Those that outputs go to, in the order in which they are opened. */
      readonly files: readonly FileRedirection[];
    }
  | { readonly is: "loop"; readonly until: boolean; readonly test: List; readonly body: List }
  | {
      readonly is: "for";
      readonly name: string;
      readonly words: readonly Word[];
      readonly body: List;
    }
  | { readonly is: "if"; readonly test: List; readonly body: List; readonly otherwise: List };

/** Where each output goes: to 1, 2, as 0 nowhere, from 3 on to a file. */
export interface Outputs {
  readonly 1: number;
  readonly 2: number;
}

export const firstFile = 3;

export interface FileRedirection {
  readonly word: Word;
  readonly append: boolean;
}

export interface ListItem {
  /** How the item before leads to it. */
  readonly joint: ";" | "&&" | "||";
  readonly command: Command;
}

export type List = readonly ListItem[];

export class ShellSyntaxError extends Error {
  override readonly name = "ShellSyntaxError";
}

/** Scripts nest at most so deep. */
const depthMax = 50;
const scriptLengthMax = 65_536;

export function parseScript(script: string): List {
  if (script.length > scriptLengthMax) throw new ShellSyntaxError("script too long");
  const parser = new Parser(script);
  const list = parser.list([]);
  parser.requireEnd();
  return list;
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  requireEnd(): void {
    if (this.#at < this.#text.length) this.#fail(this.#text[this.#at]!);
  }

  /** Up to one of the `closers`, which stays unread, or to the end. */
  list(closers: readonly string[]): List {
    if (++this.#depth > depthMax) throw new ShellSyntaxError("nested too deep");
    const items: ListItem[] = [];
    let joint: ListItem["joint"] = ";";
    for (;;) {
      this.#skipSeparators();
      if (this.#isAtEnd() || closers.some((word) => this.#sees(word))) break;
      items.push({ joint, command: this.#command() });
      joint = this.#joint();
    }
    this.#depth--;
    return items;
  }

  #joint(): ListItem["joint"] {
    this.#skipBlanks();
    for (const joint of ["&&", "||"] as const) {
      if (!this.#text.startsWith(joint, this.#at)) continue;
      this.#at += 2;
      return joint;
    }
    const next = this.#text[this.#at];
    if (next === "|" || next === "&" || next === "(") this.#fail(next);
    return ";";
  }

  #command(): Command {
    if (this.#take("while")) return this.#loop(false);
    if (this.#take("until")) return this.#loop(true);
    if (this.#take("if")) return this.#if();
    if (this.#take("for")) return this.#for();
    return this.#simple();
  }

  #loop(until: boolean): Command {
    const test = this.list(["do"]);
    return { is: "loop", until, test, body: this.#body() };
  }

  #body(): List {
    this.#skipSeparators();
    this.#require("do");
    const body = this.list(["done"]);
    this.#require("done");
    return body;
  }

  #if(): Command {
    const test = this.list(["then"]);
    this.#require("then");
    const body = this.list(["elif", "else", "fi"]);
    let otherwise: List = [];
    if (this.#take("elif"))
      return { is: "if", test, body, otherwise: [{ joint: ";", command: this.#if() }] };
    if (this.#take("else")) otherwise = this.list(["fi"]);
    this.#require("fi");
    return { is: "if", test, body, otherwise };
  }

  #for(): Command {
    this.#skipBlanks();
    const [name = ""] = /^[A-Za-z_]\w*/.exec(this.#rest()) ?? [];
    this.#at += name.length;
    this.#skipBlanks();
    this.#require("in");
    const words = this.#words();
    return { is: "for", name, words, body: this.#body() };
  }

  #simple(): Command {
    const assignments: (readonly [string, Word])[] = [];
    const words: Word[] = [];
    const outputs = { 1: 1, 2: 2 };
    const files: FileRedirection[] = [];
    for (;;) {
      this.#skipBlanks();
      const redirect =
        /^([12]?)>(?:&([12])|>?\s*(\/dev\/null|\/dev\/stdout|\/dev\/stderr)(?=[\s;&|)]|$))/.exec(
          this.#rest(),
        );
      if (redirect !== null) {
        this.#at += redirect[0].length;
        const from = redirect[1] === "2" ? 2 : 1;
        outputs[from] = targetOf(redirect[2], redirect[3], outputs);
        continue;
      }
      const toFile = /^([12]?)>(>?)[ \t]*(?=[^\s;&|()<>])/.exec(this.#rest());
      if (toFile !== null) {
        this.#at += toFile[0].length;
        outputs[toFile[1] === "2" ? 2 : 1] = firstFile + files.length;
        files.push({ word: this.#word(), append: toFile[2] === ">" });
        continue;
      }
      const assigned = words.length === 0 ? /^([A-Za-z_]\w*)=/.exec(this.#rest()) : null;
      if (assigned !== null) {
        this.#at += assigned[0].length;
        assignments.push([assigned[1]!, this.#word()]);
        continue;
      }
      if (this.#endsWord()) break;
      words.push(this.#word());
    }
    if (words.length === 0 && assignments.length === 0) this.#fail(this.#text[this.#at] ?? "end");
    return { is: "simple", assignments, words, outputs, files };
  }

  #words(): Word[] {
    const words: Word[] = [];
    for (;;) {
      this.#skipBlanks();
      if (this.#endsWord()) return words;
      words.push(this.#word());
    }
  }

  #word(): Word {
    const segments: Segment[] = [];
    while (!this.#endsWord()) {
      const next = this.#text[this.#at]!;
      if (next === "<" || next === ">" || next === "`") this.#fail(next);
      if (next === "'") segments.push(this.#singleQuoted());
      else if (next === '"') this.#doubleQuoted(segments);
      else if (next === "$") segments.push(this.#dollar(false));
      else segments.push(this.#plain());
    }
    return segments;
  }

  #plain(): Segment {
    let text = "";
    while (!this.#endsWord() && !/['"$<>`]/.test(this.#text[this.#at]!)) {
      if (this.#text.startsWith("\\\n", this.#at)) {
        this.#at += 2;
        continue;
      }
      if (this.#text[this.#at] === "\\") this.#at++;
      text += this.#text[this.#at++] ?? "";
    }
    return { is: "text", text, quoted: false };
  }

  #singleQuoted(): Segment {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) throw new ShellSyntaxError("unterminated quoted string");
    const text = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return { is: "text", text, quoted: true };
  }

  #doubleQuoted(into: Segment[]): void {
    this.#at++;
    let text = "";
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined) throw new ShellSyntaxError("unterminated quoted string");
      if (next === '"') break;
      if (next === "$") {
        into.push({ is: "text", text, quoted: true }, this.#dollar(true));
        text = "";
        continue;
      }
      if (next === "\\" && /["$`\\]/.test(this.#text[this.#at + 1] ?? "")) this.#at++;
      text += this.#text[this.#at++] ?? "";
    }
    this.#at++;
    into.push({ is: "text", text, quoted: true });
  }

  #dollar(quoted: boolean): Segment {
    const sum = /^\$\(\(([^()]*)\)\)/.exec(this.#rest());
    if (sum !== null) {
      this.#at += sum[0].length;
      return { is: "sum", text: sum[1]!, quoted };
    }
    if (this.#text.startsWith("$(", this.#at)) {
      this.#at += 2;
      const list = this.list([")"]);
      if (this.#text[this.#at] !== ")") this.#fail("$(");
      this.#at++;
      return { is: "output", list, quoted };
    }
    const [whole = "$", braced, plain] =
      /^\$(?:\{(\w+)\}|([A-Za-z_]\w*|[?$#0-9]))/.exec(this.#rest()) ?? [];
    this.#at += whole.length;
    const name = braced ?? plain;
    return name === undefined
      ? { is: "text", text: "$", quoted }
      : { is: "variable", name, quoted };
  }

  /* ---- reading ---- */

  #rest(): string {
    return this.#text.slice(this.#at);
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  #endsWord(): boolean {
    return this.#isAtEnd() || /[\s;&|()]/.test(this.#text[this.#at]!);
  }

  #sees(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    const after = this.#text[this.#at + word.length];
    return word === ")" || after === undefined || /[\s;&|()]/.test(after);
  }

  #take(word: string): boolean {
    if (!this.#sees(word)) return false;
    this.#at += word.length;
    return true;
  }

  #require(word: string): void {
    if (!this.#take(word))
      throw new ShellSyntaxError(`syntax error: unexpected end (expecting "${word}")`);
  }

  #skipBlanks(): void {
    while (/^(?:[ \t\r]|\\\n)/.test(this.#text.slice(this.#at, this.#at + 2)))
      this.#at += this.#text[this.#at] === "\\" ? 2 : 1;
    if (this.#text[this.#at] === "#") this.#skipComment();
  }

  #skipSeparators(): void {
    for (;;) {
      this.#skipBlanks();
      const next = this.#text[this.#at];
      if (next !== ";" && next !== "\n") return;
      this.#at++;
    }
  }

  #skipComment(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #fail(what: string): never {
    throw new ShellSyntaxError(`syntax error: unexpected "${what}"`);
  }
}

function targetOf(
  copied: string | undefined,
  device: string | undefined,
  outputs: Outputs,
): number {
  if (copied !== undefined) return copied === "1" ? outputs[1] : outputs[2];
  if (device === "/dev/stdout") return outputs[1];
  return device === "/dev/stderr" ? outputs[2] : 0;
}
