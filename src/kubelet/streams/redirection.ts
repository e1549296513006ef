// Where the outputs of one command go: to each other, to nowhere, to files.
import { concatBytes } from "../../std/concat-bytes.ts";
import { encodeUtf8 } from "../../std/utf8.ts";
import { type Refusal, resolvePath } from "./file-tree.ts";
import { type Effect, type Running, type ShellScope, bytesOfTaken } from "./shell-effect.ts";
import { type Outputs, firstFile } from "./shell-syntax.ts";

export interface OutputFile {
  append(bytes: Uint8Array): void;
  /** Puts what was appended where it belongs. */
  close(modified: number): Refusal | undefined;
}

/** One command writes no more to a file; that much no container holds. */
const fileBytesMax = 33_554_432;

export function openOutput(shell: ShellScope, name: string, append: boolean): OutputFile | Refusal {
  const { files } = shell.world;
  const path = resolvePath(shell.folder, name);
  const known = files.find(path);
  const before = append ? known?.bytes : undefined;
  // It is there from the beginning, as long as it takes.
  const refusal = files.write(path, {
    bytes: before ?? new Uint8Array(0),
    modified: known?.modified ?? 0,
  });
  if (refusal !== undefined) return refusal;
  const parts = before === undefined ? [] : [before];
  let size = before?.length ?? 0;
  return {
    append(bytes) {
      if (size <= fileBytesMax) parts.push(bytes);
      size += bytes.length;
    },
    close: (modified) =>
      size > fileBytesMax
        ? "No space left on device"
        : files.write(path, { bytes: concatBytes(parts), modified }),
  };
}

export function* redirected(
  program: Running,
  outputs: Outputs,
  files: readonly OutputFile[],
): Running {
  let step = program.next("");
  while (step.done !== true) {
    const effect = step.value;
    if (effect.is !== "write" && effect.is !== "send" && effect.is !== "copy")
      step = program.next(yield effect);
    else step = program.next(yield* moved(effect, outputs[effect.to], files));
  }
  return step.value;
}

type Output = Extract<Effect, { to: 1 | 2 }>;

function* moved(effect: Output, to: number, files: readonly OutputFile[]): Running<string> {
  if (to === 1 || to === 2) return yield { ...effect, to };
  const file = files[to - firstFile];
  if (effect.is !== "copy") {
    file?.append(effect.is === "write" ? encodeUtf8(effect.text) : effect.bytes);
    return "";
  }
  const taken = yield { is: "take" };
  file?.append(bytesOfTaken(taken));
  return taken;
}
