// The files of one simulated container, in memory. Paths are absolute; a budget that all containers share bounds the bytes,
// a number of its own the names. What cannot be is a value: the word for it is the programs' own.
import { encodeUtf8 } from "../../std/utf8.ts";

export type Refusal =
  | "No such file or directory"
  | "Is a directory"
  | "Not a directory"
  | "File exists"
  | "Directory not empty"
  | "No space left on device";

export interface FileEntry {
  readonly path: string;
  /** Undefined: a folder. */
  readonly bytes: Uint8Array | undefined;
  readonly mode: number;
  /** Seconds since the epoch. */
  readonly modified: number;
}

export interface FileContent {
  readonly bytes: Uint8Array;
  readonly modified: number;
  readonly mode?: number;
}

/** What the containers of a process hold together. */
export class FileBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Negative: gives back. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

const containerBytesMax = 33_554_432;
const namesMax = 10_000;
const folderMode = 0o755;
const fileMode = 0o644;
/** The root of a container. */
const folders = ["bin", "dev", "etc", "home", "lib", "proc", "root", "sys", "tmp", "usr", "var"];

export class FileTree {
  readonly #budget: FileBudget;
  readonly #entries = new Map<string, FileEntry>();
  #bytes = 0;

  constructor(budget: FileBudget) {
    this.#budget = budget;
    for (const path of ["/", ...folders.map((name) => `/${name}`)]) this.#putFolder(path, 0);
  }

  find(path: string): FileEntry | undefined {
    return this.#entries.get(path);
  }

  /** Names in a folder, in order. */
  list(path: string): string[] {
    const inside = path === "/" ? "/" : `${path}/`;
    const names = [...this.#entries.keys()].filter(
      (one) => one.startsWith(inside) && one !== path && !one.includes("/", inside.length),
    );
    return names.map((one) => one.slice(inside.length)).sort();
  }

  /** The entry and, of a folder, all below it; folders first. */
  under(path: string): FileEntry[] {
    const entry = this.find(path);
    if (entry === undefined) return [];
    const inside = path === "/" ? "/" : `${path}/`;
    const below = [...this.#entries.values()].filter(
      (one) => one.path.startsWith(inside) && one.path !== path,
    );
    return [entry, ...below.sort((a, b) => (a.path < b.path ? -1 : 1))];
  }

  write(path: string, { bytes, modified, mode = fileMode }: FileContent): Refusal | undefined {
    const refusal = this.#refusalAt(path);
    if (refusal !== undefined) return refusal;
    const known = this.find(path);
    if (known !== undefined && known.bytes === undefined) return "Is a directory";
    if (!this.#account(known, bytes.length)) return "No space left on device";
    this.#entries.set(path, { path, bytes, mode, modified });
    return undefined;
  }

  makeFolder(path: string, modified: number): Refusal | undefined {
    const known = this.find(path);
    if (known !== undefined) return "File exists";
    const refusal = this.#refusalAt(path);
    if (refusal !== undefined) return refusal;
    if (!this.#account(undefined, 0)) return "No space left on device";
    this.#putFolder(path, modified);
    return undefined;
  }

  /** With all that leads there. */
  makeFolders(path: string, modified: number): Refusal | undefined {
    const parts = path.split("/").slice(1);
    for (let count = 1; count <= parts.length; count++) {
      const one = `/${parts.slice(0, count).join("/")}`;
      const known = this.find(one);
      if (known?.bytes !== undefined) return "Not a directory";
      const refusal = known === undefined ? this.makeFolder(one, modified) : undefined;
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** With all that is in it. */
  remove(path: string): void {
    for (const { path: one, bytes } of this.under(path)) {
      this.#entries.delete(one);
      this.#give(bytes?.length ?? 0);
    }
  }

  /** The container is gone. */
  close(): void {
    this.#give(this.#bytes);
    this.#entries.clear();
  }

  #refusalAt(path: string): Refusal | undefined {
    const parent = this.find(parentOf(path));
    if (parent === undefined) return "No such file or directory";
    return parent.bytes === undefined ? undefined : "Not a directory";
  }

  #account(known: FileEntry | undefined, bytes: number): boolean {
    const more = bytes - (known?.bytes?.length ?? 0);
    if (this.#bytes + more > containerBytesMax) return false;
    if (known === undefined && this.#entries.size >= namesMax) return false;
    if (!this.#budget.take(more)) return false;
    this.#bytes += more;
    return true;
  }

  #give(bytes: number): void {
    this.#budget.take(-bytes);
    this.#bytes -= bytes;
  }

  #putFolder(path: string, modified: number): void {
    this.#entries.set(path, { path, bytes: undefined, mode: folderMode, modified });
  }
}

/** What a container starts with. */
export function putText(tree: FileTree, path: string, text: string): void {
  tree.write(path, { bytes: encodeUtf8(text), modified: 0 });
}

/** Absolute, without `.` and `..`. */
export function resolvePath(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of `${path.startsWith("/") ? "" : `${folder}/`}${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}
