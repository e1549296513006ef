// A log file that is set aside when it is full, as kube-apiserver does it (lumberjack): `audit.log` becomes
// `audit-2026-01-02T03-04-05.678.log`, and what is too old or too many goes. Writes are synchronous: when one returns, the
// kernel has it.
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, extname, join } from "node:path";

export interface RotationLimits {
  /** 0: never rotated. */
  readonly bytesMax: number;
  /** 0: kept however old. */
  readonly ageDaysMax: number;
  /** 0: any number. */
  readonly backupsMax: number;
}

const dayMs = 86_400_000;
const ownerOnly = 0o600;

export class RotatingFile {
  readonly #path: string;
  readonly #limits: RotationLimits;
  readonly #now: () => number;
  /** Undefined when closed: its number may be another file's by then. */
  #descriptor: number | undefined;
  #bytes = 0;

  /** Throws when the file cannot be opened. `now`: wall clock ms. */
  constructor(path: string, limits: RotationLimits, now: () => number) {
    this.#path = path;
    this.#limits = limits;
    this.#now = now;
    this.#open();
  }

  /** Whole lines. Throws when they cannot be written; nothing of them is in the file then. */
  write(lines: string): void {
    if (this.#descriptor === undefined) throw new Error("the file is closed");
    const bytes = Buffer.from(lines);
    const { bytesMax } = this.#limits;
    if (bytesMax > 0 && this.#bytes > 0 && this.#bytes + bytes.length > bytesMax) this.#rotate();
    appendWhole(this.#descriptor, bytes);
    this.#bytes += bytes.length;
  }

  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  #open(): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const descriptor = openSync(this.#path, "a", ownerOnly);
    this.close();
    this.#descriptor = descriptor;
    this.#bytes = fstatSync(descriptor).size;
  }

  /** The old file stays open until there is a new one: whatever fails, the next write finds one of them. */
  #rotate(): void {
    if (existsSync(this.#path)) renameSync(this.#path, this.#backupPath());
    this.#open();
    for (const old of this.#surplus()) rmSync(old, { force: true });
  }

  #backupPath(): string {
    const extension = extname(this.#path);
    const stem = basename(this.#path, extension);
    const taken = new Set(readdirSync(dirname(this.#path)));
    // Two in one millisecond get names of their own.
    for (let ms = this.#now(); ; ms++) {
      const stamp = new Date(ms).toISOString().slice(0, -1).replaceAll(":", "-");
      const name = `${stem}-${stamp}${extension}`;
      if (!taken.has(name)) return join(dirname(this.#path), name);
    }
  }

  #surplus(): string[] {
    const { ageDaysMax, backupsMax } = this.#limits;
    const folder = dirname(this.#path);
    const backups = readdirSync(folder)
      .flatMap((name) => {
        const at = this.#timeOf(name);
        return at === undefined ? [] : [{ path: join(folder, name), at }];
      })
      .sort((a, b) => b.at - a.at);
    const oldest = ageDaysMax === 0 ? -Infinity : this.#now() - ageDaysMax * dayMs;
    return backups
      .filter(({ at }, index) => at < oldest || (backupsMax > 0 && index >= backupsMax))
      .map(({ path }) => path);
  }

  /** When a file of ours was set aside. */
  #timeOf(name: string): number | undefined {
    const extension = extname(this.#path);
    const stem = `${basename(this.#path, extension)}-`;
    if (!name.startsWith(stem) || !name.endsWith(extension)) return undefined;
    const stamp = name.slice(stem.length, name.length - extension.length);
    const parts = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp);
    if (parts === null) return undefined;
    const [, day, hours, minutes, seconds] = parts;
    return Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
  }
}

/** All or nothing: a disk may be full in the middle of a line. */
function appendWhole(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if (written > 0) ftruncateSync(descriptor, fstatSync(descriptor).size - written);
    throw error;
  }
}
