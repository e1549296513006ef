// What a data folder says of itself, in one small file that people and every later version can read, so that a folder
// of a newer version, a stranger's folder or a damaged one is refused before anything in it is touched.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DataFolderError } from "./data-folder-error.ts";

/** Raised when older versions could not read, or would spoil, what this one writes. */
const formatVersion = 1;
const formatName = "wavetank-lmdb";
const formatFile = "format.json";
const databaseFile = "data.mdb";
const databaseLockFile = "lock.mdb";
const lockFilePrefix = "lock.sock";

const wayOut =
  "nothing was changed; start with another --data-dir, or move this folder away and restore it from a copy";

/**
 * Checks the locked folder and makes it ready to be opened by LMDB. Returns whether it is new: then `markReady` is to
 * be called once the database stands. Throws DataFolderError.
 */
export function prepareFolder(folder: string): "new" | "existing" {
  const format = readFormat(folder);
  if (format === undefined) {
    refuseStrangers(folder);
    writeFormat(folder, "creating");
    return "new";
  }
  if (format.version > formatVersion) {
    throw new DataFolderError(
      folder,
      `it has format ${format.version}, and this Wavetank knows formats up to ${formatVersion}; ` +
        "use the newer Wavetank that wrote it, or another --data-dir; nothing was changed",
    );
  }
  if (format.state === "creating") {
    // Its first start was interrupted before anything could be acknowledged.
    for (const name of [databaseFile, databaseLockFile])
      rmSync(join(folder, name), { force: true });
    return "new";
  }
  refuseTruncated(folder);
  return "existing";
}

export function markReady(folder: string): void {
  writeFormat(folder, "ready");
}

/** Makes the folder, readable by its owner only. */
export function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new DataFolderError(
      folder,
      `it cannot be made (${why}); choose a place you may write to with --data-dir`,
      { cause },
    );
  }
}

export function databaseSizeBytes(folder: string): number {
  return statSync(join(folder, databaseFile), { throwIfNoEntry: false })?.size ?? 0;
}

export function damaged(folder: string, what: string, cause?: unknown): DataFolderError {
  return new DataFolderError(folder, `it is damaged: ${what}; ${wayOut}`, { cause });
}

interface Format {
  readonly version: number;
  readonly state: "creating" | "ready";
}

function readFormat(folder: string): Format | undefined {
  const path = join(folder, formatFile);
  if (!existsSync(path)) return undefined;
  let content: { format?: unknown; version?: unknown; state?: unknown };
  try {
    content = JSON.parse(readFileSync(path, "utf8")) as typeof content;
  } catch (cause) {
    throw damaged(folder, `${formatFile} cannot be read`, cause);
  }
  const { format, version, state } = content;
  const known = state === "creating" || state === "ready" ? state : undefined;
  // A newer format may have other states: its version is all that is looked at.
  if (typeof version === "number" && version > formatVersion) return { version, state: "ready" };
  if (format !== formatName || typeof version !== "number" || known === undefined) {
    throw damaged(folder, `${formatFile} does not say what the folder holds`);
  }
  return { version, state: known };
}

function writeFormat(folder: string, state: Format["state"]): void {
  const content = { format: formatName, version: formatVersion, state };
  const path = join(folder, formatFile);
  const draft = `${path}.new`;
  writeFileSync(draft, `${JSON.stringify(content)}\n`, { flush: true });
  renameSync(draft, path);
  syncFolder(folder);
}

/** Makes names in the folder durable; Windows cannot open folders and does not need it. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function refuseStrangers(folder: string): void {
  const others = readdirSync(folder).filter(
    (name) => !name.startsWith(lockFilePrefix) && name !== `${formatFile}.new`,
  );
  if (others.length === 0) return;
  throw new DataFolderError(
    folder,
    `it is not empty and not a Wavetank store (${others.slice(0, 3).join(", ")}); ` +
      "choose an empty or new folder with --data-dir; nothing was changed",
  );
}

/** LMDB pages: a header, then in the first two pages the description of the newest and the second newest state. */
const metaMagic = 0xbeefc0de;
const metaOffset = 24;
const pageSizeOffset = metaOffset + 24;
const lastPageOffset = metaOffset + 120;
const transactionOffset = metaOffset + 128;
const metaBytes = metaOffset + 136;
/** Pages at the end that a transaction took and gave back are never written. */
const unwrittenPagesMax = 64;

/** LMDB maps the file: a part that is missing would end the process with a bus error instead of a message. */
function refuseTruncated(folder: string): void {
  const size = databaseSizeBytes(folder);
  const first = readMeta(folder, 0);
  if (first === undefined) throw damaged(folder, `${databaseFile} is missing or not a database`);
  const second = readMeta(folder, first.pageSize);
  if (second === undefined) throw damaged(folder, `the second page of ${databaseFile} is broken`);
  const newest = second.transaction > first.transaction ? second : first;
  const needed = (newest.lastPage + 1 - unwrittenPagesMax) * first.pageSize;
  if (size < needed) {
    throw damaged(folder, `${databaseFile} has ${size} bytes where about ${needed} are needed`);
  }
}

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
}

function readMeta(folder: string, at: number): Meta | undefined {
  const path = join(folder, databaseFile);
  if (databaseSizeBytes(folder) < at + metaBytes) return undefined;
  const bytes = Buffer.alloc(metaBytes);
  const file = openSync(path, "r");
  try {
    readSync(file, bytes, 0, metaBytes, at);
  } finally {
    closeSync(file);
  }
  if (bytes.readUInt32LE(metaOffset) !== metaMagic) return undefined;
  return {
    pageSize: bytes.readUInt32LE(pageSizeOffset),
    lastPage: Number(bytes.readBigUInt64LE(lastPageOffset)),
    transaction: Number(bytes.readBigUInt64LE(transactionOffset)),
  };
}
