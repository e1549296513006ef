// The programs of a simulated container that read and change its files.
import { type FileEntry, type Refusal, parentOf, resolvePath } from "./file-tree.ts";
import type { Program, Running, ShellScope } from "./shell-effect.ts";
import { tar } from "./tar-program.ts";

export const filePrograms: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["cat", cat],
  ["cd", cd],
  ["ls", ls],
  ["mkdir", mkdir],
  ["pwd", pwd],
  ["rm", rm],
  ["tar", tar],
  ["touch", touch],
]);

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const absent = "No such file or directory";

function* complain(text: string): Running {
  yield { is: "write", to: 2, text: `${text}\n` };
  return 1;
}

interface Split {
  /** Letters, without their dashes. */
  readonly flags: string;
  readonly names: readonly string[];
}

function split(args: readonly string[]): Split {
  const isFlag = (arg: string): boolean => /^-[A-Za-z0-9]/.test(arg);
  return {
    flags: args
      .filter(isFlag)
      .map((arg) => arg.slice(1))
      .join(""),
    names: args.filter((arg) => !isFlag(arg) && arg !== "--"),
  };
}

function* cat(args: readonly string[], { world, folder }: ShellScope): Running {
  const { names } = split(args);
  let code = 0;
  for (const name of names.length === 0 ? ["-"] : names) {
    if (name === "-") {
      while ((yield { is: "copy", to: 1 }) !== "");
      continue;
    }
    const entry = world.files.find(resolvePath(folder, name));
    if (entry?.bytes !== undefined) yield { is: "send", to: 1, bytes: entry.bytes };
    else if (entry === undefined) code = yield* complain(`cat: can't open '${name}': ${absent}`);
    else code = yield* complain(`cat: read error: Is a directory`);
  }
  return code;
}

function* cd([name = "/root"]: readonly string[], shell: ShellScope): Running {
  const path = resolvePath(shell.folder, name);
  const entry = shell.world.files.find(path);
  if (entry === undefined) return yield* complain(`sh: cd: can't cd to ${name}: ${absent}`);
  if (entry.bytes !== undefined)
    return yield* complain(`sh: cd: can't cd to ${name}: Not a directory`);
  shell.folder = path;
  return 0;
}

function* pwd(_args: readonly string[], { folder }: ShellScope): Running {
  yield { is: "write", to: 1, text: `${folder}\n` };
  return 0;
}

function* ls(args: readonly string[], { world, folder }: ShellScope): Running {
  const { flags, names } = split(args);
  const show = flags.includes("l") ? longLine : shortLine;
  let code = 0;
  for (const [index, name] of (names.length === 0 ? ["."] : names).entries()) {
    const path = resolvePath(folder, name);
    const entry = world.files.find(path);
    if (entry === undefined) {
      code = yield* complain(`ls: ${name}: ${absent}`);
      continue;
    }
    const isFolder = entry.bytes === undefined && !flags.includes("d");
    if (isFolder && names.length > 1)
      yield { is: "write", to: 1, text: `${index > 0 ? "\n" : ""}${name}:\n` };
    const inside = isFolder ? world.files.list(path) : [];
    const shown = inside
      .filter((one) => !one.startsWith(".") || /[aA]/.test(flags))
      .flatMap((one) => world.files.find(resolvePath(path, one)) ?? []);
    const lines = isFolder ? shown.map((one) => show(one, baseOf(one.path))) : [show(entry, name)];
    yield { is: "write", to: 1, text: lines.map((line) => `${line}\n`).join("") };
  }
  return code;
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function shortLine(_entry: FileEntry, name: string): string {
  return name;
}

function longLine({ bytes, mode, modified }: FileEntry, name: string): string {
  const bits = Array.from({ length: 9 }, (_, at) => (mode >> (8 - at)) & 1);
  const rights = bits.map((bit, at) => (bit === 1 ? "rwx"[at % 3] : "-")).join("");
  const at = new Date(modified * 1_000);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = String(at.getUTCDate()).padStart(2, " ");
  const time = `${months[at.getUTCMonth()]} ${day} ${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
  const size = String(bytes?.length ?? 4_096).padStart(8, " ");
  return `${bytes === undefined ? "d" : "-"}${rights}    1 root     root     ${size} ${time} ${name}`;
}

function* now(): Running {
  return Math.floor(Number(yield { is: "now" }) / 1_000);
}

function* mkdir(args: readonly string[], { world, folder }: ShellScope): Running {
  const { flags, names } = split(args);
  const modified = yield* now();
  let code = 0;
  for (const name of names) {
    const path = resolvePath(folder, name);
    const refusal: Refusal | undefined = flags.includes("p")
      ? world.files.makeFolders(path, modified)
      : world.files.makeFolder(path, modified);
    if (refusal !== undefined)
      code = yield* complain(`mkdir: can't create directory '${name}': ${refusal}`);
  }
  return code;
}

function* touch(args: readonly string[], { world, folder }: ShellScope): Running {
  const modified = yield* now();
  let code = 0;
  for (const name of split(args).names) {
    const path = resolvePath(folder, name);
    const known = world.files.find(path);
    if (known !== undefined && known.bytes === undefined) continue;
    const bytes = known?.bytes ?? new Uint8Array(0);
    const refusal = world.files.write(path, { bytes, modified });
    if (refusal !== undefined) code = yield* complain(`touch: ${name}: ${refusal}`);
  }
  return code;
}

function* rm(args: readonly string[], { world, folder }: ShellScope): Running {
  const { flags, names } = split(args);
  let code = 0;
  for (const name of names) {
    const path = resolvePath(folder, name);
    const entry = world.files.find(path);
    if (entry === undefined) {
      if (!flags.includes("f")) code = yield* complain(`rm: can't remove '${name}': ${absent}`);
    } else if (parentOf(path) === path)
      code = yield* complain(`rm: can't remove '${name}': Device or resource busy`);
    else if (entry.bytes === undefined && !/[rR]/.test(flags))
      code = yield* complain(`rm: '${name}' is a directory`);
    else world.files.remove(path);
  }
  return code;
}

/** `test` on one file. */
export function fileHolds(operator: string, name: string, { world, folder }: ShellScope): boolean {
  const entry = world.files.find(resolvePath(folder, name));
  if (entry === undefined) return false;
  if (operator === "-d") return entry.bytes === undefined;
  if (operator === "-f") return entry.bytes !== undefined;
  if (operator === "-s") return (entry.bytes?.length ?? 1) > 0;
  return /^-[erwx]$/.test(operator);
}
