// What the little shell does to the world, as values: whoever drives it carries them out.
import type { FileTree } from "./file-tree.ts";

/** Every effect is answered with a text, "" where there is nothing to say. */
export type Effect =
  | { readonly is: "write"; readonly to: 1 | 2; readonly text: string }
  | { readonly is: "send"; readonly to: 1 | 2; readonly bytes: Uint8Array }
  | { readonly is: "sleep"; readonly ms: number }
  /** Answered with the next line of standard input, its line feed included; "" at the end. */
  | { readonly is: "read" }
  /** Writes what comes next on standard input as it is; answered with "" at the end. */
  | { readonly is: "copy"; readonly to: 1 | 2 }
  /** Answered with what comes next on standard input, one character a byte; "" at the end. */
  | { readonly is: "take" }
  /** Answered with the wall clock in ms. */
  | { readonly is: "now" }
  /** A command begins: whoever drives may pause here. */
  | { readonly is: "step" };

export type Running<T = number> = Generator<Effect, T, string>;

export interface ShellWorld {
  readonly hostname: string;
  readonly environment: ReadonlyMap<string, string>;
  readonly files: FileTree;
  /** Where its programs start. */
  readonly folder: string;
  readonly tty: boolean;
}

/** What a program sees of the shell that started it. */
export interface ShellScope {
  readonly world: ShellWorld;
  readonly variables: Map<string, string>;
  /** The working folder. */
  folder: string;
}

export type Program = (args: readonly string[], shell: ShellScope) => Running;

export function bytesOfTaken(taken: string): Uint8Array {
  return Uint8Array.from(taken, (letter) => letter.charCodeAt(0));
}
