// Which store the options ask for, opened; what stands in the way, said so that the user can change it. Back ends are
// imported when they are asked for: a server in memory loads neither LMDB nor gRPC.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Host } from "../host/host.ts";
import { DataFolderError } from "../storage/lmdb/data-folder-error.ts";
import { createMemoryStore } from "../storage/memory/memory-store.ts";
import { type Store, StoreUnavailableError } from "../storage/store.ts";
import { type EtcdOptions, type StartOptions, UsageError } from "./options.ts";

export async function openStore(host: Host, options: StartOptions): Promise<Store> {
  if (options.etcd !== undefined && options.memory === true)
    throw new UsageError(
      "objects are kept in etcd or in memory: --etcd-servers and --memory exclude each other",
    );
  if (options.etcd !== undefined) return openEtcd(host, options.etcd);
  if (options.memory === true || options.dataDir === undefined) return createMemoryStore(host);
  return openFolder(host, resolve(options.dataDir), options.durability ?? "sync");
}

/** For people: where the objects are. */
export function describeStore(options: StartOptions): string {
  if (options.etcd !== undefined) return `in etcd at ${options.etcd.servers.join(", ")}`;
  if (options.memory === true || options.dataDir === undefined)
    return "in memory, gone when this ends";
  return options.durability === "relaxed"
    ? `in ${options.dataDir}; a crash of the machine may lose the last writes`
    : `durable, in ${options.dataDir}`;
}

async function openFolder(
  host: Host,
  dataDir: string,
  durability: "sync" | "relaxed",
): Promise<Store> {
  const { openLmdbStore } = await import("../storage/lmdb/lmdb-store.ts");
  try {
    return await openLmdbStore(host, { folder: join(dataDir, "store"), durability });
  } catch (error) {
    if (error instanceof DataFolderError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

async function openEtcd(host: Host, options: EtcdOptions): Promise<Store> {
  const { openEtcdStore } = await import("../storage/etcd/etcd-store.ts");
  for (const path of [options.caFile, options.certFile, options.keyFile])
    if (path !== undefined && !existsSync(path)) throw new UsageError(`${path} does not exist`);
  try {
    return await openEtcdStore(host, options);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new UsageError(
      `${error.message}; is it running, and do --etcd-cafile, --etcd-certfile and --etcd-keyfile fit it?`,
      { cause: error },
    );
  }
}
