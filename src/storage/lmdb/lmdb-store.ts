// The durable default: a store in one folder of this machine. Opening locks the folder, checks what it holds, and
// loads the keys; values stay on disk.
import type { Host } from "../../host/host.ts";
import { createMvccStore } from "../mvcc/mvcc-store.ts";
import type { RevisionLog } from "../mvcc/revision-log.ts";
import type { Store } from "../store.ts";
import { DataFolderError } from "./data-folder-error.ts";
import { createFolder, damaged, markReady, prepareFolder } from "./folder-format.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { type Durability, LmdbLog } from "./lmdb-log.ts";

export interface LmdbStoreOptions {
  /** Made when missing; belongs to the store alone. */
  readonly folder: string;
  /**
   * `sync`: a write is acknowledged when it is on disk. `relaxed`: when it is handed to the system; the process may be
   * killed without loss, but a crash of the machine may take back the last acknowledged writes.
   */
  readonly durability: Durability;
}

/** Rejects with DataFolderError when the folder is in use, newer, damaged or not ours; then nothing was changed. */
export async function openLmdbStore(host: Host, options: LmdbStoreOptions): Promise<Store> {
  const { folder, durability } = options;
  createFolder(folder);
  const lock = await lockFolder(folder);
  let log: LmdbLog | undefined;
  try {
    const age = prepareFolder(folder);
    log = new LmdbLog(folder, durability);
    if (age === "new") markReady(folder);
    return createMvccStore(host, lockedLog(log, lock));
  } catch (error) {
    await log?.close();
    await lock.release();
    throw error instanceof DataFolderError ? error : damaged(folder, String(error), error);
  }
}

/** The lock lives as long as the log. */
function lockedLog(log: LmdbLog, lock: FolderLock): RevisionLog {
  return {
    load: () => log.load(),
    append: (batch) => log.append(batch),
    readValue: (id) => log.readValue(id),
    setCompactRevision: (revision) => log.setCompactRevision(revision),
    remove: (ids) => log.remove(ids),
    sizeBytes: () => log.sizeBytes(),
    close: async () => {
      await log.close();
      await lock.release();
    },
  };
}
