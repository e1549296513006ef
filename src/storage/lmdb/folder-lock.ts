// One owner a data folder. The lock is a listening socket in the folder (a named pipe on Windows): the system itself
// takes it away with the process, however that ends, and a socket file left by a killed process refuses connections,
// so that nothing like a written process id has to be believed.
import { createHash, randomUUID } from "node:crypto";
import { linkSync, lstatSync, realpathSync, renameSync, rmSync } from "node:fs";
import { type Server, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataFolderError } from "./data-folder-error.ts";

export interface FolderLock {
  release(): Promise<void>;
}

/** sockaddr_un holds 104 bytes on macOS, 108 on Linux, with the NUL. */
const socketPathBytesMax = 103;
const suffixBytes = 9;
const attemptsMax = 5;
const answerMsMax = 2000;

/** The folder exists. Rejects with DataFolderError when another process, or this one, has it open. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  if (process.platform === "win32") return lockByPipe(folder);
  const address = lockAddress(folder);
  const own = besides(address);
  const server = await listen(folder, own);
  try {
    await claim(folder, own, address);
  } catch (error) {
    await closeServer(server);
    throw error;
  }
  const inode = lstatSync(address).ino;
  // The name in the lock's place is enough; a second one would be left over by every kill.
  rmSync(own, { force: true });
  return {
    release: async () => {
      if (inodeOf(address) === inode) rmSync(address, { force: true });
      await closeServer(server);
    },
  };
}

async function lockByPipe(folder: string): Promise<FolderLock> {
  const server = await listen(folder, `\\\\.\\pipe\\wavetank-${nameOf(realpathSync(folder))}`);
  return { release: () => closeServer(server) };
}

/** Gives the listening socket `own` the name `address`, which only one socket can have. */
async function claim(folder: string, own: string, address: string): Promise<void> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    if (linked(own, address)) return;
    if (await answers(address)) break;
    if (!(await removeStale(address))) break;
  }
  throw inUse(folder);
}

/** False when the socket turned out to be alive, because someone has claimed the lock this very moment. */
async function removeStale(address: string): Promise<boolean> {
  const aside = besides(address);
  try {
    renameSync(address, aside);
  } catch {
    // Someone else has removed it.
    return true;
  }
  const alive = await answers(aside);
  if (alive) linked(aside, address);
  rmSync(aside, { force: true });
  return !alive;
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function listen(folder: string, address: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(error.code === "EADDRINUSE" ? inUse(folder) : unlockable(folder, error));
    });
    server.listen(address, () => resolve(server));
  });
}

/** Whether a living process listens there. One that is stopped or busy is alive too. */
function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.setTimeout(answerMsMax);
    socket.on("connect", () => finish(true));
    socket.on("timeout", () => finish(true));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      finish(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"),
    );
    function finish(alive: boolean): void {
      socket.destroy();
      resolve(alive);
    }
  });
}

function inUse(folder: string): DataFolderError {
  return new DataFolderError(
    folder,
    "another Wavetank is using it; stop that one, or choose another folder with --data-dir",
  );
}

function unlockable(folder: string, cause: NodeJS.ErrnoException): DataFolderError {
  const why = cause.code ?? cause.message;
  return new DataFolderError(
    folder,
    `it cannot be locked (${why}); choose a folder that you may write to, on a local file system`,
    { cause },
  );
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function lockAddress(folder: string): string {
  const real = realpathSync(folder);
  const inFolder = join(real, "lock.sock");
  if (Buffer.byteLength(inFolder) + suffixBytes <= socketPathBytesMax) return inFolder;
  return join(tmpdir(), `wavetank-${nameOf(real)}.sock`);
}

function nameOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 24);
}

function besides(address: string): string {
  return `${address}.${randomUUID().slice(0, suffixBytes - 1)}`;
}

function inodeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino;
}
