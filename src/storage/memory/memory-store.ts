// The store for tests, rehearsals and `--memory`: all of the semantics, nothing survives the process.
import type { Host } from "../../host/host.ts";
import { createMvccStore } from "../mvcc/mvcc-store.ts";
import type { Store } from "../store.ts";
import { MemoryLog } from "./memory-log.ts";

export function createMemoryStore(host: Host): Store {
  return createMvccStore(host, new MemoryLog());
}
